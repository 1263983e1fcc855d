// Operations that move elements by rules fixed at compile time.
#include <algorithm>
#include <numeric>

#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

namespace {

bool IsStrictlyIncreasing(const ir::Dimensions& dimensions) {
  return std::ranges::adjacent_find(dimensions, std::greater_equal<>()) == dimensions.end();
}

}  // namespace

// The new dimensions come first.
Status ImportBroadcast(OpImport& op) {
  const ir::Shape& operand = op.shape(op.operand(0));
  int64_t added = op.result_shape().rank() - operand.rank();
  if (!operand.is_array() || added < 0) return op.Bad("has a result of lower rank than its operand");
  ir::DimensionsAttributes attributes;
  attributes.dimensions.resize(operand.dimensions.size());
  std::iota(attributes.dimensions.begin(), attributes.dimensions.end(), added);
  return op.Finish(op.opcode(), op.operands(), std::move(attributes));
}

// HLO's broadcast never stretches a dimension: those of size 1 that grow are dropped first. One that repeats no element is
// a reshape, which moves nothing.
Status ImportBroadcastInDim(OpImport& op) {
  TRY(ir::Dimensions dimensions, op.Integers("broadcast_dimensions"));
  const ir::Shape operand = op.shape(op.operand(0));
  const ir::Shape& result = op.result_shape();
  if (!operand.is_array() || !result.is_array() || dimensions.size() != operand.dimensions.size()) {
    return op.Bad("has as many `broadcast_dimensions` as its operand has dimensions [broadcast_in_dim C2]");
  }
  bool in_range = std::ranges::all_of(dimensions, [&](int64_t dim) { return dim >= 0 && dim < result.rank(); });
  if (!in_range) return op.Bad("has `broadcast_dimensions` outside of its result [broadcast_in_dim C3]");
  if (operand.element_count() == result.element_count() && IsStrictlyIncreasing(dimensions)) {
    return op.Finish(ir::Opcode::kReshape, op.operands());
  }
  ir::Shape kept = ir::Shape::Array(operand.element_type, {});
  ir::DimensionsAttributes attributes;
  for (size_t dim = 0; dim < dimensions.size(); ++dim) {
    bool grows = operand.dimensions[dim] == 1 && result.dimensions[static_cast<size_t>(dimensions[dim])] != 1;
    if (grows) continue;
    kept.dimensions.push_back(operand.dimensions[dim]);
    attributes.dimensions.push_back(dimensions[dim]);
  }
  ir::InstrId source = op.operand(0);
  if (kept.rank() != operand.rank()) source = op.Emit(ir::Opcode::kReshape, std::move(kept), {source});
  return op.Finish(op.opcode(), {source}, std::move(attributes));
}

Status ImportConcatenate(OpImport& op) {
  TRY(int64_t dimension, op.Integer("dimension"));
  return op.Finish(op.opcode(), op.operands(), ir::DimensionsAttributes{{dimension}});
}

Status ImportIota(OpImport& op) {
  TRY(int64_t dimension, op.Integer("iota_dimension"));
  return op.Finish(op.opcode(), {}, ir::DimensionsAttributes{{dimension}});
}

Status ImportPad(OpImport& op) {
  ir::PadAttributes attributes;
  TRY(attributes.low, op.Integers("edge_padding_low"));
  TRY(attributes.high, op.Integers("edge_padding_high"));
  TRY(attributes.interior, op.Integers("interior_padding"));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes));
}

Status ImportReverse(OpImport& op) {
  TRY(ir::Dimensions dimensions, op.Integers("dimensions"));
  return op.Finish(op.opcode(), op.operands(), ir::DimensionsAttributes{std::move(dimensions)});
}

Status ImportSlice(OpImport& op) {
  ir::SliceAttributes attributes;
  TRY(attributes.starts, op.Integers("start_indices"));
  TRY(attributes.limits, op.Integers("limit_indices"));
  TRY(attributes.strides, op.Integers("strides"));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes));
}

Status ImportTranspose(OpImport& op) {
  TRY(ir::Dimensions permutation, op.Integers("permutation"));
  return op.Finish(op.opcode(), op.operands(), ir::DimensionsAttributes{std::move(permutation)});
}

}  // namespace stead::frontend
