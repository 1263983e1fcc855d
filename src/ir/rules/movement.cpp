// Rules of sources (constant, iota, parameter), of ops that forward bytes (reshape, tuple, barriers), and of ops that move
// elements to places known from attributes (broadcast, concatenate, pad, reverse, slice, transpose).
#include <algorithm>

#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

Result<Shape> InferIota(const Op& op) {
  const Shape& shape = op.own_shape();
  const Dimensions& dimensions = op.attributes<DimensionsAttributes>().dimensions;
  if (!shape.is_array()) return op.Violation("", "has shape {}; `iota` makes an array", shape.ToString(false));
  if (dimensions.size() != 1 || !InRange(dimensions, shape.rank())) {
    return op.Violation("iota C1", "iota_dimension is {}, result has shape {}; it must be one of its dimensions",
                        DimensionsText(dimensions), shape.ToString(false));
  }
  return shape;
}

Result<Shape> InferReshape(const Op& op) {
  TRY_STATUS(op.RequireArrays());
  const Shape& operand = op.operand(0);
  const Shape& shape = op.own_shape();
  if (!shape.is_array()) {
    return op.Violation("", "has shape {}; `{}` makes an array", shape.ToString(false), OpcodeName(op.opcode()));
  }
  if (op.opcode() == Opcode::kBitcast) {
    if (shape.byte_size() == operand.byte_size()) return shape;
    return op.Violation("", "operand {} has {} bytes, result {} has {}; `bitcast` must keep the bytes",
                        operand.ToString(false), operand.byte_size(), shape.ToString(false), shape.byte_size());
  }
  if (shape.element_type != operand.element_type) {
    return op.Violation("reshape C1", "operand has element type {}, result has {}; they must be the same",
                        ElementTypeName(operand.element_type), ElementTypeName(shape.element_type));
  }
  if (shape.element_count() != operand.element_count()) {
    return op.Violation("reshape C2", "operand {} has {} elements, result {} has {}; they must be as many",
                        operand.ToString(false), operand.element_count(), shape.ToString(false), shape.element_count());
  }
  return shape;
}

Result<Shape> InferTupleElement(const Op& op) {
  const Shape& operand = op.operand(0);
  int64_t index = op.attributes<TupleElementAttributes>().index;
  if (!operand.is_tuple()) {
    return op.Violation("get_tuple_element I1", "operand has shape {}; it must be a tuple", operand.ToString(false));
  }
  if (index < 0 || index >= static_cast<int64_t>(operand.elements.size())) {
    return op.Violation("get_tuple_element C1", "index is {}, the tuple has {} elements", index,
                        operand.elements.size());
  }
  return operand.elements[static_cast<size_t>(index)];
}

Result<Shape> InferTuple(const Op& op) {
  if (op.opcode() == Opcode::kGetTupleElement) return InferTupleElement(op);
  std::vector<Shape> elements;
  for (size_t number = 0; number < op.operand_count(); ++number) elements.push_back(op.operand(number));
  return Shape::Tuple(std::move(elements));
}

Result<Shape> InferBarrier(const Op& op) {
  auto require_token = [&](size_t number) -> Status {
    if (op.operand(number).kind == Shape::Kind::kToken) return {};
    return op.Violation("", "operand {} has shape {}; it must be a token", number, op.operand(number).ToString(false));
  };
  if (op.opcode() == Opcode::kAfterAll) {
    for (size_t number = 0; number < op.operand_count(); ++number) TRY_STATUS(require_token(number));
    return Shape::Token();
  }
  if (op.opcode() == Opcode::kAddDependency) TRY_STATUS(require_token(1));
  return op.operand(0);
}

Result<Shape> InferBroadcast(const Op& op) {
  const Shape& operand = op.operand(0);
  const Shape& shape = op.own_shape();
  const Dimensions& dimensions = op.attributes<DimensionsAttributes>().dimensions;
  if (!shape.is_array()) return op.Violation("", "has shape {}; `broadcast` makes an array", shape.ToString(false));
  if (shape.element_type != operand.element_type) {
    return op.Violation("broadcast_in_dim C1", "operand has element type {}, result has {}; they must be the same",
                        ElementTypeName(operand.element_type), ElementTypeName(shape.element_type));
  }
  if (static_cast<int64_t>(dimensions.size()) != operand.rank()) {
    return op.Violation("broadcast_in_dim C2",
                        "dimensions is {}, operand has shape {}; there must be one for each of its dimensions",
                        DimensionsText(dimensions), operand.ToString(false));
  }
  if (!InRange(dimensions, shape.rank())) {
    return op.Violation("broadcast_in_dim C3", "dimensions is {}, result has shape {}; they must be its dimensions",
                        DimensionsText(dimensions), shape.ToString(false));
  }
  if (!AllDifferent(dimensions)) {
    return op.Violation("broadcast_in_dim C4", "dimensions is {}; they must differ", DimensionsText(dimensions));
  }
  for (size_t dim = 0; dim < dimensions.size(); ++dim) {
    int64_t extent = operand.dimensions[dim], wanted = shape.dimensions[static_cast<size_t>(dimensions[dim])];
    if (extent == wanted) continue;
    return op.Violation("broadcast_in_dim C5",
                        "dimension {} of operand {} goes to dimension {} of result {}; they must be equal", dim,
                        operand.ToString(false), dimensions[dim], shape.ToString(false));
  }
  return shape;
}

Result<Shape> InferConcatenate(const Op& op) {
  TRY_STATUS(op.RequireOperandsAtLeast(1));
  const Dimensions& dimensions = op.attributes<DimensionsAttributes>().dimensions;
  Shape result = op.operand(0);
  if (dimensions.size() != 1 || !InRange(dimensions, result.rank())) {
    return op.Violation("concatenate C4", "dimensions is {}, operand 0 has shape {}; it must be one of its dimensions",
                        DimensionsText(dimensions), result.ToString(false));
  }
  size_t joined = static_cast<size_t>(dimensions.front());
  for (size_t number = 1; number < op.operand_count(); ++number) {
    const Shape& operand = op.operand(number);
    if (operand.element_type != result.element_type) {
      return op.Violation("concatenate C1", "operand 0 has element type {}, operand {} has {}; they must be the same",
                          ElementTypeName(result.element_type), number, ElementTypeName(operand.element_type));
    }
    Dimensions expected = op.operand(0).dimensions, seen = operand.dimensions;
    bool same_rank = expected.size() == seen.size();
    if (same_rank) seen[joined] = expected[joined];
    if (expected != seen) {
      return op.Violation("concatenate C2", "operand 0 has shape {}, operand {} has {}; only dimension {} may differ",
                          op.operand(0).ToString(false), number, operand.ToString(false), joined);
    }
    if (__builtin_add_overflow(result.dimensions[joined], operand.dimensions[joined], &result.dimensions[joined])) {
      return op.Violation("concatenate C6", "the sizes along dimension {} have no sum in 64 bits", joined);
    }
  }
  return result;
}

// low + dilated + high; nothing when it is negative or beyond all bounds.
std::optional<int64_t> PaddedExtent(int64_t extent, int64_t low, int64_t high, int64_t interior) {
  __int128 padded = static_cast<__int128>(low) + high + extent;
  padded += static_cast<__int128>(std::max<int64_t>(extent - 1, 0)) * interior;
  if (padded < 0 || padded > kMaxValueBytes) return std::nullopt;
  return static_cast<int64_t>(padded);
}

Result<Shape> InferPad(const Op& op) {
  const auto& padding = op.attributes<PadAttributes>();
  Shape result = op.operand(0);
  const Shape& value = op.operand(1);
  if (!value.is_scalar() || value.element_type != result.element_type) {
    return op.Violation("pad C1", "operand has shape {}, padding value has {}; it must be a scalar of the same type",
                        result.ToString(false), value.ToString(false));
  }
  size_t rank = result.dimensions.size();
  if (padding.low.size() != rank || padding.high.size() != rank || padding.interior.size() != rank) {
    return op.Violation("pad C2", "padding has {} dimensions, operand has shape {}; they must be as many",
                        padding.low.size(), result.ToString(false));
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    if (padding.interior[dim] < 0) {
      return op.Violation("pad C3", "interior padding of dimension {} is {}; it must not be negative", dim,
                          padding.interior[dim]);
    }
    std::optional<int64_t> padded =
        PaddedExtent(result.dimensions[dim], padding.low[dim], padding.high[dim], padding.interior[dim]);
    if (!padded) {
      return op.Violation("pad C4", "padding {}_{}_{} of dimension {} of {} leaves no valid extent", padding.low[dim],
                          padding.high[dim], padding.interior[dim], dim, op.operand(0).ToString(false));
    }
    result.dimensions[dim] = *padded;
  }
  return result;
}

Result<Shape> InferReverse(const Op& op) {
  const Dimensions& dimensions = op.attributes<DimensionsAttributes>().dimensions;
  if (!AllDifferent(dimensions)) {
    return op.Violation("reverse C2", "dimensions is {}; they must differ", DimensionsText(dimensions));
  }
  if (!InRange(dimensions, op.operand(0).rank())) {
    return op.Violation("reverse C3", "dimensions is {}, operand has shape {}; they must be its dimensions",
                        DimensionsText(dimensions), op.operand(0).ToString(false));
  }
  return op.operand(0);
}

Result<Shape> InferSlice(const Op& op) {
  const auto& slice = op.attributes<SliceAttributes>();
  const Shape& operand = op.operand(0);
  Shape result = operand;
  size_t rank = operand.dimensions.size();
  if (slice.starts.size() != rank || slice.limits.size() != rank || slice.strides.size() != rank) {
    return op.Violation("slice C2", "slice has {} ranges, operand has shape {}; there must be one for each dimension",
                        slice.starts.size(), operand.ToString(false));
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t start = slice.starts[dim], limit = slice.limits[dim], stride = slice.strides[dim];
    if (start < 0 || start > limit || limit > operand.dimensions[dim]) {
      return op.Violation("slice C3", "range of dimension {} is [{}:{}], operand has shape {}; it must lie inside", dim,
                          start, limit, operand.ToString(false));
    }
    if (stride < 1) return op.Violation("slice C4", "stride of dimension {} is {}; it must be positive", dim, stride);
    result.dimensions[dim] = (limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0);
  }
  return result;
}

Result<Shape> InferTranspose(const Op& op) {
  const Shape& operand = op.operand(0);
  const Dimensions& permutation = op.attributes<DimensionsAttributes>().dimensions;
  bool complete = static_cast<int64_t>(permutation.size()) == operand.rank();
  if (!complete || !InRange(permutation, operand.rank()) || !AllDifferent(permutation)) {
    return op.Violation("transpose C2",
                        "dimensions is {}, operand has shape {}; it must be an order of all its dimensions",
                        DimensionsText(permutation), operand.ToString(false));
  }
  Dimensions dimensions;
  for (int64_t dim : permutation) dimensions.push_back(operand.dimensions[static_cast<size_t>(dim)]);
  return Shape::Array(operand.element_type, std::move(dimensions));
}

Shape WithoutLayout(Shape shape) {
  shape.layout = {};
  return shape;
}

}  // namespace

Result<Shape> InferSource(const Op& op) {
  switch (op.opcode()) {
    case Opcode::kConstant: {
      const Literal& literal = op.attributes<Literal>();
      if (literal.shape().Compatible(op.own_shape())) return op.own_shape();
      return op.Violation("constant C1", "value has shape {}, result has {}; they must be the same",
                          literal.shape().ToString(false), op.own_shape().ToString(false));
    }
    case Opcode::kIota: return InferIota(op);
    case Opcode::kParameter: return op.own_shape();
    default: return Shape::Array(ElementType::kU32, {});
  }
}

Result<Shape> InferForwarding(const Op& op) {
  switch (InfoOf(op.opcode()).family) {
    case OpFamily::kReshape: return InferReshape(op);
    case OpFamily::kTuple: return InferTuple(op);
    case OpFamily::kBarrier: return InferBarrier(op);
    default: return op.operand(0);
  }
}

Result<Shape> InferMovement(const Op& op) {
  TRY_STATUS(op.RequireOperandsAtLeast(1));
  TRY_STATUS(op.RequireArrays());
  auto infer = [&]() -> Result<Shape> {
    switch (op.opcode()) {
      case Opcode::kBroadcast: return InferBroadcast(op);
      case Opcode::kConcatenate: return InferConcatenate(op);
      case Opcode::kPad: return InferPad(op);
      case Opcode::kReverse: return InferReverse(op);
      case Opcode::kSlice: return InferSlice(op);
      case Opcode::kTranspose: return InferTranspose(op);
      default: return op.own_shape();
    }
  };
  TRY(Shape shape, infer());
  return WithoutLayout(std::move(shape));
}

}  // namespace stead::ir
