#include "interp/ops/reduce.h"

#include <algorithm>
#include <numeric>

#include "interp/box.h"
#include "interp/evaluator.h"
#include "interp/scalar_computation.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;
using ir::RowMajorStrides;
using ir::Shape;

// An array regarded as rows of equal length.
struct Rows {
  std::vector<std::byte> bytes;
  int64_t row_bytes = 0;
};

// The operand with its reduced dimensions first: row r holds element r of every reduction.
Rows ReducedFirst(const Literal& operand, const Dimensions& reduced, int64_t outputs) {
  const Dimensions& extents = operand.shape().dimensions;
  std::vector<int64_t> strides = RowMajorStrides(extents);
  Dimensions order = reduced;
  std::ranges::sort(order);
  for (int64_t dim = 0; dim < operand.shape().rank(); ++dim) {
    if (std::ranges::find(reduced, dim) == reduced.end()) order.push_back(dim);
  }
  Dimensions permuted;
  BoxSide from;
  for (int64_t dim : order) {
    permuted.push_back(extents[dim]);
    from.strides.push_back(strides[dim]);
  }
  int64_t element_bytes = ir::ElementBytes(operand.shape().element_type);
  Rows rows{std::vector<std::byte>(operand.bytes().size()), outputs * element_bytes};
  CopyBox(permuted, element_bytes, operand.bytes().data(), from, rows.bytes.data(), {0, RowMajorStrides(permuted)});
  return rows;
}

// Rows start, start + 2, ... of `rows`, `count` of them.
std::vector<std::byte> EverySecondRow(const Rows& rows, int64_t start, int64_t count) {
  std::vector<std::byte> taken(static_cast<size_t>(count * rows.row_bytes));
  for (int64_t row = 0; row < count; ++row) {
    std::copy_n(rows.bytes.data() + (start + 2 * row) * rows.row_bytes, rows.row_bytes,
                taken.data() + row * rows.row_bytes);
  }
  return taken;
}

// Combines rows 2r and 2r + 1 of every operand; a last row without a partner stays last. Halves `row_count`, rounding up.
Status CombineNeighbours(ScalarComputation& combine, std::vector<Rows>& operands, int64_t& row_count, int64_t outputs) {
  int64_t pairs = row_count / 2;
  std::vector<std::vector<std::byte>> lefts, rights;
  for (const Rows& rows : operands) {
    lefts.push_back(EverySecondRow(rows, 0, pairs));
    rights.push_back(EverySecondRow(rows, 1, pairs));
  }
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> results;
  for (const std::vector<std::byte>& left : lefts) inputs.push_back(left.data());
  for (const std::vector<std::byte>& right : rights) inputs.push_back(right.data());
  for (std::vector<std::byte>& left : lefts) results.push_back(left.data());
  TRY_STATUS(combine.Run(inputs, results, pairs * outputs));
  for (size_t number = 0; number < operands.size(); ++number) {
    Rows& rows = operands[number];
    if (row_count % 2 == 1)
      lefts[number].insert(lefts[number].end(), rows.bytes.end() - rows.row_bytes, rows.bytes.end());
    rows.bytes = std::move(lefts[number]);
  }
  row_count = pairs + row_count % 2;
  return {};
}

Shape ElementShape(const Shape& shape, size_t number) { return shape.is_tuple() ? shape.elements.at(number) : shape; }

Literal OneOrTuple(const Shape& shape, std::vector<Literal> results) {
  return shape.is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results.front());
}

}  // namespace

Result<Literal> EvaluateReduce(const OpCall& call) {
  size_t count = call.operands.size() / 2;
  const Dimensions& reduced = call.instruction.As<ir::DimensionsAttributes>().dimensions;
  ScalarComputation& combine = call.evaluator.Scalars(call.instruction.called.at(0));
  int64_t outputs = ElementShape(call.shape(), 0).element_count();
  int64_t row_count = 1;
  for (int64_t dim : reduced) row_count *= call.operand(0).shape().dimensions.at(static_cast<size_t>(dim));

  std::vector<Literal> results;
  for (size_t number = 0; number < count; ++number) {
    results.push_back(Splat(ElementShape(call.shape(), number), call.operand(count + number)));
  }
  if (row_count == 0 || outputs == 0) return OneOrTuple(call.shape(), std::move(results));

  std::vector<Rows> operands;
  for (size_t number = 0; number < count; ++number)
    operands.push_back(ReducedFirst(call.operand(number), reduced, outputs));
  while (row_count > 1) TRY_STATUS(CombineNeighbours(combine, operands, row_count, outputs));

  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> places;
  for (Literal& result : results) inputs.push_back(result.bytes().data());
  for (const Rows& rows : operands) inputs.push_back(rows.bytes.data());
  for (Literal& result : results) places.push_back(result.mutable_bytes().data());
  TRY_STATUS(combine.Run(inputs, places, outputs));
  return OneOrTuple(call.shape(), std::move(results));
}

Result<Literal> EvaluateMap(const OpCall& call) {
  Literal result = Literal::Zeros(call.shape());
  std::vector<const std::byte*> inputs;
  for (const Literal* operand : call.operands) inputs.push_back(operand->bytes().data());
  std::byte* const outputs[] = {result.mutable_bytes().data()};
  TRY_STATUS(call.evaluator.Scalars(call.instruction.called.at(0)).Run(inputs, outputs, call.shape().element_count()));
  return result;
}

}  // namespace stead::interp
