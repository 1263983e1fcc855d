#include "passes/expand/array_math.h"

#include <numeric>

namespace stead::passes {

using ir::Dimensions;
using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

namespace {

ir::Literal FloatLiteral(ElementType type, double value) {
  if (type == ElementType::kF64) return ir::Literal::FromVector<double>(Shape::Array(type, {}), {value});
  return ir::Literal::FromVector<float>(Shape::Array(type, {}), {static_cast<float>(value)});
}

}  // namespace

InstrId ArrayMath::Of(Opcode opcode, InstrId left, InstrId right) {
  return build_.Op(opcode, shape(left), {left, right});
}

InstrId ArrayMath::Of(Opcode opcode, InstrId operand) { return build_.Op(opcode, shape(operand), {operand}); }

InstrId ArrayMath::Convert(InstrId operand, ElementType type) {
  if (shape(operand).element_type == type) return operand;
  return build_.Op(Opcode::kConvert, Shape::Array(type, shape(operand).dimensions), {operand});
}

InstrId ArrayMath::Number(ElementType type, double value, const Dimensions& dimensions) {
  return build_.Splat(build_.Constant(FloatLiteral(type, value)), dimensions);
}

InstrId ArrayMath::Along(InstrId vector, int64_t dim, const Dimensions& dimensions) {
  return build_.Op(Opcode::kBroadcast, Shape::Array(shape(vector).element_type, dimensions), {vector},
                   ir::DimensionsAttributes{{dim}});
}

InstrId ArrayMath::SumAllBut(InstrId operand, int64_t dim) {
  const Shape summed = shape(operand);
  Dimensions others(summed.dimensions.size());
  std::iota(others.begin(), others.end(), 0);
  std::erase(others, dim);
  InstrId zero = build_.Constant(ir::Literal::Zeros(Shape::Array(summed.element_type, {})));
  InstrId sum = build_.Op(Opcode::kReduce, Shape::Array(summed.element_type, {summed.dimensions.at(dim)}),
                          {operand, zero}, ir::DimensionsAttributes{std::move(others)});
  build_.module().SetCalled(sum, {Addition(summed.element_type)});
  return sum;
}

ir::ComputationId ArrayMath::Addition(ElementType type) {
  ir::Module& module = build_.module();
  ir::ComputationId addition = module.AddComputation("add");
  const Shape scalar = Shape::Array(type, {});
  std::vector<InstrId> terms;
  for (int64_t number : {0, 1}) {
    terms.push_back(module.Add(
        addition, {.opcode = Opcode::kParameter, .shape = scalar, .attributes = ir::ParameterAttributes{number}}));
  }
  module.SetRoot(addition, module.Add(addition, {.opcode = Opcode::kAdd, .shape = scalar, .operands = terms}));
  return addition;
}

}  // namespace stead::passes
