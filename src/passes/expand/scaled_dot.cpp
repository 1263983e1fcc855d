#include "passes/expand/scaled_dot.h"

#include <algorithm>

#include "passes/expand/array_math.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// The scale of its block for every element: f32[4,2] becomes f32[4,1,2,32] and then f32[4,64].
InstrId OverBlocks(Builder& build, InstrId scale, const Dimensions& dimensions) {
  const Shape shape = build.module().shape(scale);
  if (shape.is_scalar()) return build.Splat(scale, dimensions);
  Dimensions spread, places;
  for (size_t dim = 0; dim < dimensions.size(); ++dim) {
    int64_t blocks = shape.dimensions[dim];
    places.push_back(static_cast<int64_t>(spread.size()));
    spread.push_back(blocks);
    spread.push_back(blocks == 0 ? 1 : dimensions[dim] / blocks);
  }
  InstrId blocks = build.Op(Opcode::kBroadcast, Shape::Array(shape.element_type, std::move(spread)), {scale},
                            ir::DimensionsAttributes{std::move(places)});
  return build.Reshape(blocks, dimensions);
}

InstrId ScaledOperand(Builder& build, InstrId operand, InstrId scale) {
  ArrayMath math(build);
  const Dimensions dimensions = build.module().shape(operand).dimensions;
  InstrId factors = OverBlocks(build, math.Convert(scale, ElementType::kBF16), dimensions);
  return math.Multiply(math.Convert(operand, ElementType::kBF16), factors);
}

bool WriteOutScaledDot(ir::Module& module, InstrId id) {
  const Instruction& dot = module.instruction(id);
  bool row_major = dot.shape.is_row_major();
  for (InstrId operand : dot.operands) row_major &= module.shape(operand).is_row_major();
  if (!row_major) return false;
  const Shape shape = dot.shape;
  const ir::DotAttributes attributes = dot.As<ir::DotAttributes>();
  Builder build(module, id);
  InstrId lhs = ScaledOperand(build, module.operand(id, 0), module.operand(id, 2));
  InstrId rhs = ScaledOperand(build, module.operand(id, 1), module.operand(id, 3));
  if (!Replace(module, id, build.Op(Opcode::kDot, shape, {lhs, rhs}, attributes))) return false;
  module.Erase(id);
  return true;
}

}  // namespace

Result<PassReport> ExpandScaledDots(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kScaledDot) changed |= WriteOutScaledDot(module, id);
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
