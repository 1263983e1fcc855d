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

// result[batch, left free, right free] = sum over contracting of left * right
Result<Literal> Product(const OpCall& call, const Literal& left_operand, const Literal& right_operand) {
  const auto& attributes = call.instruction.As<ir::DotAttributes>();
  const ir::Shape& left_shape = left_operand.shape();
  const ir::Shape& right_shape = right_operand.shape();
  MatrixDims left_dims = Classify(left_shape, attributes.lhs_batch, attributes.lhs_contracting);
  MatrixDims right_dims = Classify(right_shape, attributes.rhs_batch, attributes.rhs_contracting);
  int64_t batches = Volume(left_shape, left_dims.batch);
  int64_t rows = Volume(left_shape, left_dims.free);
  int64_t columns = Volume(right_shape, right_dims.free);
  int64_t depth = Volume(left_shape, left_dims.contracting);
  return VisitWide(call.shape().element_type, [&]<typename Wide>() -> Result<Literal> {
    if (!Fits<Wide>(left_operand) || !Fits<Wide>(right_operand)) return UnsupportedOp(call.module, call.id);
    std::vector<Wide> left = ReadAs<Wide>(left_operand, left_dims.batch, left_dims.free, left_dims.contracting);
    std::vector<Wide> right = ReadAs<Wide>(right_operand, right_dims.batch, right_dims.contracting, right_dims.free);
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

Literal ToBFloat16(const Literal& literal) {
  return WriteAll(ir::Shape::Array(ir::ElementType::kBF16, literal.shape().dimensions), ReadAll<double>(literal));
}

// Each element times the scale of the block that it lies in, as bf16.
Literal Scaled(const Literal& operand, const Literal& scale) {
  Literal result = ToBFloat16(operand);
  std::vector<double> numbers = ReadAll<double>(result);
  const std::vector<double> factors = ReadAll<double>(ToBFloat16(scale));
  const Dimensions& dimensions = operand.shape().dimensions;
  const Dimensions& blocks = scale.shape().dimensions;
  size_t element = 0;
  for (IndexCounter index(dimensions); index.valid(); index.Advance()) {
    int64_t factor = 0;
    for (size_t dim = 0; dim < blocks.size(); ++dim) {
      factor = factor * blocks[dim] + index[dim] / (dimensions[dim] / blocks[dim]);
    }
    numbers[element++] *= factors[static_cast<size_t>(factor)];
  }
  return WriteAll(result.shape(), numbers);
}

}  // namespace

Result<Literal> EvaluateDot(const OpCall& call) {
  if (call.operands.size() != 2) return UnsupportedOp(call.module, call.id);
  return Product(call, call.operand(0), call.operand(1));
}

Result<Literal> EvaluateScaledDot(const OpCall& call) {
  return Product(call, Scaled(call.operand(0), call.operand(2)), Scaled(call.operand(1), call.operand(3)));
}

}  // namespace stead::interp
