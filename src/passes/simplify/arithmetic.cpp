// Rules of elementwise arithmetic. Each is exact: for floating point only those that return an operand's bits are here.
#include <cmath>
#include <vector>

#include "passes/simplify/rules.h"

namespace stead::passes {
namespace {

using Direction = ir::CompareAttributes::Direction;
using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

bool IsIntegerLike(const Instruction& instruction) {
  ElementType type = instruction.shape.element_type;
  return ir::IsInteger(type) || type == ElementType::kPred;
}

bool IsReal(const Instruction& instruction) { return !ir::IsComplex(instruction.shape.element_type); }

bool KnownToBe(Builder& build, InstrId id, int64_t value) { return KnownInteger(build.module(), id) == value; }

// The value with all bits set, as KnownInteger gives it.
int64_t AllOnes(ElementType type) {
  if (type == ElementType::kPred) return 1;
  if (ir::IsSigned(type) || ir::ElementBits(type) == 64) return -1;
  return (int64_t{1} << ir::ElementBits(type)) - 1;
}

InstrId Fill(Builder& build, const Instruction& instruction, int64_t value) {
  return build.Splat(build.Integer(instruction.shape.element_type, value), instruction.shape.dimensions);
}

// The other operand, when one operand is known to be `neutral`.
InstrId OtherThan(Builder& build, const Instruction& instruction, int64_t neutral) {
  if (KnownToBe(build, instruction.operands[1], neutral)) return instruction.operands[0];
  if (KnownToBe(build, instruction.operands[0], neutral)) return instruction.operands[1];
  return kNoValue;
}

bool EitherIs(Builder& build, const Instruction& instruction, int64_t value) {
  return KnownToBe(build, instruction.operands[0], value) || KnownToBe(build, instruction.operands[1], value);
}

bool SameOperands(const Instruction& instruction) { return instruction.operands[0] == instruction.operands[1]; }

// x + 0 = x. Not for floats: -0 + 0 is 0.
InstrId AddZero(Builder& build, const Instruction& add) {
  return IsIntegerLike(add) ? OtherThan(build, add, 0) : kNoValue;
}

// x - 0 = x, also for floats: -0 - 0 is -0.
InstrId SubtractZero(Builder& build, const Instruction& subtract) {
  std::optional<double> right = KnownReal(build.module(), subtract.operands[1]);
  return IsReal(subtract) && right == 0.0 && !std::signbit(*right) ? subtract.operands[0] : kNoValue;
}

// x - x = 0. Not for floats: infinities and NaN.
InstrId SubtractSelf(Builder& build, const Instruction& subtract) {
  return IsIntegerLike(subtract) && SameOperands(subtract) ? Fill(build, subtract, 0) : kNoValue;
}

// x * 1 = x.
InstrId MultiplyByOne(Builder& build, const Instruction& multiply) {
  if (KnownReal(build.module(), multiply.operands[1]) == 1.0) return multiply.operands[0];
  if (KnownReal(build.module(), multiply.operands[0]) == 1.0) return multiply.operands[1];
  return kNoValue;
}

// x * 0 = 0. Not for floats: infinities, NaN and the sign of zero.
InstrId MultiplyByZero(Builder& build, const Instruction& multiply) {
  return IsIntegerLike(multiply) && EitherIs(build, multiply, 0) ? Fill(build, multiply, 0) : kNoValue;
}

// x / 1 = x.
InstrId DivideByOne(Builder& build, const Instruction& divide) {
  return KnownReal(build.module(), divide.operands[1]) == 1.0 ? divide.operands[0] : kNoValue;
}

// x % 1 = 0.
InstrId RemainderByOne(Builder& build, const Instruction& remainder) {
  return KnownToBe(build, remainder.operands[1], 1) ? Fill(build, remainder, 0) : kNoValue;
}

// x & ~0 = x, x & x = x.
InstrId AndNeutral(Builder& build, const Instruction& conjunction) {
  if (SameOperands(conjunction)) return conjunction.operands[0];
  return OtherThan(build, conjunction, AllOnes(conjunction.shape.element_type));
}

// x & 0 = 0.
InstrId AndZero(Builder& build, const Instruction& conjunction) {
  return EitherIs(build, conjunction, 0) ? Fill(build, conjunction, 0) : kNoValue;
}

// x | 0 = x, x | x = x.
InstrId OrNeutral(Builder& build, const Instruction& disjunction) {
  return SameOperands(disjunction) ? disjunction.operands[0] : OtherThan(build, disjunction, 0);
}

// x | ~0 = ~0.
InstrId OrOnes(Builder& build, const Instruction& disjunction) {
  int64_t ones = AllOnes(disjunction.shape.element_type);
  return EitherIs(build, disjunction, ones) ? Fill(build, disjunction, ones) : kNoValue;
}

// x ^ 0 = x.
InstrId XorZero(Builder& build, const Instruction& exclusive) { return OtherThan(build, exclusive, 0); }

// x ^ x = 0.
InstrId XorSelf(Builder& build, const Instruction& exclusive) {
  return SameOperands(exclusive) ? Fill(build, exclusive, 0) : kNoValue;
}

// max(x, x) = min(x, x) = x.
InstrId ExtremeOfSelf(Builder&, const Instruction& extreme) {
  return SameOperands(extreme) ? extreme.operands[0] : kNoValue;
}

// x << 0 = x >> 0 = x.
InstrId ShiftByZero(Builder& build, const Instruction& shift) {
  return KnownToBe(build, shift.operands[1], 0) ? shift.operands[0] : kNoValue;
}

// -(-x) = ~(~x) = x.
InstrId UndoTwice(Builder& build, const Instruction& outer) {
  const Instruction& inner = build.module().instruction(outer.operands[0]);
  return inner.opcode == outer.opcode ? inner.operands[0] : kNoValue;
}

InstrId PartOfComplex(Builder& build, const Instruction& part) {
  const Instruction& complex = build.module().instruction(part.operands[0]);
  if (complex.opcode != Opcode::kComplex) return kNoValue;
  return complex.operands[part.opcode == Opcode::kReal ? 0 : 1];
}

// A conversion to the type that the operand has.
InstrId ConvertToSameType(Builder& build, const Instruction& convert) {
  bool same = build.module().shape(convert.operands[0]).element_type == convert.shape.element_type;
  return same ? convert.operands[0] : kNoValue;
}

// x == x, x <= x, x >= x hold for integers; the other comparisons do not.
InstrId CompareWithSelf(Builder& build, const Instruction& compare) {
  ElementType type = build.module().shape(compare.operands[0]).element_type;
  if (!SameOperands(compare) || ir::IsFloat(type) || ir::IsComplex(type)) return kNoValue;
  Direction direction = compare.As<ir::CompareAttributes>().direction;
  return Fill(build, compare,
              direction == Direction::kEq || direction == Direction::kGe || direction == Direction::kLe);
}

constexpr Rule kArithmeticRules[] = {
    {Opcode::kAdd, AddZero},
    {Opcode::kSubtract, SubtractZero},
    {Opcode::kSubtract, SubtractSelf},
    {Opcode::kMultiply, MultiplyByOne},
    {Opcode::kMultiply, MultiplyByZero},
    {Opcode::kDivide, DivideByOne},
    {Opcode::kRemainder, RemainderByOne},
    {Opcode::kAnd, AndNeutral},
    {Opcode::kAnd, AndZero},
    {Opcode::kOr, OrNeutral},
    {Opcode::kOr, OrOnes},
    {Opcode::kXor, XorZero},
    {Opcode::kXor, XorSelf},
    {Opcode::kMaximum, ExtremeOfSelf},
    {Opcode::kMinimum, ExtremeOfSelf},
    {Opcode::kShiftLeft, ShiftByZero},
    {Opcode::kShiftRightArithmetic, ShiftByZero},
    {Opcode::kShiftRightLogical, ShiftByZero},
    {Opcode::kNegate, UndoTwice},
    {Opcode::kNot, UndoTwice},
    {Opcode::kReal, PartOfComplex},
    {Opcode::kImag, PartOfComplex},
    {Opcode::kConvert, ConvertToSameType},
    {Opcode::kCompare, CompareWithSelf},
};

}  // namespace

std::span<const Rule> ArithmeticRules() { return kArithmeticRules; }

// Computed once for the scalars that fill the operands.
InstrId ElementwiseOfFills(Builder& build, const Instruction& instruction) {
  if (instruction.shape.element_count() < 2) return kNoValue;
  std::vector<InstrId> scalars;
  for (InstrId operand : instruction.operands) {
    InstrId scalar = SplatScalar(build.module(), operand);
    if (!scalar.valid()) return kNoValue;
    scalars.push_back(scalar);
  }
  ir::Shape shape = ir::Shape::Array(instruction.shape.element_type, {});
  InstrId value = build.Op(instruction.opcode, std::move(shape), std::move(scalars), instruction.attributes);
  return build.Splat(value, instruction.shape.dimensions);
}

}  // namespace stead::passes
