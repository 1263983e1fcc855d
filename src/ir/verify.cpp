// The module as a whole: which computations there are, what the entry promises, and what its caller gives away.
#include "ir/verify.h"

#include <fmt/format.h>

#include <set>
#include <unordered_set>

#include "ir/rules/verify_computation.h"

namespace stead::ir {
namespace {

// Calls form no cycle: in the post order every callee stands before its callers, unless it calls them itself.
Status VerifyCallOrder(const Module& module, const std::vector<ComputationId>& post_order) {
  std::unordered_set<ComputationId> finished;
  for (ComputationId id : post_order) {
    for (InstrId instruction : module.computation(id).instructions) {
      for (ComputationId callee : module.instruction(instruction).called) {
        if (finished.contains(callee)) continue;
        return InvalidArgument(
            fmt::format("`{}` calls `{}`, which leads back to `{}`; computations cannot be recursive",
                        module.instruction(instruction).name, module.computation(callee).name,
                        module.computation(id).name),
            module.SourceOf(instruction));
      }
    }
    finished.insert(id);
  }
  return {};
}

Status VerifyNames(const Module& module, const std::vector<ComputationId>& computations) {
  std::unordered_set<std::string_view> instruction_names, computation_names;
  for (ComputationId id : computations) {
    const Computation& computation = module.computation(id);
    TRY_STATUS(VerifyName(computation.name, {}));
    if (!computation_names.insert(computation.name).second) {
      return InvalidArgument(fmt::format("two computations have the name `{}`", computation.name));
    }
    for (InstrId instruction : computation.instructions) {
      const std::string& name = module.instruction(instruction).name;
      TRY_STATUS(VerifyName(name, module.SourceOf(instruction)));
      if (!instruction_names.insert(name).second) {
        return InvalidArgument(fmt::format("two instructions have the name `{}`", name), module.SourceOf(instruction));
      }
    }
  }
  return {};
}

Status VerifyEntryLayout(const Module& module) {
  if (!module.entry_layout) return {};
  const Computation& entry = module.entry_computation();
  const ProgramShape& layout = *module.entry_layout;
  if (layout.parameters.size() != entry.parameters.size()) {
    return InvalidArgument(fmt::format("entry_computation_layout has {} parameters, `{}` has {}",
                                       layout.parameters.size(), entry.name, entry.parameters.size()));
  }
  for (size_t number = 0; number < layout.parameters.size(); ++number) {
    const Shape& parameter = module.shape(entry.parameters[number]);
    if (layout.parameters[number].Compatible(parameter)) continue;
    return InvalidArgument(
        fmt::format("entry_computation_layout says {} for parameter {}, `{}` has {}",
                    layout.parameters[number].ToString(false), number, entry.name, parameter.ToString(false)),
        module.SourceOf(entry.parameters[number]));
  }
  if (layout.result.Compatible(module.shape(entry.root))) return {};
  return InvalidArgument(
      fmt::format("entry_computation_layout says {} for the result, `{}` gives {}", layout.result.ToString(false),
                  entry.name, module.shape(entry.root).ToString(false)),
      module.SourceOf(entry.root));
}

// The array leaf at `index`, or null.
const Shape* FindLeaf(const Shape& shape, const ShapeIndex& index) {
  const Shape* current = &shape;
  for (int64_t element : index) {
    bool inside = current->is_tuple() && element >= 0 && element < static_cast<int64_t>(current->elements.size());
    if (!inside) return nullptr;
    current = &current->elements[static_cast<size_t>(element)];
  }
  return current->is_array() ? current : nullptr;
}

Result<const Shape*> ParameterLeaf(const Module& module, int64_t parameter, const ShapeIndex& index,
                                   std::string_view attribute) {
  const std::vector<InstrId>& parameters = module.entry_computation().parameters;
  const Shape* leaf = nullptr;
  if (parameter >= 0 && parameter < static_cast<int64_t>(parameters.size())) {
    leaf = FindLeaf(module.shape(parameters[static_cast<size_t>(parameter)]), index);
  }
  if (leaf != nullptr) return leaf;
  return InvalidArgument(fmt::format("{} names parameter {} at {}, which is no array of the entry computation",
                                     attribute, parameter, ShapeIndexToString(index)));
}

// A parameter leaf is given away once, an output leaf is aliased once, and the two sides have as many bytes.
class DonationVerifier {
 public:
  explicit DonationVerifier(const Module& module) : module_(module) {}

  Status Run() {
    for (const InputOutputAlias& alias : module_.input_output_aliases) TRY_STATUS(CheckAlias(alias));
    for (const BufferDonor& donor : module_.buffer_donors) {
      TRY_STATUS(ParameterLeaf(module_, donor.parameter, donor.parameter_index, "buffer_donor"));
      TRY_STATUS(GiveAway(donor.parameter, donor.parameter_index, "buffer_donor"));
    }
    return {};
  }

 private:
  const Module& module_;
  std::set<std::pair<int64_t, ShapeIndex>> given_;
  std::set<ShapeIndex> aliased_outputs_;

  Status GiveAway(int64_t parameter, const ShapeIndex& index, std::string_view attribute) {
    if (given_.emplace(parameter, index).second) return {};
    std::string place = ShapeIndexToString(index);
    return InvalidArgument(fmt::format("{} gives parameter {} at {} away a second time", attribute, parameter, place));
  }

  Status CheckAlias(const InputOutputAlias& alias) {
    constexpr std::string_view kAttribute = "input_output_alias";
    TRY(const Shape* parameter, ParameterLeaf(module_, alias.parameter, alias.parameter_index, kAttribute));
    TRY_STATUS(GiveAway(alias.parameter, alias.parameter_index, kAttribute));
    const Shape* output = FindLeaf(module_.shape(module_.entry_computation().root), alias.output_index);
    std::string place = ShapeIndexToString(alias.output_index);
    if (output == nullptr) {
      return InvalidArgument(fmt::format("{} names output {}, which is no array of the result", kAttribute, place));
    }
    if (!aliased_outputs_.insert(alias.output_index).second) {
      return InvalidArgument(fmt::format("{} names output {} a second time", kAttribute, place));
    }
    if (output->byte_size() == parameter->byte_size()) return {};
    return InvalidArgument(fmt::format("{} pairs output {} {} with parameter {} {}; they must have as many bytes",
                                       kAttribute, place, output->ToString(false), alias.parameter,
                                       parameter->ToString(false)));
  }
};

}  // namespace

Status VerifyStructure(const Module& module) {
  if (!module.entry.valid() || module.entry.index() >= module.computation_count()) {
    return InvalidArgument("the module has no entry computation");
  }
  std::vector<ComputationId> computations = module.ComputationsPostOrder();
  TRY_STATUS(VerifyCallOrder(module, computations));
  TRY_STATUS(VerifyNames(module, computations));
  for (ComputationId id : computations) TRY_STATUS(VerifyComputation(module, id));
  return {};
}

Status VerifyModule(const Module& module) {
  TRY_STATUS(VerifyStructure(module));
  // Callees first: the rules of a caller look at the parameters and the root of what it calls.
  for (ComputationId id : module.ComputationsPostOrder()) TRY_STATUS(VerifyRules(module, id));
  TRY_STATUS(VerifyEntryLayout(module));
  return DonationVerifier(module).Run();
}

}  // namespace stead::ir
