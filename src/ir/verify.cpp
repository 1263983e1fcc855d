// The module as a whole: which computations there are, what the entry promises, and what its caller gives away.
#include "ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
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
Status VerifyDonations(const Module& module) {
  std::vector<std::pair<int64_t, ShapeIndex>> given;
  auto give = [&](int64_t parameter, const ShapeIndex& index, std::string_view attribute) -> Status {
    std::pair<int64_t, ShapeIndex> leaf{parameter, index};
    if (std::ranges::find(given, leaf) != given.end()) {
      return InvalidArgument(fmt::format("{} gives parameter {} at {} away a second time", attribute, parameter,
                                         ShapeIndexToString(index)));
    }
    given.push_back(std::move(leaf));
    return {};
  };
  std::vector<ShapeIndex> outputs;
  const Shape& result = module.shape(module.entry_computation().root);
  for (const InputOutputAlias& alias : module.input_output_aliases) {
    TRY(const Shape* parameter, ParameterLeaf(module, alias.parameter, alias.parameter_index, "input_output_alias"));
    TRY_STATUS(give(alias.parameter, alias.parameter_index, "input_output_alias"));
    const Shape* output = FindLeaf(result, alias.output_index);
    std::string output_text = ShapeIndexToString(alias.output_index);
    if (output == nullptr)
      return InvalidArgument(
          fmt::format("input_output_alias names output {}, which is no array of the result", output_text));
    if (std::ranges::find(outputs, alias.output_index) != outputs.end()) {
      return InvalidArgument(fmt::format("input_output_alias names output {} a second time", output_text));
    }
    outputs.push_back(alias.output_index);
    if (output->byte_size() == parameter->byte_size()) continue;
    return InvalidArgument(
        fmt::format("input_output_alias pairs output {} {} with parameter {} {}; they must have as many bytes",
                    output_text, output->ToString(false), alias.parameter, parameter->ToString(false)));
  }
  for (const BufferDonor& donor : module.buffer_donors) {
    TRY_STATUS(ParameterLeaf(module, donor.parameter, donor.parameter_index, "buffer_donor"));
    TRY_STATUS(give(donor.parameter, donor.parameter_index, "buffer_donor"));
  }
  return {};
}

}  // namespace

Status VerifyModule(const Module& module) {
  if (!module.entry.valid() || module.entry.index() >= module.computation_count()) {
    return InvalidArgument("the module has no entry computation");
  }
  std::vector<ComputationId> computations = module.ComputationsPostOrder();
  TRY_STATUS(VerifyCallOrder(module, computations));
  TRY_STATUS(VerifyNames(module, computations));
  // Callees first: the rules of a caller look at the parameters and the root of what it calls.
  for (ComputationId id : computations) TRY_STATUS(VerifyComputation(module, id));
  TRY_STATUS(VerifyEntryLayout(module));
  return VerifyDonations(module);
}

}  // namespace stead::ir
