// Rules of dynamic-slice, dynamic-update-slice, get-dimension-size and set-dimension-size.
#include <algorithm>

#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

// Operands from `first` on: one integer scalar for each dimension of `operand`, all of one type.
Status CheckStartIndices(const Op& op, size_t first, std::string_view count_rule, std::string_view type_rule) {
  const Shape& operand = op.operand(0);
  size_t count = op.operand_count() - first;
  if (count != operand.dimensions.size()) {
    return op.Violation(count_rule, "has {} start indices, operand has shape {}; there must be one for each dimension",
                        count, operand.ToString(false));
  }
  for (size_t number = first; number < op.operand_count(); ++number) {
    const Shape& index = op.operand(number);
    if (!index.is_scalar() || !IsInteger(index.element_type)) {
      return op.Violation(type_rule, "start index {} has shape {}; it must be an integer scalar", number - first,
                          index.ToString(false));
    }
    if (index.element_type != op.operand(first).element_type) {
      return op.Violation(type_rule, "start index 0 has element type {}, start index {} has {}; they must be the same",
                          ElementTypeName(op.operand(first).element_type), number - first,
                          ElementTypeName(index.element_type));
    }
  }
  return {};
}

Result<Shape> InferDynamicSlice(const Op& op) {
  TRY_STATUS(CheckStartIndices(op, 1, "dynamic_slice C2", "dynamic_slice C3"));
  const Shape& operand = op.operand(0);
  const Dimensions& sizes = op.attributes<DynamicSliceAttributes>().sizes;
  if (sizes.size() != operand.dimensions.size()) {
    return op.Violation("dynamic_slice C2",
                        "dynamic_slice_sizes is {}, operand has shape {}; there must be one for each dimension",
                        DimensionsText(sizes), operand.ToString(false));
  }
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] >= 0 && sizes[dim] <= operand.dimensions[dim]) continue;
    return op.Violation("dynamic_slice C4",
                        "dynamic_slice_sizes is {}, operand has shape {}; the slice must fit in the operand",
                        DimensionsText(sizes), operand.ToString(false));
  }
  return Shape::Array(operand.element_type, sizes);
}

Result<Shape> InferDynamicUpdateSlice(const Op& op) {
  TRY_STATUS(op.RequireOperandsAtLeast(2));
  const Shape& operand = op.operand(0);
  const Shape& update = op.operand(1);
  if (update.element_type != operand.element_type) {
    return op.Violation("dynamic_update_slice C2", "update has element type {}, operand has {}; they must be the same",
                        ElementTypeName(update.element_type), ElementTypeName(operand.element_type));
  }
  if (update.rank() != operand.rank()) {
    return op.Violation("dynamic_update_slice C3",
                        "update has shape {}, operand has {}; they must have as many dimensions",
                        update.ToString(false), operand.ToString(false));
  }
  TRY_STATUS(CheckStartIndices(op, 2, "dynamic_update_slice C4", "dynamic_update_slice C5"));
  for (size_t dim = 0; dim < update.dimensions.size(); ++dim) {
    if (update.dimensions[dim] <= operand.dimensions[dim]) continue;
    return op.Violation("dynamic_update_slice C6", "update has shape {}, operand has {}; update must fit in operand",
                        update.ToString(false), operand.ToString(false));
  }
  return operand;
}

Result<Shape> InferDimensionSize(const Op& op) {
  const Shape& operand = op.operand(0);
  const Dimensions& dimensions = op.attributes<DimensionsAttributes>().dimensions;
  if (dimensions.size() != 1 || !InRange(dimensions, operand.rank())) {
    return op.Violation("get_dimension_size C1",
                        "dimensions is {}, operand has shape {}; it must be one of its dimensions",
                        DimensionsText(dimensions), operand.ToString(false));
  }
  Shape size = Shape::Array(ElementType::kS32, {});
  if (op.opcode() == Opcode::kGetDimensionSize) return size;
  if (!op.operand(1).Compatible(size)) {
    return op.Violation("", "size has shape {}; it must be s32[]", op.operand(1).ToString(false));
  }
  Shape result = operand;
  result.dynamic_dimensions.resize(result.dimensions.size(), false);
  result.dynamic_dimensions[static_cast<size_t>(dimensions.front())] = true;
  return result;
}

}  // namespace

Result<Shape> InferIndexing(const Op& op) {
  TRY_STATUS(op.RequireOperandsAtLeast(1));
  TRY_STATUS(op.RequireArrays());
  switch (op.opcode()) {
    case Opcode::kDynamicSlice: return InferDynamicSlice(op);
    case Opcode::kDynamicUpdateSlice: return InferDynamicUpdateSlice(op);
    case Opcode::kGather: return InferGather(op);
    case Opcode::kScatter: return InferScatter(op);
    default: return InferDimensionSize(op);
  }
}

}  // namespace stead::ir
