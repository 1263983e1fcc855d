// Rules of ops that combine elements along dimensions: convolution, dot, reduce.
#include <algorithm>
#include <vector>

#include "passes/rewrite/map.h"
#include "passes/simplify/rules.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

bool HasDim(const Dimensions& dimensions, int64_t dim) {
  return std::ranges::find(dimensions, dim) != dimensions.end();
}

// The transpose's dimensions that are neither batch nor contracted, as dimensions of what it transposes.
Dimensions FreeDimensions(const Dimensions& order, const Dimensions& batch, const Dimensions& contracting) {
  Dimensions free;
  for (size_t dim = 0; dim < order.size(); ++dim) {
    int64_t number = static_cast<int64_t>(dim);
    if (!HasDim(batch, number) && !HasDim(contracting, number)) free.push_back(order[dim]);
  }
  return free;
}

Dimensions Mapped(const Dimensions& dimensions, const Dimensions& order) {
  Dimensions mapped;
  for (int64_t dim : dimensions) mapped.push_back(order[static_cast<size_t>(dim)]);
  return mapped;
}

// A dot names the dimensions it contracts, so it can read an operand as it was before a transpose; free dimensions come out
// in the operand's order, which the transpose must not have changed.
InstrId DotOfTranspose(Builder& build, const Instruction& dot) {
  if (dot.operands.size() != 2) return kNoValue;
  ir::DotAttributes attributes = dot.As<ir::DotAttributes>();
  std::vector<InstrId> operands = dot.operands;
  for (size_t side : {0, 1}) {
    const Instruction& transpose = build.module().instruction(operands[side]);
    if (transpose.opcode != Opcode::kTranspose) continue;
    const Dimensions& order = transpose.As<ir::DimensionsAttributes>().dimensions;
    Dimensions& batch = side == 0 ? attributes.lhs_batch : attributes.rhs_batch;
    Dimensions& contracting = side == 0 ? attributes.lhs_contracting : attributes.rhs_contracting;
    if (!std::ranges::is_sorted(FreeDimensions(order, batch, contracting))) continue;
    batch = Mapped(batch, order);
    contracting = Mapped(contracting, order);
    operands[side] = transpose.operands[0];
  }
  if (operands == dot.operands) return kNoValue;
  InstrId made = build.Op(Opcode::kDot, dot.shape, std::move(operands), std::move(attributes));
  build.module().SetExtra(made, dot.extra);
  return made;
}

// A convolution counts the zeros around its input as padding of its window. They are not multiplied then, with weights that are
// not finite either.
InstrId ConvolutionOfPad(Builder& build, const Instruction& convolution) {
  const Instruction& pad = build.module().instruction(convolution.operands[0]);
  if (pad.opcode != Opcode::kPad || KnownReal(build.module(), pad.operands[1]) != 0.0) return kNoValue;
  const auto& around = pad.As<ir::PadAttributes>();
  ir::ConvolutionAttributes attributes = convolution.As<ir::ConvolutionAttributes>();
  const auto is_padded = [&](int64_t dim) { return around.low[dim] != 0 || around.high[dim] != 0; };
  const auto is_foreign = [](int64_t count) { return count < 0; };
  if (is_padded(attributes.input_batch) || is_padded(attributes.input_feature) ||
      std::ranges::any_of(around.low, is_foreign) || std::ranges::any_of(around.high, is_foreign) ||
      std::ranges::any_of(around.interior, [](int64_t count) { return count != 0; }))
    return kNoValue;
  for (size_t spatial = 0; spatial < attributes.window.size(); ++spatial) {
    ir::WindowDimension& window = attributes.window[spatial];
    const int64_t dim = attributes.input_spatial[spatial];
    if (is_padded(dim) && window.base_dilation != 1) return kNoValue;
    window.padding_low += around.low[dim];
    window.padding_high += around.high[dim];
  }
  const std::vector<InstrId> operands{pad.operands[0], convolution.operands[1]};
  InstrId made = build.Op(Opcode::kConvolution, convolution.shape, operands, std::move(attributes));
  build.module().SetExtra(made, convolution.extra);
  return made;
}

// A reduction along dimensions of extent 1 combines each element with the initial value, once.
InstrId ReduceOfUnitDimensions(Builder& build, const Instruction& reduce) {
  if (!IsScalarExpression(build.module(), reduce.called[0])) return kNoValue;
  const Dimensions extents = build.module().shape(reduce.operands[0]).dimensions;
  const Dimensions& reduced = reduce.As<ir::DimensionsAttributes>().dimensions;
  bool combines = std::ranges::any_of(reduced, [&](int64_t dim) { return extents[static_cast<size_t>(dim)] != 1; });
  if (combines) return kNoValue;
  Dimensions kept;
  for (int64_t dim = 0; dim < static_cast<int64_t>(extents.size()); ++dim) {
    if (std::ranges::count(reduced, dim) == 0) kept.push_back(extents[static_cast<size_t>(dim)]);
  }
  const size_t arrays = reduce.operands.size() / 2;
  std::vector<InstrId> arguments;
  for (size_t array = 0; array < arrays; ++array)
    arguments.push_back(build.Splat(reduce.operands[arrays + array], kept));
  for (size_t array = 0; array < arrays; ++array) arguments.push_back(build.Reshape(reduce.operands[array], kept));
  return MapExpression(build, reduce.called[0], arguments, kept);
}

constexpr Rule kContractionRules[] = {
    {Opcode::kConvolution, ConvolutionOfPad},
    {Opcode::kDot, DotOfTranspose},
    {Opcode::kReduce, ReduceOfUnitDimensions},
};

}  // namespace

std::span<const Rule> ContractionRules() { return kContractionRules; }

}  // namespace stead::passes
