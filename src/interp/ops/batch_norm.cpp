// batch-norm-inference, -training and -grad, from their definitions in the StableHLO specification.
#include <cmath>

#include "interp/box.h"
#include "interp/elements.h"
#include "interp/ops/linear_algebra/linear_algebra.h"
#include "ir/extra_number.h"

namespace stead::interp {
namespace {

using ir::Literal;
using Values = std::vector<double>;

// Which feature each element of the operand belongs to, and how many elements a feature has.
struct Features {
  std::vector<int64_t> of;
  int64_t count = 0;
  double elements_each = 0;
};

Features FeaturesOf(const OpCall& call) {
  const ir::Dimensions& extents = call.operand(0).shape().dimensions;
  size_t dim = static_cast<size_t>(ir::ExtraNumber<int64_t>(call.instruction, "feature_index").value_or(0));
  Features features;
  for (IndexCounter index(extents); index.valid(); index.Advance()) features.of.push_back(index[dim]);
  features.count = extents.at(dim);
  features.elements_each = static_cast<double>(features.of.size()) / static_cast<double>(features.count);
  return features;
}

// Sums value(k) over the elements k of each feature.
template <typename Value>
Values SumByFeature(const Features& features, Value value) {
  Values sums(static_cast<size_t>(features.count), 0);
  for (size_t element = 0; element < features.of.size(); ++element) sums[features.of[element]] += value(element);
  return sums;
}

Literal Normalize(const ir::Shape& shape, const Features& features, Values operand, const Values& scale,
                  const Values& offset, const Values& mean, const Values& variance, double epsilon) {
  for (size_t element = 0; element < operand.size(); ++element) {
    int64_t feature = features.of[element];
    double normal = (operand[element] - mean[feature]) / std::sqrt(variance[feature] + epsilon);
    operand[element] = normal * scale[feature] + offset[feature];
  }
  return WriteAll(shape, operand);
}

}  // namespace

Result<Literal> EvaluateBatchNormInference(const OpCall& call) {
  auto read = [&](size_t number) { return ReadAll<double>(call.operand(number)); };
  double epsilon = ir::ExtraNumber<double>(call.instruction, "epsilon").value_or(0);
  return Normalize(call.shape(), FeaturesOf(call), read(0), read(1), read(2), read(3), read(4), epsilon);
}

Result<Literal> EvaluateBatchNormTraining(const OpCall& call) {
  Features features = FeaturesOf(call);
  Values operand = ReadAll<double>(call.operand(0));
  Values mean = SumByFeature(features, [&](size_t element) { return operand[element] / features.elements_each; });
  Values variance = SumByFeature(features, [&](size_t element) {
    double distance = operand[element] - mean[features.of[element]];
    return distance * distance / features.elements_each;
  });
  Literal normal = Normalize(call.shape().elements.at(0), features, operand, ReadAll<double>(call.operand(1)),
                             ReadAll<double>(call.operand(2)), mean, variance,
                             ir::ExtraNumber<double>(call.instruction, "epsilon").value_or(0));
  return Literal::Tuple(
      {normal, WriteAll(call.shape().elements.at(1), mean), WriteAll(call.shape().elements.at(2), variance)});
}

Result<Literal> EvaluateBatchNormGrad(const OpCall& call) {
  Features features = FeaturesOf(call);
  double epsilon = ir::ExtraNumber<double>(call.instruction, "epsilon").value_or(0);
  auto read = [&](size_t number) { return ReadAll<double>(call.operand(number)); };
  Values operand = read(0), scale = read(1), mean = read(2), variance = read(3), gradient = read(4);
  auto centered = [&](size_t element) { return operand[element] - mean[features.of[element]]; };
  Values offset_gradient = SumByFeature(features, [&](size_t element) { return gradient[element]; });
  Values moments = SumByFeature(features, [&](size_t element) { return gradient[element] * centered(element); });
  Values scale_gradient = moments;
  for (size_t feature = 0; feature < moments.size(); ++feature)
    scale_gradient[feature] /= std::sqrt(variance[feature] + epsilon);
  Values operand_gradient(operand.size());
  for (size_t element = 0; element < operand.size(); ++element) {
    int64_t feature = features.of[element];
    double spread = variance[feature] + epsilon;
    double rest = gradient[element] * features.elements_each - offset_gradient[feature] -
                  moments[feature] * centered(element) / spread;
    operand_gradient[element] = scale[feature] / std::sqrt(spread) / features.elements_each * rest;
  }
  const std::vector<ir::Shape>& shapes = call.shape().elements;
  return Literal::Tuple({WriteAll(shapes.at(0), operand_gradient), WriteAll(shapes.at(1), scale_gradient),
                         WriteAll(shapes.at(2), offset_gradient)});
}

}  // namespace stead::interp
