#include "analysis/window.h"

#include <algorithm>

#include "analysis/index_value.h"

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

Footprint RegionFootprint(const Shape& array, const Region& region) {
  if (region.whole) return {};
  return BoxFootprint(array, region.starts, region.sizes, std::vector<int64_t>(region.starts.size(), 1));
}

Footprint SliceFootprint(const Module& module, InstrId slice) {
  const ir::SliceAttributes& attributes = module.instruction(slice).As<ir::SliceAttributes>();
  return BoxFootprint(module.shape(module.operand(slice, 0)), attributes.starts, module.shape(slice).dimensions,
                      attributes.strides);
}

Footprint DynamicWindowFootprint(const Module& module, InstrId id, size_t first_index, const Shape& array,
                                 const std::vector<int64_t>& sizes) {
  const std::vector<InstrId>& operands = module.instruction(id).operands;
  std::optional<std::vector<int64_t>> strides = ByteStrides(array);
  if (!strides || operands.size() != first_index + sizes.size()) return {};
  Footprint window =
      BoxFootprint(array, std::vector<int64_t>(sizes.size(), 0), sizes, std::vector<int64_t>(sizes.size(), 1));
  for (size_t dim = 0; dim < sizes.size() && !window.empty(); ++dim) {
    // A window as wide as the array starts at 0 whatever the index says.
    if (array.dimensions[dim] == sizes[dim]) continue;
    SymbolMeaning start = ClampedIndex(module, operands[first_index + dim], array.dimensions[dim] - sizes[dim]);
    StridedRun& run = window.runs.front();
    run.start += start.start * (*strides)[dim];
    if (start.factor != 0) run.Move((*strides)[dim] * start.factor, start.symbol);
  }
  return window;
}

bool SameOrder(const Shape& left, const Shape& right) {
  if (!left.is_array() || !right.is_array() || left.dimensions != right.dimensions) return false;
  if (left.element_type == right.element_type) return left == right;
  Shape retyped = left;
  retyped.element_type = right.element_type;
  return retyped == right;
}

bool SamePlaces(const Shape& left, const Shape& right) {
  return SameOrder(left, right) && ElementBytes(left.element_type) == ElementBytes(right.element_type);
}

}  // namespace stead::analysis
