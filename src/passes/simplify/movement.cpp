// Rules of ops that rearrange elements: reshape, broadcast, transpose, reverse, concatenate, pad.
#include <algorithm>
#include <vector>

#include "passes/simplify/rules.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

const Shape& OperandShape(Builder& build, const Instruction& instruction) {
  return build.module().shape(instruction.operands[0]);
}

const Dimensions& DimensionsOf(const Instruction& instruction) {
  return instruction.As<ir::DimensionsAttributes>().dimensions;
}

bool KeepsShape(Builder& build, const Instruction& instruction) {
  return OperandShape(build, instruction) == instruction.shape;
}

// A movement of a fill is a fill.
InstrId MoveSplat(Builder& build, const Instruction& movement) {
  if (build.module().instruction(movement.operands[0]).opcode != Opcode::kBroadcast) return kNoValue;
  InstrId scalar = SplatScalar(build.module(), movement.operands[0]);
  if (!scalar.valid()) return kNoValue;
  return build.Splat(scalar, movement.shape.dimensions);
}

// A constant array with one value in all elements is a fill.
InstrId UniformConstant(Builder& build, const Instruction& constant) {
  if (!constant.shape.is_array() || constant.shape.element_count() < 2) return kNoValue;
  std::optional<ir::Literal> element = UniformElement(constant.As<ir::Literal>());
  if (!element) return kNoValue;
  return build.Splat(build.Constant(*std::move(element)), constant.shape.dimensions);
}

InstrId SameShapeReshape(Builder& build, const Instruction& reshape) {
  return KeepsShape(build, reshape) ? reshape.operands[0] : kNoValue;
}

InstrId ReshapeOfReshape(Builder& build, const Instruction& reshape) {
  const Instruction& inner = build.module().instruction(reshape.operands[0]);
  return inner.opcode == Opcode::kReshape ? build.Reshape(inner.operands[0], reshape.shape.dimensions) : kNoValue;
}

// Between row-major arrays of one type a bitcast is a reshape.
InstrId BitcastIsReshape(Builder& build, const Instruction& bitcast) {
  const Shape& operand = OperandShape(build, bitcast);
  if (!operand.is_array() || !bitcast.shape.is_array() || operand.element_type != bitcast.shape.element_type)
    return kNoValue;
  return build.Reshape(bitcast.operands[0], bitcast.shape.dimensions);
}

InstrId SameShapeBroadcast(Builder& build, const Instruction& broadcast) {
  // Equal shapes leave each dimension only one place when the map is the identity.
  return KeepsShape(build, broadcast) && std::ranges::is_sorted(DimensionsOf(broadcast)) ? broadcast.operands[0]
                                                                                         : kNoValue;
}

InstrId BroadcastOfBroadcast(Builder& build, const Instruction& broadcast) {
  const Instruction& inner = build.module().instruction(broadcast.operands[0]);
  if (inner.opcode != Opcode::kBroadcast) return kNoValue;
  Dimensions composed;
  for (int64_t dim : DimensionsOf(inner)) composed.push_back(DimensionsOf(broadcast)[static_cast<size_t>(dim)]);
  return build.Op(Opcode::kBroadcast, broadcast.shape, {inner.operands[0]},
                  ir::DimensionsAttributes{std::move(composed)});
}

// One element, whatever its rank, fills as a scalar does.
InstrId BroadcastOfOneElement(Builder& build, const Instruction& broadcast) {
  const Shape& operand = OperandShape(build, broadcast);
  if (operand.is_scalar() || operand.element_count() != 1 || broadcast.shape.element_count() == 1) return kNoValue;
  return build.Splat(build.Reshape(broadcast.operands[0], {}), broadcast.shape.dimensions);
}

// A broadcast that repeats nothing only adds dimensions of extent 1.
InstrId BroadcastIsReshape(Builder& build, const Instruction& broadcast) {
  const Shape& operand = OperandShape(build, broadcast);
  bool repeats = operand.element_count() != broadcast.shape.element_count();
  if (repeats || !std::ranges::is_sorted(DimensionsOf(broadcast))) return kNoValue;
  return build.Reshape(broadcast.operands[0], broadcast.shape.dimensions);
}

// A transpose that keeps the order of all dimensions above extent 1 moves nothing.
InstrId TransposeIsReshape(Builder& build, const Instruction& transpose) {
  const Shape& operand = OperandShape(build, transpose);
  Dimensions moved;
  for (int64_t dim : DimensionsOf(transpose)) {
    if (operand.dimensions[static_cast<size_t>(dim)] != 1) moved.push_back(dim);
  }
  return std::ranges::is_sorted(moved) ? build.Reshape(transpose.operands[0], transpose.shape.dimensions) : kNoValue;
}

InstrId TransposeOfTranspose(Builder& build, const Instruction& transpose) {
  const Instruction& inner = build.module().instruction(transpose.operands[0]);
  if (inner.opcode != Opcode::kTranspose) return kNoValue;
  Dimensions composed;
  for (int64_t dim : DimensionsOf(transpose)) composed.push_back(DimensionsOf(inner)[static_cast<size_t>(dim)]);
  return build.Op(Opcode::kTranspose, transpose.shape, {inner.operands[0]},
                  ir::DimensionsAttributes{std::move(composed)});
}

// Dimensions of size 1 that a reshape adds to or takes from a transpose do not take part in it. Without them the transpose
// can meet another one.
InstrId ReshapeOfTranspose(Builder& build, const Instruction& reshape) {
  const Instruction transpose = build.module().instruction(reshape.operands[0]);
  if (transpose.opcode != Opcode::kTranspose) return kNoValue;
  const Dimensions operand = OperandShape(build, transpose).dimensions;
  const Dimensions kept = WithoutOnes(operand);
  const Dimensions moved = WithoutOnes(transpose.shape.dimensions);
  if (kept.size() == operand.size() || moved != WithoutOnes(reshape.shape.dimensions)) return kNoValue;
  Dimensions order;
  for (int64_t dim : DimensionsOf(transpose)) {
    if (operand[static_cast<size_t>(dim)] == 1) continue;
    order.push_back(
        std::ranges::count_if(operand.begin(), operand.begin() + dim, [](int64_t size) { return size != 1; }));
  }
  InstrId inner = build.Reshape(transpose.operands[0], kept);
  InstrId value = build.Op(Opcode::kTranspose, Shape::Array(reshape.shape.element_type, moved), {inner},
                           ir::DimensionsAttributes{std::move(order)});
  return build.Reshape(value, reshape.shape.dimensions);
}

InstrId ReverseOfNothing(Builder& build, const Instruction& reverse) {
  const Shape& operand = OperandShape(build, reverse);
  bool moves = std::ranges::any_of(DimensionsOf(reverse),
                                   [&](int64_t dim) { return operand.dimensions[static_cast<size_t>(dim)] > 1; });
  return moves ? kNoValue : reverse.operands[0];
}

InstrId ConcatenateOfOne(Builder&, const Instruction& concatenate) {
  return concatenate.operands.size() == 1 ? concatenate.operands[0] : kNoValue;
}

InstrId DropEmptyPieces(Builder& build, const Instruction& concatenate) {
  std::vector<InstrId> pieces;
  for (InstrId piece : concatenate.operands) {
    if (build.module().shape(piece).element_count() > 0) pieces.push_back(piece);
  }
  if (pieces.empty() || pieces.size() == concatenate.operands.size()) return kNoValue;
  return build.Op(Opcode::kConcatenate, concatenate.shape, std::move(pieces), concatenate.attributes);
}

InstrId PadByNothing(Builder&, const Instruction& pad) {
  const ir::PadAttributes& attributes = pad.As<ir::PadAttributes>();
  for (const Dimensions* amounts : {&attributes.low, &attributes.high, &attributes.interior}) {
    if (std::ranges::any_of(*amounts, [](int64_t amount) { return amount != 0; })) return kNoValue;
  }
  return pad.operands[0];
}

// Taking elements away at a border is a slice. Between its elements the array has none of the padding yet.
InstrId PadByLess(Builder& build, const Instruction& pad) {
  ir::PadAttributes rest = pad.As<ir::PadAttributes>();
  const Dimensions operand = OperandShape(build, pad).dimensions;
  Dimensions starts(operand.size(), 0), sizes = operand;
  bool takes_away = false;
  for (size_t dim = 0; dim < operand.size(); ++dim) {
    if (rest.low[dim] >= 0 && rest.high[dim] >= 0) continue;
    const int64_t before = std::max<int64_t>(0, -rest.low[dim]), behind = std::max<int64_t>(0, -rest.high[dim]);
    if (rest.interior[dim] != 0 || before + behind > operand[dim]) return kNoValue;
    takes_away = true;
    starts[dim] = before;
    sizes[dim] -= before + behind;
    rest.low[dim] += before;
    rest.high[dim] += behind;
  }
  if (!takes_away) return kNoValue;
  InstrId kept = build.Slice(pad.operands[0], std::move(starts), std::move(sizes));
  return build.Op(Opcode::kPad, pad.shape, {kept, pad.operands[1]}, std::move(rest));
}

constexpr Rule kMovementRules[] = {
    {Opcode::kConstant, UniformConstant},
    {Opcode::kBitcast, BitcastIsReshape},
    {Opcode::kReshape, SameShapeReshape},
    {Opcode::kReshape, ReshapeOfReshape},
    {Opcode::kReshape, ReshapeOfTranspose},
    {Opcode::kReshape, MoveSplat},
    {Opcode::kBroadcast, SameShapeBroadcast},
    {Opcode::kBroadcast, BroadcastOfBroadcast},
    {Opcode::kBroadcast, BroadcastOfOneElement},
    {Opcode::kBroadcast, BroadcastIsReshape},
    {Opcode::kTranspose, TransposeIsReshape},
    {Opcode::kTranspose, TransposeOfTranspose},
    {Opcode::kTranspose, MoveSplat},
    {Opcode::kReverse, ReverseOfNothing},
    {Opcode::kReverse, MoveSplat},
    {Opcode::kConcatenate, ConcatenateOfOne},
    {Opcode::kConcatenate, DropEmptyPieces},
    {Opcode::kPad, PadByNothing},
    {Opcode::kPad, PadByLess},
};

}  // namespace

std::span<const Rule> MovementRules() { return kMovementRules; }

}  // namespace stead::passes
