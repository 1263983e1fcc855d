#include <algorithm>

#include "interp/box.h"
#include "interp/elements.h"
#include "interp/ops/movement/indexing.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;
using ir::RowMajorStrides;

// Start indices are one scalar operand per dimension, or (in old programs) one vector.
std::vector<int64_t> StartIndices(const OpCall& call, size_t first, const Dimensions& operand,
                                  const Dimensions& window) {
  std::vector<int64_t> starts(operand.size());
  bool one_vector = call.operands.size() == first + 1 && call.operand(first).shape().rank() == 1;
  for (size_t dim = 0; dim < starts.size(); ++dim) {
    int64_t start =
        one_vector ? IndexAt(call.operand(first), static_cast<int64_t>(dim)) : IndexAt(call.operand(first + dim), 0);
    starts[dim] = std::clamp<int64_t>(start, 0, operand[dim] - window[dim]);
  }
  return starts;
}

}  // namespace

Result<Literal> EvaluateDynamicSlice(const OpCall& call) {
  const Dimensions& operand = call.operand(0).shape().dimensions;
  const Dimensions& window = call.shape().dimensions;
  std::vector<int64_t> strides = RowMajorStrides(operand);
  Literal result = Literal::Zeros(call.shape());
  CopyBox(window, call.operand(0), {Dot(StartIndices(call, 1, operand, window), strides), strides}, result,
          {0, RowMajorStrides(window)});
  return result;
}

Result<Literal> EvaluateDynamicUpdateSlice(const OpCall& call) {
  const Dimensions& operand = call.operand(0).shape().dimensions;
  const Dimensions& window = call.operand(1).shape().dimensions;
  std::vector<int64_t> strides = RowMajorStrides(operand);
  Literal result = Clone(call.operand(0));
  CopyBox(window, call.operand(1), {0, RowMajorStrides(window)}, result,
          {Dot(StartIndices(call, 2, operand, window), strides), strides});
  return result;
}

// Every dimension is static here, so its size is known from the shape.
Result<Literal> EvaluateGetDimensionSize(const OpCall& call) {
  int64_t dim = call.instruction.As<ir::DimensionsAttributes>().dimensions.at(0);
  return WriteAll(call.shape(), std::vector<int64_t>{call.operand(0).shape().dimensions.at(static_cast<size_t>(dim))});
}

}  // namespace stead::interp
