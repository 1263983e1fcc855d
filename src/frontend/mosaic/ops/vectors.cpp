// Operations that only move the elements of vectors.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/mosaic/ops/kernel_importers.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

namespace {

Result<InstrId> SliceOf(KernelOp& op, InstrId operand, size_t dimension, int64_t start, int64_t size) {
  const ir::Dimensions extents = op.shape(operand).dimensions;
  ir::SliceAttributes slice{ir::Dimensions(extents.size(), 0), extents, ir::Dimensions(extents.size(), 1)};
  slice.starts[dimension] = start;
  slice.limits[dimension] = start + size;
  return op.emit().Slice(op.scope(), operand, std::move(slice));
}

// The attribute as a dimension of the operand.
Result<size_t> DimensionIn(const KernelOp& op, std::string_view attribute, const ir::Shape& shape) {
  TRY(int64_t dimension, op.Integer(attribute));
  if (dimension < 0 || dimension >= shape.rank()) return op.Bad(fmt::format("has no dimension {}", dimension));
  return static_cast<size_t>(dimension);
}

}  // namespace

// From a scalar, or from an array that lacks leading dimensions or has ones where the result has more.
Status ImportVectorBroadcast(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Shape result, op.ResultShape());
  const ir::Shape source = op.shape(operand);
  if (source.rank() > result.rank()) return op.Bad("has a result of fewer dimensions than its operand");
  const size_t leading = result.dimensions.size() - source.dimensions.size();
  ir::Dimensions kept, positions;
  for (size_t dimension = 0; dimension < source.dimensions.size(); ++dimension) {
    const int64_t extent = source.dimensions[dimension];
    if (extent == 1 && result.dimensions[leading + dimension] != 1) continue;
    kept.push_back(extent);
    positions.push_back(static_cast<int64_t>(leading + dimension));
  }
  if (kept == result.dimensions) return op.SetResult(operand);
  TRY(operand, op.emit().Reshape(op.scope(), operand, std::move(kept)));
  TRY(InstrId made, op.emit().Add(op.scope(), Opcode::kBroadcast, {operand},
                                  ir::DimensionsAttributes{std::move(positions)}, std::move(result)));
  return op.SetResult(made);
}

Status ImportShapeCast(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Shape result, op.ResultShape());
  TRY(InstrId made, op.emit().Reshape(op.scope(), operand, std::move(result.dimensions)));
  return op.SetResult(made);
}

Status ImportVectorTranspose(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Dimensions permutation, op.Integers("permutation"));
  TRY(InstrId made,
      op.emit().Add(op.scope(), Opcode::kTranspose, {operand}, ir::DimensionsAttributes{std::move(permutation)}));
  return op.SetResult(made);
}

// The element or sub-array at a known position of the leading dimensions.
Status ImportVectorExtract(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Dimensions position, op.Integers("static_position"));
  const ir::Dimensions extents = op.shape(operand).dimensions;
  if (position.size() > extents.size()) return op.Bad("has a position of more dimensions than its operand");
  ir::SliceAttributes slice{ir::Dimensions(extents.size(), 0), extents, ir::Dimensions(extents.size(), 1)};
  for (size_t dimension = 0; dimension < position.size(); ++dimension) {
    if (position[dimension] < 0 || position[dimension] >= extents[dimension]) return op.Bad("has a position outside");
    slice.starts[dimension] = position[dimension];
    slice.limits[dimension] = position[dimension] + 1;
  }
  TRY(InstrId part, op.emit().Slice(op.scope(), operand, std::move(slice)));
  TRY(ir::Shape result, op.ResultShape());
  TRY(part, op.emit().Reshape(op.scope(), part, std::move(result.dimensions)));
  return op.SetResult(part);
}

Status ImportVectorSlice(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Dimensions offsets, op.Integers("offsets"));
  TRY(ir::Dimensions sizes, op.Integers("sizes"));
  TRY(ir::Dimensions strides, op.Integers("strides"));
  const ir::Dimensions extents = op.shape(operand).dimensions;
  if (offsets.size() > extents.size() || sizes.size() != offsets.size() || strides.size() != offsets.size())
    return op.Bad("has not one offset, size and stride per dimension");
  ir::SliceAttributes slice{ir::Dimensions(extents.size(), 0), extents, ir::Dimensions(extents.size(), 1)};
  for (size_t dimension = 0; dimension < offsets.size(); ++dimension) {
    const int64_t extent = extents[dimension], size = sizes[dimension], stride = strides[dimension];
    if (size < 0 || size > extent || stride != 1 || offsets[dimension] < 0 || offsets[dimension] > extent - size)
      return op.Bad("takes a part that its operand does not have");
    slice.starts[dimension] = offsets[dimension];
    slice.limits[dimension] = offsets[dimension] + size;
  }
  TRY(InstrId made, op.emit().Slice(op.scope(), operand, std::move(slice)));
  return op.SetResult(made);
}

Status ImportVectorConcatenate(KernelOp& op) {
  TRY(std::vector<InstrId> operands, op.Values(0, op.operand_count()));
  TRY(int64_t dimension, op.Integer("dimension"));
  TRY(InstrId made, op.emit().Concatenate(op.scope(), std::move(operands), dimension));
  return op.SetResult(made);
}

Status ImportVectorRepeat(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(size_t dimension, DimensionIn(op, "dimension", op.shape(operand)));
  TRY(int64_t times, op.Integer("times"));
  constexpr int64_t kMaximumTimes = 4096;
  if (times < 1 || times > kMaximumTimes) return op.Unsupported(fmt::format("{} times is not supported", times));
  TRY(InstrId made, op.emit().Concatenate(op.scope(), std::vector<InstrId>(static_cast<size_t>(times), operand),
                                          static_cast<int64_t>(dimension)));
  return op.SetResult(made);
}

// Element i of the result is element i - amount of the operand, round and round: a window of the operand written twice.
Status ImportVectorRotate(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  const ir::Shape shape = op.shape(operand);
  TRY(size_t dimension, DimensionIn(op, "dimension", shape));
  TRY(std::optional<mlir::AttributeId> stride, op.importer().source().FindAttribute(op.operation(), "stride"));
  if (stride) return op.Unsupported("with a stride is not supported");
  const int64_t extent = shape.dimensions[dimension];
  if (extent == 0) return op.SetResult(operand);
  TRY(InstrId twice, op.emit().Concatenate(op.scope(), {operand, operand}, static_cast<int64_t>(dimension)));
  if (op.operand_count() == 1) {
    TRY(int64_t amount, op.Integer("amount"));
    TRY(InstrId made, SliceOf(op, twice, dimension, (extent - amount % extent) % extent, extent));
    return op.SetResult(made);
  }
  TRY(InstrId amount, op.Value(1));
  InstrId modulus = op.emit().Integer(op.scope(), ir::ElementType::kS32, extent);
  TRY(amount, op.emit().Add(op.scope(), Opcode::kRemainder, {amount, modulus}));
  // Between 1 and 2 * extent - 1, whatever the sign of the amount; as a start beyond `extent` it is once round too far.
  TRY(InstrId start, op.emit().Add(op.scope(), Opcode::kSubtract, {modulus, amount}));
  TRY(start, op.emit().Add(op.scope(), Opcode::kRemainder, {start, modulus}));
  std::vector<InstrId> starts(shape.dimensions.size());
  starts[dimension] = start;
  TRY(InstrId made, op.emit().DynamicSlice(op.scope(), twice, std::move(starts), shape.dimensions));
  return op.SetResult(made);
}

Status ImportVectorIota(KernelOp& op) {
  TRY(ir::Shape result, op.ResultShape());
  TRY(ir::Dimensions dimensions, op.Integers("dimensions"));
  if (dimensions.empty()) {
    TRY(int64_t dimension, op.Integer("dimension"));
    dimensions = {dimension};
  }
  if (dimensions.size() != 1) return op.Unsupported("along several dimensions is not supported");
  TRY(InstrId made,
      op.emit().Add(op.scope(), Opcode::kIota, {}, ir::DimensionsAttributes{std::move(dimensions)}, std::move(result)));
  return op.SetResult(made);
}

// Each element of the result is taken from its own row along one dimension, at the index that lies where it will lie.
Status ImportDynamicGather(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(InstrId indices, op.Value(1));
  TRY(ir::Dimensions dimensions, op.Integers("dimensions"));
  const ir::Shape shape = op.shape(operand);
  if (dimensions.size() != 1 || dimensions[0] < 0 || dimensions[0] >= shape.rank() ||
      op.shape(indices).rank() != shape.rank())
    return op.Unsupported("along anything but one dimension is not supported");
  ir::GatherAttributes gather{.collapsed_slice_dims = dimensions,
                              .start_index_map = dimensions,
                              .index_vector_dim = shape.rank(),
                              .slice_sizes = ir::Dimensions(shape.dimensions.size(), 1)};
  for (int64_t dimension = 0; dimension < shape.rank(); ++dimension) {
    if (dimension != dimensions[0]) gather.operand_batching_dims.push_back(dimension);
  }
  gather.start_indices_batching_dims = gather.operand_batching_dims;
  TRY(InstrId made, op.emit().Add(op.scope(), Opcode::kGather, {operand, indices}, std::move(gather)));
  return op.SetResult(made);
}

Status ImportSameValue(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  return op.SetResult(operand);
}

}  // namespace stead::frontend
