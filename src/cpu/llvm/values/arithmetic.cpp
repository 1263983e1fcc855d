#include "cpu/llvm/values/arithmetic.h"

#include <llvm/IR/Intrinsics.h>

#include <limits>

namespace stead::cpu {
namespace {

using ir::CompareAttributes;
using ir::ElementType;
using ir::Opcode;

[[noreturn]] void FailUnknown(Opcode opcode) {
  FailCheck(__FILE__, __LINE__, "op is supported", std::string(ir::OpcodeName(opcode)));
}

llvm::Value* Unary(llvm::IRBuilder<>& builder, llvm::Intrinsic::ID id, llvm::Value* x) {
  return builder.CreateUnaryIntrinsic(id, x);
}

bool SupportsUnary(Opcode opcode, ElementType type) {
  if (ir::IsComplex(type)) return opcode == Opcode::kConvert || ComplexArithmetic::Supports(opcode);
  switch (opcode) {
    case Opcode::kConvert:
    case Opcode::kReal: return true;
    case Opcode::kNegate:
    case Opcode::kAbs:
    case Opcode::kSign: return type != ElementType::kPred;
    case Opcode::kNot: return !ir::IsFloat(type);
    case Opcode::kPopulationCount:
    case Opcode::kCountLeadingZeros: return ir::IsInteger(type);
    default: return ir::IsFloat(type);
  }
}

bool SupportsBinary(Opcode opcode, ElementType type) {
  if (ir::IsComplex(type)) return ComplexArithmetic::Supports(opcode);
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum: return true;
    case Opcode::kSubtract:
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kPower: return type != ElementType::kPred;
    case Opcode::kAtan2:
    case Opcode::kComplex: return ir::IsFloat(type);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return !ir::IsFloat(type);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return ir::IsInteger(type);
    default: return false;
  }
}

bool IsEquality(const CompareAttributes& attributes) {
  return attributes.direction == CompareAttributes::Direction::kEq ||
         attributes.direction == CompareAttributes::Direction::kNe;
}

}  // namespace

bool Arithmetic::Supports(const ir::Module& module, const ir::Instruction& instruction) {
  if (!instruction.shape.is_array()) return false;
  for (ir::InstrId operand : instruction.operands) {
    if (!module.shape(operand).is_array()) return false;
  }
  const Opcode opcode = instruction.opcode;
  const ElementType type = module.shape(instruction.operands[0]).element_type;
  switch (ir::InfoOf(opcode).family) {
    case ir::OpFamily::kUnary: return SupportsUnary(opcode, type);
    case ir::OpFamily::kBinary: return SupportsBinary(opcode, type);
    case ir::OpFamily::kTernary: return opcode == Opcode::kSelect || !ir::IsComplex(type);
    case ir::OpFamily::kCompare: return !ir::IsComplex(type) || IsEquality(instruction.As<CompareAttributes>());
    default: return false;
  }
}

llvm::Constant* Arithmetic::Integer(llvm::Value* like, int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<uint64_t>(value), /*IsSigned=*/true);
}

llvm::Value* Arithmetic::Splat(llvm::Value* value, llvm::Value* like) {
  return registers_.Splat(value, Registers::LaneCount(like));
}

llvm::Value* Arithmetic::Apply(const ir::Module& module, const ir::Instruction& instruction,
                               llvm::ArrayRef<llvm::Value*> operands) {
  llvm::SmallVector<llvm::Value*, 3> values(operands);
  for (llvm::Value* const operand : operands) {
    for (llvm::Value*& value : values) value = Splat(value, operand);
  }
  const ElementType type = module.shape(instruction.operands[0]).element_type;
  switch (instruction.opcode) {
    case Opcode::kCompare: return Compare(instruction.As<CompareAttributes>(), type, values[0], values[1]);
    case Opcode::kSelect: return registers_.Select(values[0], values[1], values[2]);
    case Opcode::kClamp: {
      llvm::Value* const raised = Binary(Opcode::kMaximum, type, values[1], values[0]);
      return Binary(Opcode::kMinimum, type, raised, values[2]);
    }
    case Opcode::kConvert: return registers_.Convert(values[0], type, instruction.shape.element_type);
    default: break;
  }
  if (values.size() == 1) return Unary(instruction, type, values[0]);
  return Binary(instruction.opcode, type, values[0], values[1]);
}

llvm::Value* Arithmetic::Binary(Opcode opcode, ElementType type, llvm::Value* left, llvm::Value* right) {
  if (opcode == Opcode::kComplex) return registers_.Complex(left, right);
  if (ir::IsComplex(type)) return complex_.Binary(opcode, left, right);
  if (type == ElementType::kPred) return BooleanBinary(opcode, left, right);
  if (ir::IsFloat(type)) return registers_.Round(FloatBinary(opcode, left, right), type);
  return IntegerBinary(opcode, ir::IsSigned(type), left, right);
}

// ---------------------------------------------------------------------------------------------------------------------
// One operand.

llvm::Value* Arithmetic::Unary(const ir::Instruction& instruction, ElementType type, llvm::Value* x) {
  if (ir::IsComplex(type)) return complex_.Unary(instruction.opcode, x);
  if (instruction.opcode == Opcode::kReal) return x;
  if (instruction.opcode == Opcode::kImag) return llvm::Constant::getNullValue(x->getType());
  if (!ir::IsFloat(type)) return IntegerUnary(instruction.opcode, type, x);
  if (instruction.opcode == Opcode::kIsFinite) {
    llvm::Constant* const infinity = llvm::ConstantFP::getInfinity(x->getType());
    return builder_.CreateFCmpOLT(cpu::Unary(builder_, llvm::Intrinsic::fabs, x), infinity);
  }
  return registers_.Round(FloatUnary(instruction, x), type);
}

llvm::Value* Arithmetic::FloatUnary(const ir::Instruction& instruction, llvm::Value* x) {
  switch (instruction.opcode) {
    case Opcode::kAbs: return cpu::Unary(builder_, llvm::Intrinsic::fabs, x);
    case Opcode::kNegate: return builder_.CreateFNeg(x);
    case Opcode::kSign: return FloatSign(x);
    case Opcode::kCeil: return cpu::Unary(builder_, llvm::Intrinsic::ceil, x);
    case Opcode::kFloor: return cpu::Unary(builder_, llvm::Intrinsic::floor, x);
    case Opcode::kRoundNearestAfz: return cpu::Unary(builder_, llvm::Intrinsic::round, x);
    case Opcode::kRoundNearestEven: return cpu::Unary(builder_, llvm::Intrinsic::roundeven, x);
    case Opcode::kReducePrecision: return ReducePrecision(instruction.As<ir::ReducePrecisionAttributes>(), x);
    case Opcode::kAcos: return math_.Library("acos", {x});
    case Opcode::kAcosh: return math_.Library("acosh", {x});
    case Opcode::kAsin: return math_.Library("asin", {x});
    case Opcode::kAsinh: return math_.Library("asinh", {x});
    case Opcode::kAtanh: return math_.Library("atanh", {x});
    case Opcode::kCosh: return math_.Library("cosh", {x});
    case Opcode::kSinh: return math_.Library("sinh", {x});
    case Opcode::kCbrt: return math_.Cbrt(x);
    case Opcode::kCosine: return math_.Cos(x);
    case Opcode::kErf: return math_.Erf(x);
    case Opcode::kExponential: return math_.Exp(x);
    case Opcode::kExponentialMinusOne: return math_.Expm1(x);
    case Opcode::kLog: return math_.Log(x);
    case Opcode::kLogPlusOne: return math_.Log1p(x);
    case Opcode::kLogistic: return math_.Logistic(x);
    case Opcode::kRsqrt: return math_.Rsqrt(x);
    case Opcode::kSine: return math_.Sin(x);
    case Opcode::kSqrt: return math_.Sqrt(x);
    case Opcode::kTan: return math_.Tan(x);
    case Opcode::kTanh: return math_.Tanh(x);
    default: FailUnknown(instruction.opcode);
  }
}

llvm::Value* Arithmetic::FloatSign(llvm::Value* x) {
  llvm::Constant* const zero = llvm::Constant::getNullValue(x->getType());
  llvm::Value* const one =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(x->getType(), 1), x);
  // Zeros of either sign and NaN are their own sign.
  return builder_.CreateSelect(builder_.CreateFCmpUEQ(x, zero), x, one);
}

llvm::Value* Arithmetic::IntegerUnary(Opcode opcode, ElementType type, llvm::Value* x) {
  llvm::Value* const zero = Integer(x, 0);
  switch (opcode) {
    case Opcode::kAbs:
      return ir::IsSigned(type) ? builder_.CreateSelect(builder_.CreateICmpSLT(x, zero), builder_.CreateNeg(x), x) : x;
    case Opcode::kNegate: return builder_.CreateNeg(x);
    case Opcode::kNot: return builder_.CreateNot(x);
    case Opcode::kPopulationCount: return cpu::Unary(builder_, llvm::Intrinsic::ctpop, x);
    case Opcode::kCountLeadingZeros:
      return builder_.CreateIntrinsic(llvm::Intrinsic::ctlz, {x->getType()}, {x, builder_.getFalse()});
    case Opcode::kSign: {
      llvm::Value* const positive = builder_.CreateZExt(builder_.CreateICmpNE(x, zero), x->getType());
      if (!ir::IsSigned(type)) return positive;
      return builder_.CreateSelect(builder_.CreateICmpSLT(x, zero), Integer(x, -1), positive);
    }
    default: FailUnknown(opcode);
  }
}

// Rounds to nearest even at the last kept bit; what exceeds the narrow exponent becomes infinity, what falls below its normal
// range becomes zero.
llvm::Value* Arithmetic::ReducePrecision(const ir::ReducePrecisionAttributes& attributes, llvm::Value* x) {
  const bool is_double = x->getType()->getScalarType()->isDoubleTy();
  const int mantissa_bits = is_double ? 52 : 23;
  const int64_t bias = is_double ? 1023 : 127;
  llvm::Type* const integer = Registers::Like(x, builder_.getIntNTy(is_double ? 64 : 32));
  const auto constant = [&](uint64_t bits) { return llvm::ConstantInt::get(integer, bits); };
  llvm::Value* bits = builder_.CreateBitCast(x, integer);
  if (attributes.mantissa_bits < mantissa_bits) {
    const int dropped = mantissa_bits - static_cast<int>(attributes.mantissa_bits);
    llvm::Value* const last_kept = builder_.CreateAnd(builder_.CreateLShr(bits, dropped), constant(1));
    const uint64_t almost_half = (uint64_t{1} << (dropped - 1)) - 1;
    bits = builder_.CreateAdd(bits, builder_.CreateAdd(last_kept, constant(almost_half)));
    bits = builder_.CreateAnd(bits, constant(~((uint64_t{1} << dropped) - 1)));
  }
  if (attributes.exponent_bits < (is_double ? 11 : 8)) {
    const int64_t narrow_bias = (int64_t{1} << (attributes.exponent_bits - 1)) - 1;
    const uint64_t sign_mask = uint64_t{1} << (is_double ? 63 : 31);
    const uint64_t exponent_mask = (is_double ? uint64_t{0x7ff} : uint64_t{0xff}) << mantissa_bits;
    llvm::Value* const sign = builder_.CreateAnd(bits, constant(sign_mask));
    llvm::Value* const exponent = builder_.CreateAnd(bits, constant(exponent_mask));
    llvm::Value* const overflows =
        builder_.CreateICmpUGT(exponent, constant(static_cast<uint64_t>(bias + narrow_bias) << mantissa_bits));
    llvm::Value* const vanishes =
        builder_.CreateICmpULE(exponent, constant(static_cast<uint64_t>(bias - narrow_bias) << mantissa_bits));
    bits = builder_.CreateSelect(overflows, builder_.CreateOr(sign, constant(exponent_mask)), bits);
    bits = builder_.CreateSelect(vanishes, sign, bits);
  }
  llvm::Value* const reduced = builder_.CreateBitCast(bits, x->getType());
  return builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), x, reduced);
}

// ---------------------------------------------------------------------------------------------------------------------
// Two operands.

llvm::Value* Arithmetic::FloatBinary(Opcode opcode, llvm::Value* left, llvm::Value* right) {
  switch (opcode) {
    case Opcode::kAdd: return builder_.CreateFAdd(left, right);
    case Opcode::kSubtract: return builder_.CreateFSub(left, right);
    case Opcode::kMultiply: return builder_.CreateFMul(left, right);
    case Opcode::kDivide: return builder_.CreateFDiv(left, right);
    // These propagate NaN from either side and order -0 below 0.
    case Opcode::kMaximum: return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, left, right);
    case Opcode::kMinimum: return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, left, right);
    case Opcode::kRemainder: return math_.Remainder(left, right);
    case Opcode::kPower: return math_.Pow(left, right);
    case Opcode::kAtan2: return math_.Atan2(left, right);
    default: FailUnknown(opcode);
  }
}

llvm::Value* Arithmetic::IntegerBinary(Opcode opcode, bool is_signed, llvm::Value* left, llvm::Value* right) {
  using llvm::Intrinsic::smax, llvm::Intrinsic::smin, llvm::Intrinsic::umax, llvm::Intrinsic::umin;
  switch (opcode) {
    case Opcode::kAdd: return builder_.CreateAdd(left, right);
    case Opcode::kSubtract: return builder_.CreateSub(left, right);
    case Opcode::kMultiply: return builder_.CreateMul(left, right);
    case Opcode::kDivide: return Quotient(is_signed, false, left, right);
    case Opcode::kRemainder: return Quotient(is_signed, true, left, right);
    case Opcode::kMaximum: return builder_.CreateBinaryIntrinsic(is_signed ? smax : umax, left, right);
    case Opcode::kMinimum: return builder_.CreateBinaryIntrinsic(is_signed ? smin : umin, left, right);
    case Opcode::kAnd: return builder_.CreateAnd(left, right);
    case Opcode::kOr: return builder_.CreateOr(left, right);
    case Opcode::kXor: return builder_.CreateXor(left, right);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return Shift(opcode, left, right);
    case Opcode::kPower: return IntegerPower(is_signed, left, right);
    default: FailUnknown(opcode);
  }
}

llvm::Value* Arithmetic::BooleanBinary(Opcode opcode, llvm::Value* left, llvm::Value* right) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr: return builder_.CreateOr(left, right);
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd: return builder_.CreateAnd(left, right);
    case Opcode::kXor: return builder_.CreateXor(left, right);
    default: FailUnknown(opcode);
  }
}

// x / 0 has all bits set, x % 0 is x, and the smallest integer divided by -1 stays itself: division by a harmless 1 in those
// lanes, then the defined result.
llvm::Value* Arithmetic::Quotient(bool is_signed, bool wants_remainder, llvm::Value* left, llvm::Value* right) {
  llvm::Value* const by_zero = builder_.CreateICmpEQ(right, Integer(right, 0));
  llvm::Value* harmless = by_zero;
  if (is_signed) {
    const unsigned bits = left->getType()->getScalarSizeInBits();
    llvm::Value* const is_lowest =
        builder_.CreateICmpEQ(left, llvm::ConstantInt::get(left->getType(), llvm::APInt::getSignedMinValue(bits)));
    llvm::Value* const by_minus_one = builder_.CreateICmpEQ(right, Integer(right, -1));
    harmless = builder_.CreateOr(by_zero, builder_.CreateAnd(is_lowest, by_minus_one));
  }
  llvm::Value* const divisor = builder_.CreateSelect(harmless, Integer(right, 1), right);
  if (wants_remainder) {
    llvm::Value* const rest = is_signed ? builder_.CreateSRem(left, divisor) : builder_.CreateURem(left, divisor);
    return builder_.CreateSelect(by_zero, left, rest);
  }
  llvm::Value* const quotient = is_signed ? builder_.CreateSDiv(left, divisor) : builder_.CreateUDiv(left, divisor);
  return builder_.CreateSelect(by_zero, Integer(left, -1), quotient);
}

llvm::Value* Arithmetic::Shift(Opcode opcode, llvm::Value* value, llvm::Value* amount) {
  const int64_t width = value->getType()->getScalarSizeInBits();
  // Negative amounts are large when read as unsigned.
  llvm::Value* const in_range = builder_.CreateICmpULT(amount, Integer(amount, width));
  llvm::Value* const safe = builder_.CreateSelect(in_range, amount, Integer(amount, width - 1));
  if (opcode == Opcode::kShiftRightArithmetic) return builder_.CreateAShr(value, safe);
  llvm::Value* const shifted =
      opcode == Opcode::kShiftLeft ? builder_.CreateShl(value, safe) : builder_.CreateLShr(value, safe);
  return builder_.CreateSelect(in_range, shifted, Integer(value, 0));
}

// Squares and multiplies over the exponent's bits. A negative exponent gives 1 / base^n rounded to zero.
llvm::Value* Arithmetic::IntegerPower(bool is_signed, llvm::Value* base, llvm::Value* exponent) {
  llvm::Value* const one = Integer(base, 1);
  const auto is_set = [&](int64_t bit) {
    return builder_.CreateICmpNE(builder_.CreateAnd(exponent, Integer(exponent, int64_t{1} << bit)),
                                 Integer(exponent, 0));
  };
  llvm::Value* power = one;
  llvm::Value* square = base;
  const int64_t bits = base->getType()->getScalarSizeInBits();
  for (int64_t bit = 0; bit < bits; ++bit) {
    power = builder_.CreateSelect(is_set(bit), builder_.CreateMul(power, square), power);
    square = builder_.CreateMul(square, square);
  }
  if (!is_signed) return power;
  llvm::Value* const minus_one = Integer(base, -1);
  llvm::Value* const of_minus_one = builder_.CreateSelect(is_set(0), minus_one, one);
  llvm::Value* inverse = builder_.CreateSelect(builder_.CreateICmpEQ(base, minus_one), of_minus_one, Integer(base, 0));
  inverse = builder_.CreateSelect(builder_.CreateICmpEQ(base, one), one, inverse);
  return builder_.CreateSelect(builder_.CreateICmpSLT(exponent, Integer(exponent, 0)), inverse, power);
}

// ---------------------------------------------------------------------------------------------------------------------
// Comparison.

// Signed integers in the order -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.
llvm::Value* Arithmetic::TotalOrderKey(llvm::Value* value) {
  const unsigned width = value->getType()->getScalarSizeInBits();
  llvm::Value* const bits = builder_.CreateBitCast(value, Registers::Like(value, builder_.getIntNTy(width)));
  llvm::Value* const sign = builder_.CreateAShr(bits, width - 1);
  return builder_.CreateXor(bits, builder_.CreateLShr(sign, 1));
}

llvm::Value* Arithmetic::Compare(const CompareAttributes& attributes, ElementType type, llvm::Value* left,
                                 llvm::Value* right) {
  using Direction = CompareAttributes::Direction;
  if (ir::IsComplex(type)) {
    llvm::Value* const is_equal = complex_.Equal(left, right);
    return attributes.direction == Direction::kEq ? is_equal : builder_.CreateNot(is_equal);
  }
  const bool is_total = ir::IsFloat(type) && attributes.type == CompareAttributes::Type::kTotalOrder;
  if (ir::IsFloat(type) && !is_total) {
    switch (attributes.direction) {
      case Direction::kEq: return builder_.CreateFCmpOEQ(left, right);
      case Direction::kNe: return builder_.CreateFCmpUNE(left, right);
      case Direction::kGe: return builder_.CreateFCmpOGE(left, right);
      case Direction::kGt: return builder_.CreateFCmpOGT(left, right);
      case Direction::kLe: return builder_.CreateFCmpOLE(left, right);
      case Direction::kLt: return builder_.CreateFCmpOLT(left, right);
    }
  }
  if (is_total) left = TotalOrderKey(left), right = TotalOrderKey(right);
  const bool is_signed = is_total || ir::IsSigned(type);
  switch (attributes.direction) {
    case Direction::kEq: return builder_.CreateICmpEQ(left, right);
    case Direction::kNe: return builder_.CreateICmpNE(left, right);
    case Direction::kGe: return is_signed ? builder_.CreateICmpSGE(left, right) : builder_.CreateICmpUGE(left, right);
    case Direction::kGt: return is_signed ? builder_.CreateICmpSGT(left, right) : builder_.CreateICmpUGT(left, right);
    case Direction::kLe: return is_signed ? builder_.CreateICmpSLE(left, right) : builder_.CreateICmpULE(left, right);
    case Direction::kLt: return is_signed ? builder_.CreateICmpSLT(left, right) : builder_.CreateICmpULT(left, right);
  }
  FailUnknown(Opcode::kCompare);
}

}  // namespace stead::cpu
