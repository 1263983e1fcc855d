#include "ir/rules/verify_computation.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/infer.h"
#include "ir/text/attribute_fields.h"

namespace stead::ir {
namespace {

class ComputationVerifier {
 public:
  ComputationVerifier(const Module& module, ComputationId id)
      : module_(module), id_(id), computation_(module.computation(id)) {}

  Status CheckStructure() {
    TRY_STATUS(CheckList());
    TRY_STATUS(CheckParameters());
    TRY_STATUS(CheckUsers());
    for (InstrId id : computation_.instructions) {
      TRY_STATUS(CheckEdges(id));
      TRY_STATUS(CheckAttributes(id));
    }
    return {};
  }

  Status CheckRules() const {
    for (InstrId id : computation_.instructions) {
      TRY_STATUS(CheckShape(module_.shape(id), id));
      TRY_STATUS(CheckRule(id));
    }
    return {};
  }

 private:
  const Module& module_;
  ComputationId id_;
  const Computation& computation_;
  std::unordered_map<InstrId, size_t> positions_;

  template <typename... Args>
  Diagnostic Error(InstrId id, fmt::format_string<Args...> text, Args&&... args) const {
    const Instruction& instruction = module_.instruction(id);
    SourcePlace place = instruction.text_place.known() ? instruction.text_place : module_.SourceOf(id);
    return InvalidArgument(fmt::format("`{}`: {}", instruction.name, fmt::format(text, std::forward<Args>(args)...)),
                           std::move(place));
  }

  Diagnostic Unsupported(InstrId id, std::string_view what, const Shape& shape) const {
    const Diagnostic error = Error(id, "has shape {}", shape.ToString(false));
    return Unimplemented(fmt::format("{}: {}", what, error.what), error.where);
  }

  Status CheckList() {
    for (InstrId id : computation_.instructions) {
      const Instruction& instruction = module_.instruction(id);
      if (instruction.erased) return Error(id, "is erased but listed in `{}`", computation_.name);
      if (instruction.computation != id_) {
        return Error(id, "is listed in `{}` but belongs to another computation", computation_.name);
      }
      if (!positions_.emplace(id, positions_.size()).second) {
        return Error(id, "is listed twice in `{}`", computation_.name);
      }
    }
    if (computation_.root.valid() && positions_.contains(computation_.root)) return {};
    return InvalidArgument(fmt::format("computation `{}` has no root among its instructions", computation_.name));
  }

  Status CheckParameters() const {
    size_t seen = 0;
    for (InstrId id : computation_.instructions) {
      if (module_.instruction(id).opcode != Opcode::kParameter) continue;
      ++seen;
      const auto* attributes = std::get_if<ParameterAttributes>(&module_.instruction(id).attributes);
      if (attributes == nullptr) return Error(id, "is a parameter without a number");
      size_t number = static_cast<size_t>(attributes->number);
      if (number >= computation_.parameters.size() || computation_.parameters[number] != id) {
        return Error(id, "is not parameter {} of `{}`", attributes->number, computation_.name);
      }
    }
    if (seen == computation_.parameters.size()) return {};
    auto missing = std::ranges::find(computation_.parameters, InstrId());
    return InvalidArgument(fmt::format("computation `{}` lacks parameter {}", computation_.name,
                                       missing - computation_.parameters.begin()));
  }

  // Operands and control predecessors stand before their users, so the list is an order that can run.
  Status CheckEdges(InstrId id) const {
    const Instruction& instruction = module_.instruction(id);
    auto stands_before = [&](InstrId other) {
      auto found = positions_.find(other);
      return found != positions_.end() && found->second < positions_.at(id);
    };
    for (InstrId operand : instruction.operands) {
      if (!stands_before(operand)) {
        return Error(id, "its operand `{}` does not stand before it", module_.instruction(operand).name);
      }
    }
    for (InstrId predecessor : instruction.control_predecessors) {
      if (!stands_before(predecessor)) {
        return Error(id, "its control predecessor `{}` does not stand before it",
                     module_.instruction(predecessor).name);
      }
    }
    return {};
  }

  // The table of users holds every user of an instruction, once.
  Status CheckUsers() const {
    std::unordered_map<InstrId, std::vector<InstrId>> expected;
    for (InstrId id : computation_.instructions) {
      for (InstrId operand : module_.instruction(id).operands) {
        std::vector<InstrId>& users = expected[operand];
        if (users.empty() || users.back() != id) users.push_back(id);
      }
    }
    for (InstrId id : computation_.instructions) {
      std::vector<InstrId> users = module_.users(id);
      std::ranges::sort(users);
      std::ranges::sort(expected[id]);
      if (users != expected[id]) {
        return Error(id, "its table of users does not list the {} instructions that use it", expected[id].size());
      }
    }
    return {};
  }

  Status CheckShape(const Shape& shape, InstrId id) const {
    if (shape.is_unbounded()) return Unsupported(id, "unbounded dimensions", shape);
    if (shape.kind == Shape::Kind::kBuffer) return Unsupported(id, "values that are buffers", shape);
    for (const Shape& element : shape.elements) TRY_STATUS(CheckShape(element, id));
    if (!CheckedByteSize(shape)) {
      return Error(id, "has shape {}, which takes more than {} bytes", shape.ToString(false), kMaxValueBytes);
    }
    if (!shape.is_array()) return {};
    std::vector<int64_t> order = shape.layout.minor_to_major;
    std::ranges::sort(order);
    bool complete = order.empty() || order.size() == shape.dimensions.size();
    for (size_t dim = 0; complete && dim < order.size(); ++dim) complete = order[dim] == static_cast<int64_t>(dim);
    if (!complete) return Error(id, "its layout does not order the dimensions of {}", shape.ToString(false));
    bool dynamic_fits = shape.dynamic_dimensions.empty() || shape.dynamic_dimensions.size() == shape.dimensions.size();
    return dynamic_fits ? Status() : Error(id, "its dynamic dimensions do not fit {}", shape.ToString(false));
  }

  Status CheckAttributes(InstrId id) const {
    const Instruction& instruction = module_.instruction(id);
    if (instruction.attributes.index() == DefaultAttributes(instruction.opcode).index()) return {};
    return Error(id, "holds the attributes of another op than `{}`", OpcodeName(instruction.opcode));
  }

  Status CheckRule(InstrId id) const {
    const Instruction& instruction = module_.instruction(id);
    TRY(Shape expected, InferShape(module_, instruction));
    if (expected.Compatible(instruction.shape)) return {};
    return Error(id, "has shape {}, but its operands and attributes give {}", instruction.shape.ToString(false),
                 expected.ToString(false));
  }
};

}  // namespace

Status VerifyComputation(const Module& module, ComputationId id) {
  return ComputationVerifier(module, id).CheckStructure();
}

Status VerifyRules(const Module& module, ComputationId id) { return ComputationVerifier(module, id).CheckRules(); }

Status VerifyName(const std::string& name, const SourcePlace& place) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto may_follow = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  if (!name.empty() && is_letter(name.front()) && std::ranges::all_of(name, may_follow)) return {};
  return InvalidArgument(
      fmt::format("`{}` is no name of HLO: a letter or `_`, then letters, digits, `_`, `.` or `-`", name), place);
}

}  // namespace stead::ir
