#include "passes/expand/batch_norm.h"

#include <algorithm>

#include "ir/extra_number.h"
#include "passes/expand/array_math.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

bool IsBatchNorm(Opcode opcode) {
  return opcode == Opcode::kBatchNormInference || opcode == Opcode::kBatchNormTraining ||
         opcode == Opcode::kBatchNormGrad;
}

bool IsRowMajor(const Shape& shape) {
  return shape.is_tuple() ? std::ranges::all_of(shape.elements, IsRowMajor) : shape.is_row_major();
}

// One batch norm as the formulas of the StableHLO specification. A vector holds one number per feature.
class BatchNorm {
 public:
  BatchNorm(ir::Module& module, InstrId id, int64_t feature, double epsilon)
      : build_(module, id), math_(build_), id_(id), feature_(feature), epsilon_(epsilon) {
    const Shape& operand = module.shape(module.operand(id, 0));
    dimensions_ = operand.dimensions;
    features_ = {dimensions_.at(static_cast<size_t>(feature))};
    type_ = ir::ElementBits(operand.element_type) < 32 ? ElementType::kF32 : operand.element_type;
    elements_each_ =
        static_cast<double>(operand.element_count()) / static_cast<double>(std::max<int64_t>(features_[0], 1));
  }

  InstrId Written() {
    switch (build_.module().instruction(id_).opcode) {
      case Opcode::kBatchNormInference: return Inference();
      case Opcode::kBatchNormTraining: return Training();
      default: return Gradient();
    }
  }

 private:
  InstrId Inference() {
    InstrId centered = Centered(Operand(0), Operand(3));
    return Rounded(ScaledAndShifted(centered, Operand(4)), build_.module().shape(id_).element_type);
  }

  InstrId Training() {
    InstrId mean = Mean(Operand(0));
    InstrId centered = Centered(Operand(0), mean);
    InstrId variance = Mean(math_.Multiply(centered, centered));
    return Results({ScaledAndShifted(centered, variance), mean, variance});
  }

  // With g the gradient of the result, n elements per feature, deviation = sqrt(variance + epsilon), and sums per feature:
  //   offset' = sum(g)   moment = sum(g * centered)   scale' = moment / deviation
  //   operand' = scale / deviation / n * (n * g - offset' - centered * moment / deviation^2)
  InstrId Gradient() {
    InstrId centered = Centered(Operand(0), Operand(2));
    InstrId gradient = Operand(4);
    InstrId offset_gradient = math_.SumAllBut(gradient, feature_);
    InstrId moment = math_.SumAllBut(math_.Multiply(gradient, centered), feature_);
    InstrId deviation = Deviation(Operand(3));
    InstrId scale_gradient = math_.Divide(moment, deviation);
    InstrId count = math_.Number(type_, elements_each_, features_);
    InstrId factor = math_.Divide(math_.Divide(Operand(1), deviation), count);
    InstrId rest = math_.Multiply(gradient, math_.Number(type_, elements_each_, dimensions_));
    rest = math_.Subtract(rest, OverArray(offset_gradient));
    rest = math_.Subtract(rest, math_.Multiply(centered, OverArray(math_.Divide(scale_gradient, deviation))));
    return Results({math_.Multiply(OverArray(factor), rest), scale_gradient, offset_gradient});
  }

  InstrId Operand(size_t number) { return math_.Convert(build_.module().operand(id_, number), type_); }
  InstrId OverArray(InstrId vector) { return math_.Along(vector, feature_, dimensions_); }
  InstrId Centered(InstrId array, InstrId mean) { return math_.Subtract(array, OverArray(mean)); }

  InstrId Mean(InstrId array) {
    return math_.Divide(math_.SumAllBut(array, feature_), math_.Number(type_, elements_each_, features_));
  }

  InstrId Deviation(InstrId variance) {
    return math_.Of(Opcode::kSqrt, math_.Add(variance, math_.Number(type_, epsilon_, features_)));
  }

  // centered / deviation * scale + offset, with the division done once per feature.
  InstrId ScaledAndShifted(InstrId centered, InstrId variance) {
    InstrId factor = math_.Divide(Operand(1), Deviation(variance));
    return math_.Add(math_.Multiply(centered, OverArray(factor)), OverArray(Operand(2)));
  }

  InstrId Rounded(InstrId array, ElementType type) { return math_.Convert(array, type); }

  InstrId Results(std::vector<InstrId> results) {
    const Shape shape = build_.module().shape(id_);
    for (size_t number = 0; number < results.size(); ++number) {
      results[number] = Rounded(results[number], shape.elements.at(number).element_type);
    }
    return build_.Op(Opcode::kTuple, shape, std::move(results));
  }

  Builder build_;
  ArrayMath math_;
  InstrId id_;
  int64_t feature_;
  double epsilon_;
  Dimensions dimensions_, features_;
  ElementType type_;  // that is computed with
  double elements_each_ = 0;
};

bool Expand(ir::Module& module, InstrId id) {
  const Instruction& norm = module.instruction(id);
  bool row_major = IsRowMajor(norm.shape);
  for (InstrId operand : norm.operands) row_major &= IsRowMajor(module.shape(operand));
  const int64_t feature = ir::ExtraNumber<int64_t>(norm, "feature_index").value_or(0);
  if (!row_major || feature < 0 || feature >= module.shape(norm.operands[0]).rank()) return false;
  const double epsilon = ir::ExtraNumber<double>(norm, "epsilon").value_or(0);
  if (!Replace(module, id, BatchNorm(module, id, feature, epsilon).Written())) return false;
  module.Erase(id);
  return true;
}

}  // namespace

Result<PassReport> ExpandBatchNorms(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (IsBatchNorm(module.instruction(id).opcode)) changed |= Expand(module, id);
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
