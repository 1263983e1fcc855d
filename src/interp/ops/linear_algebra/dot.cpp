#include "interp/ops/linear_algebra/dot.h"

#include <algorithm>

#include "interp/box.h"
#include "interp/ops/complex_math.h"
#include "interp/wide_arithmetic.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;

// An operand as [batch, free, contracting].
struct MatrixDims {
  Dimensions batch, free, contracting;
};

MatrixDims Classify(const ir::Shape& shape, const Dimensions& batch, const Dimensions& contracting) {
  MatrixDims dims{batch, {}, contracting};
  for (int64_t dim = 0; dim < shape.rank(); ++dim) {
    bool named =
        std::ranges::find(batch, dim) != batch.end() || std::ranges::find(contracting, dim) != contracting.end();
    if (!named) dims.free.push_back(dim);
  }
  return dims;
}

int64_t Volume(const ir::Shape& shape, const Dimensions& dims) {
  int64_t volume = 1;
  for (int64_t dim : dims) volume *= shape.dimensions[dim];
  return volume;
}

// The elements of an operand in the order of three groups of dimensions.
template <typename Wide>
std::vector<Wide> ReadAs(const Literal& operand, const Dimensions& first, const Dimensions& second,
                         const Dimensions& third) {
  Dimensions order = first;
  order.insert(order.end(), second.begin(), second.end());
  order.insert(order.end(), third.begin(), third.end());
  return Permute(ReadAll<Wide>(operand), operand.shape().dimensions, order);
}

}  // namespace

// result[batch, left free, right free] = sum over contracting of left * right
Result<Literal> EvaluateDot(const OpCall& call) {
  if (call.operands.size() != 2) return UnsupportedOp(call.module, call.id);
  const auto& attributes = call.instruction.As<ir::DotAttributes>();
  const ir::Shape& left_shape = call.operand(0).shape();
  const ir::Shape& right_shape = call.operand(1).shape();
  MatrixDims left_dims = Classify(left_shape, attributes.lhs_batch, attributes.lhs_contracting);
  MatrixDims right_dims = Classify(right_shape, attributes.rhs_batch, attributes.rhs_contracting);
  int64_t batches = Volume(left_shape, left_dims.batch);
  int64_t rows = Volume(left_shape, left_dims.free);
  int64_t columns = Volume(right_shape, right_dims.free);
  int64_t depth = Volume(left_shape, left_dims.contracting);
  return VisitWide(call.shape().element_type, [&]<typename Wide>() -> Result<Literal> {
    if (!Fits<Wide>(call.operand(0)) || !Fits<Wide>(call.operand(1))) return UnsupportedOp(call.module, call.id);
    std::vector<Wide> left = ReadAs<Wide>(call.operand(0), left_dims.batch, left_dims.free, left_dims.contracting);
    std::vector<Wide> right = ReadAs<Wide>(call.operand(1), right_dims.batch, right_dims.contracting, right_dims.free);
    std::vector<Wide> result(static_cast<size_t>(batches * rows * columns), Wide(0));
    for (int64_t row = 0; row < batches * rows; ++row) {
      Wide* sums = result.data() + row * columns;
      const Wide* matrix = right.data() + row / rows * depth * columns;
      for (int64_t step = 0; step < depth; ++step)
        AddScaled(sums, matrix + step * columns, left[row * depth + step], columns);
    }
    return WriteAll(call.shape(), result);
  });
}

}  // namespace stead::interp
