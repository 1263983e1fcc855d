#include "analysis/window.h"

#include <algorithm>

namespace stead::analysis {

using ir::ElementBytes;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::Shape;

std::optional<int64_t> StaticInteger(const Module& module, InstrId id) {
  const Instruction* instruction = &module.instruction(id);
  while (instruction->opcode == Opcode::kReshape || instruction->opcode == Opcode::kBitcast ||
         instruction->opcode == Opcode::kConvert || instruction->opcode == Opcode::kCopy) {
    instruction = &module.instruction(instruction->operands[0]);
    if (!ir::IsInteger(instruction->shape.element_type)) return std::nullopt;
  }
  if (instruction->opcode != Opcode::kConstant || !instruction->shape.is_array()) return std::nullopt;
  const ir::Literal& literal = instruction->As<ir::Literal>();
  if (literal.elided() || instruction->shape.element_count() != 1) return std::nullopt;
  if (!ir::IsInteger(instruction->shape.element_type)) return std::nullopt;
  return literal.AsInteger(0);
}

Region SliceRegion(const Instruction& slice) {
  const ir::SliceAttributes& attributes = slice.As<ir::SliceAttributes>();
  std::vector<int64_t> sizes;
  for (size_t dim = 0; dim < attributes.starts.size(); ++dim) {
    sizes.push_back(std::max<int64_t>(attributes.limits[dim] - attributes.starts[dim], 0));
  }
  return Region::Box(attributes.starts, std::move(sizes));
}

Region DynamicWindowRegion(const Module& module, InstrId id, size_t first_index, const std::vector<int64_t>& dimensions,
                           const std::vector<int64_t>& sizes) {
  const std::vector<InstrId>& operands = module.instruction(id).operands;
  if (operands.size() != first_index + dimensions.size()) return {};
  std::vector<int64_t> starts;
  for (size_t dim = 0; dim < dimensions.size(); ++dim) {
    // A window as wide as the array starts at 0 whatever the index says.
    std::optional<int64_t> start = StaticInteger(module, operands[first_index + dim]);
    if (dimensions[dim] == sizes[dim]) start = 0;
    if (!start) return {};
    starts.push_back(std::clamp<int64_t>(*start, 0, dimensions[dim] - sizes[dim]));
  }
  return Region::Box(std::move(starts), sizes);
}

bool SameOrder(const Shape& left, const Shape& right) {
  if (!left.is_array() || !right.is_array() || left.dimensions != right.dimensions) return false;
  Shape retyped = left;
  retyped.element_type = right.element_type;
  return retyped == right;
}

bool SamePlaces(const Shape& left, const Shape& right) {
  return SameOrder(left, right) && ElementBytes(left.element_type) == ElementBytes(right.element_type);
}

}  // namespace stead::analysis
