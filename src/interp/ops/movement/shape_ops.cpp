#include "interp/ops/movement/shape_ops.h"

#include <algorithm>
#include <numeric>

#include "interp/box.h"
#include "interp/elements.h"
#include "ir/literal_layout.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;
using ir::RowMajorStrides;
using ir::Shape;

// How far apart neighbours lie in memory that is ordered as the shape's layout says.
std::vector<int64_t> LayoutStrides(const Shape& shape) {
  if (shape.layout.minor_to_major.empty()) return RowMajorStrides(shape.dimensions);
  std::vector<int64_t> strides(shape.dimensions.size(), 1);
  int64_t stride = 1;
  for (int64_t dim : shape.layout.minor_to_major) {
    strides[dim] = stride;
    stride *= shape.dimensions[dim];
  }
  return strides;
}

// For one dimension of a pad: the operand indices [first, last) that land inside the result.
struct PadRange {
  int64_t first = 0, last = 0, target = 0;  // `target`: result index of `first`
};

PadRange RangeInside(int64_t operand_extent, int64_t result_extent, int64_t low, int64_t step) {
  PadRange range;
  range.first = low >= 0 ? 0 : (-low + step - 1) / step;
  range.target = low + range.first * step;
  // index i lands at low + i * step, which must stay below result_extent
  int64_t end = result_extent > low ? (result_extent - low + step - 1) / step : 0;
  range.last = std::max(range.first, std::min(operand_extent, end));
  return range;
}

}  // namespace

Result<Literal> EvaluateBroadcast(const OpCall& call) {
  const Literal& operand = call.operand(0);
  const Dimensions& dimensions = call.instruction.As<ir::DimensionsAttributes>().dimensions;
  std::vector<int64_t> operand_strides = RowMajorStrides(operand.shape().dimensions);
  BoxSide from{0, std::vector<int64_t>(call.shape().dimensions.size(), 0)};
  for (size_t dim = 0; dim < dimensions.size(); ++dim) {
    // StableHLO stretches an extent of 1; its only element stands for all.
    if (operand.shape().dimensions[dim] != 1) from.strides[dimensions[dim]] = operand_strides[dim];
  }
  Literal result = Literal::Zeros(call.shape());
  CopyBox(call.shape().dimensions, operand, from, result, {0, RowMajorStrides(call.shape().dimensions)});
  return result;
}

Result<Literal> EvaluateConcatenate(const OpCall& call) {
  int64_t dim = call.instruction.As<ir::DimensionsAttributes>().dimensions.at(0);
  std::vector<int64_t> result_strides = RowMajorStrides(call.shape().dimensions);
  Literal result = Literal::Zeros(call.shape());
  int64_t position = 0;
  for (const Literal* operand : call.operands) {
    const Dimensions& extents = operand->shape().dimensions;
    CopyBox(extents, *operand, {0, RowMajorStrides(extents)}, result, {position * result_strides[dim], result_strides});
    position += extents[dim];
  }
  return result;
}

Result<Literal> EvaluatePad(const OpCall& call) {
  const Literal& operand = call.operand(0);
  const auto& attributes = call.instruction.As<ir::PadAttributes>();
  Literal result = Splat(call.shape(), call.operand(1));
  std::vector<int64_t> operand_strides = RowMajorStrides(operand.shape().dimensions);
  std::vector<int64_t> result_strides = RowMajorStrides(call.shape().dimensions);
  BoxSide from{0, operand_strides};
  BoxSide to{0, result_strides};
  Dimensions extents(operand.shape().dimensions.size());
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    int64_t step = attributes.interior[dim] + 1;
    PadRange range =
        RangeInside(operand.shape().dimensions[dim], call.shape().dimensions[dim], attributes.low[dim], step);
    extents[dim] = range.last - range.first;
    from.offset += range.first * operand_strides[dim];
    to.offset += range.target * result_strides[dim];
    to.strides[dim] = step * result_strides[dim];
  }
  CopyBox(extents, operand, from, result, to);
  return result;
}

Result<Literal> EvaluateReverse(const OpCall& call) {
  const Dimensions& extents = call.shape().dimensions;
  std::vector<int64_t> strides = RowMajorStrides(extents);
  BoxSide from{0, strides};
  for (int64_t dim : call.instruction.As<ir::DimensionsAttributes>().dimensions) {
    from.offset += (extents[dim] - 1) * strides[dim];
    from.strides[dim] = -strides[dim];
  }
  Literal result = Literal::Zeros(call.shape());
  CopyBox(extents, call.operand(0), from, result, {0, strides});
  return result;
}

Result<Literal> EvaluateSlice(const OpCall& call) {
  const auto& attributes = call.instruction.As<ir::SliceAttributes>();
  std::vector<int64_t> operand_strides = RowMajorStrides(call.operand(0).shape().dimensions);
  BoxSide from{Dot(attributes.starts, operand_strides), operand_strides};
  for (size_t dim = 0; dim < operand_strides.size(); ++dim) from.strides[dim] *= attributes.strides[dim];
  Literal result = Literal::Zeros(call.shape());
  CopyBox(call.shape().dimensions, call.operand(0), from, result, {0, RowMajorStrides(call.shape().dimensions)});
  return result;
}

Result<Literal> EvaluateTranspose(const OpCall& call) {
  const Dimensions& permutation = call.instruction.As<ir::DimensionsAttributes>().dimensions;
  std::vector<int64_t> operand_strides = RowMajorStrides(call.operand(0).shape().dimensions);
  BoxSide from{0, std::vector<int64_t>(permutation.size())};
  for (size_t dim = 0; dim < permutation.size(); ++dim) from.strides[dim] = operand_strides[permutation[dim]];
  Literal result = Literal::Zeros(call.shape());
  CopyBox(call.shape().dimensions, call.operand(0), from, result, {0, RowMajorStrides(call.shape().dimensions)});
  return result;
}

Result<Literal> EvaluateIota(const OpCall& call) {
  const Dimensions& extents = call.shape().dimensions;
  int64_t dim = call.instruction.As<ir::DimensionsAttributes>().dimensions.at(0);
  std::vector<int64_t> numbers(static_cast<size_t>(extents.at(dim)));
  std::iota(numbers.begin(), numbers.end(), 0);
  Literal line = WriteAll(Shape::Array(call.shape().element_type, {extents[dim]}), numbers);
  BoxSide from{0, std::vector<int64_t>(extents.size(), 0)};
  from.strides[dim] = 1;
  Literal result = Literal::Zeros(call.shape());
  CopyBox(extents, line, from, result, {0, RowMajorStrides(extents)});
  return result;
}

Result<Literal> EvaluateReshape(const OpCall& call) { return call.operand(0).WithShape(call.shape()); }

Result<Literal> EvaluateBitcast(const OpCall& call) {
  const Literal& operand = call.operand(0);
  const Shape& operand_shape = call.module.shape(call.instruction.operands.at(0));
  const Dimensions& extents = operand_shape.dimensions;
  if (operand_shape.is_row_major() && call.shape().is_row_major()) return operand.WithShape(call.shape());
  if (operand_shape.is_packed() || call.shape().is_packed()) {
    std::vector<std::byte> bytes(static_cast<size_t>(operand_shape.byte_size()));
    ir::StoreInLayout(operand, operand_shape, bytes);
    return ir::LoadFromLayout(call.shape(), bytes);
  }
  Literal memory = Literal::Zeros(Shape::Array(operand_shape.element_type, extents));
  CopyBox(extents, operand, {0, RowMajorStrides(extents)}, memory, {0, LayoutStrides(operand_shape)});
  memory = memory.WithShape(call.shape());
  Literal result = Literal::Zeros(call.shape());
  CopyBox(call.shape().dimensions, memory, {0, LayoutStrides(call.shape())}, result,
          {0, RowMajorStrides(call.shape().dimensions)});
  return result;
}

Result<Literal> EvaluateBitcastConvert(const OpCall& call) {
  const Literal& operand = call.operand(0);
  int operand_bits = ir::ElementBits(operand.shape().element_type);
  int result_bits = ir::ElementBits(call.shape().element_type);
  if (operand_bits >= 8 && result_bits >= 8) return operand.WithShape(call.shape());
  // Elements below 8 bits fill a byte in memory but are packed, first element lowest, when their bits are read as another type.
  Literal result = Literal::Zeros(call.shape());
  std::span<std::byte> bytes = result.mutable_bytes();
  int64_t total_bits = operand.shape().element_count() * operand_bits;
  for (int64_t bit = 0; bit < total_bits; ++bit) {
    int64_t operand_bytes = ir::ElementBytes(operand.shape().element_type);
    int64_t result_bytes = ir::ElementBytes(call.shape().element_type);
    int64_t from = bit / operand_bits * operand_bytes * 8 + bit % operand_bits;
    int64_t to = bit / result_bits * result_bytes * 8 + bit % result_bits;
    auto value = (operand.bytes()[from / 8] >> (from % 8)) & std::byte{1};
    bytes[to / 8] |= value << (to % 8);
  }
  if (!ir::IsSigned(call.shape().element_type) || result_bits >= 8) return result;
  // Signed elements are kept extended by their sign.
  return WriteAll(call.shape(), ReadAll<int64_t>(result));
}

}  // namespace stead::interp
