#include "cpu/llvm/values/small_float.h"

#include <cmath>
#include <limits>

#include "cpu/llvm/values/registers.h"

namespace stead::cpu {
namespace {

constexpr int kFloatMantissaBits = 23;
constexpr int kFloatBias = 127;

llvm::Constant* Number(llvm::Value* like, int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<uint64_t>(value), /*IsSigned=*/true);
}

llvm::Constant* Float(llvm::Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

}  // namespace

llvm::Value* SmallFloats::Bits(llvm::Value* values) {
  return builder_.CreateBitCast(values, Registers::Like(values, builder_.getInt32Ty()));
}

llvm::Value* SmallFloats::Floats(llvm::Value* bits) {
  return builder_.CreateBitCast(bits, Registers::Like(bits, builder_.getFloatTy()));
}

// The code in the place of f32's exponent and mantissa is the number, but for the bias: a product with a power of two mends
// that, also for numbers below the first full binade.
llvm::Value* SmallFloats::Decode(llvm::Value* codes) {
  llvm::Value* const wide = builder_.CreateZExt(codes, Registers::Like(codes, builder_.getInt32Ty()));
  if (type_ == ir::ElementType::kF8E8M0FNU) return DecodeScale(wide);
  const ir::SmallFloatFormat format = ir::SmallFloatFormatOf(type_);
  llvm::Value* const code = builder_.CreateAnd(wide, Number(wide, format.sign - 1));
  llvm::Value* const unscaled = Floats(builder_.CreateShl(code, kFloatMantissaBits - format.mantissa_bits));
  llvm::Value* value = builder_.CreateFMul(unscaled, Float(unscaled, std::ldexp(1.0, kFloatBias - format.bias)));

  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const bool has_infinity = format.overflow > format.largest && format.overflow != format.nan;
  if (has_infinity) {
    llvm::Value* const is_infinite = builder_.CreateICmpEQ(code, Number(code, format.overflow));
    value = builder_.CreateSelect(is_infinite, Float(value, std::numeric_limits<double>::infinity()), value);
    llvm::Value* const is_nan = builder_.CreateICmpSGT(code, Number(code, format.overflow));
    value = builder_.CreateSelect(is_nan, Float(value, kNan), value);
  } else if (format.signed_zero && format.nan != ir::SmallFloatFormat::kNoNan) {
    value = builder_.CreateSelect(builder_.CreateICmpEQ(code, Number(code, format.nan)), Float(value, kNan), value);
  }
  llvm::Value* const sign = builder_.CreateAnd(wide, Number(wide, format.sign));
  const int sign_shift = 31 - static_cast<int>(std::log2(format.sign));
  llvm::Value* const number = Floats(builder_.CreateOr(Bits(value), builder_.CreateShl(sign, sign_shift)));
  if (format.signed_zero) return number;
  // The one NaN of these types has the code that would be minus zero.
  return builder_.CreateSelect(builder_.CreateICmpEQ(wide, Number(wide, format.nan)), Float(number, kNan), number);
}

llvm::Value* SmallFloats::DecodeScale(llvm::Value* codes) {
  constexpr int kHalfOfSmallest = 1 << (kFloatMantissaBits - 1);
  llvm::Value* const bits =
      builder_.CreateSelect(builder_.CreateICmpEQ(codes, Number(codes, 0)), Number(codes, kHalfOfSmallest),
                            builder_.CreateShl(codes, kFloatMantissaBits));
  llvm::Value* const number = Floats(bits);
  llvm::Constant* const nan = Float(number, std::numeric_limits<double>::quiet_NaN());
  return builder_.CreateSelect(builder_.CreateICmpEQ(codes, Number(codes, 255)), nan, number);
}

// From the first full binade on, f32's bits are cut with rounding to even and the bias is changed; below it, adding a number whose
// last place is the type's smallest step leaves the rounded count of steps in the last bits.
llvm::Value* SmallFloats::EncodeMagnitude(llvm::Value* magnitude, const ir::SmallFloatFormat& format) {
  const int dropped = kFloatMantissaBits - format.mantissa_bits;
  llvm::Value* const bits = Bits(magnitude);
  llvm::Value* const is_odd = builder_.CreateAnd(builder_.CreateLShr(bits, dropped), Number(bits, 1));
  llvm::Value* const half = builder_.CreateAdd(is_odd, Number(bits, (1 << (dropped - 1)) - 1));
  llvm::Value* const cut = builder_.CreateLShr(builder_.CreateAdd(bits, half), dropped);
  llvm::Value* const full = builder_.CreateSub(cut, Number(cut, (kFloatBias - format.bias) << format.mantissa_bits));

  llvm::Constant* const aligned = Float(magnitude, std::ldexp(1.0, dropped + 1 - format.bias));
  llvm::Value* const steps = builder_.CreateSub(Bits(builder_.CreateFAdd(magnitude, aligned)), Bits(aligned));
  llvm::Constant* const first_full = Float(magnitude, std::ldexp(1.0, 1 - format.bias));
  llvm::Value* const code = builder_.CreateSelect(builder_.CreateFCmpOLT(magnitude, first_full), steps, full);
  return builder_.CreateSelect(builder_.CreateICmpSGT(code, Number(code, format.largest)),
                               Number(code, format.overflow), code);
}

llvm::Value* SmallFloats::Encode(llvm::Value* values) {
  llvm::Value* const bits = Bits(values);
  llvm::Value* const is_nan = builder_.CreateFCmpUNO(values, values);
  llvm::Type* const byte = Registers::Like(values, builder_.getInt8Ty());
  if (type_ == ir::ElementType::kF8E8M0FNU) return builder_.CreateTrunc(EncodeScale(bits, is_nan), byte);
  const ir::SmallFloatFormat format = ir::SmallFloatFormatOf(type_);
  llvm::Value* const code = EncodeMagnitude(Floats(builder_.CreateAnd(bits, Number(bits, 0x7fffffff))), format);
  const int sign_shift = 31 - static_cast<int>(std::log2(format.sign));
  llvm::Value* const sign = builder_.CreateAnd(builder_.CreateLShr(bits, sign_shift), Number(bits, format.sign));
  llvm::Value* signed_code = builder_.CreateOr(code, sign);
  if (!format.signed_zero) {
    llvm::Value* const is_zero = builder_.CreateICmpEQ(code, Number(code, 0));
    signed_code = builder_.CreateSelect(is_zero, Number(code, 0), signed_code);
  }
  // A type without NaN turns it into the zero of the other sign.
  llvm::Value* const nan = format.nan == ir::SmallFloatFormat::kNoNan
                               ? builder_.CreateXor(sign, Number(sign, format.sign))
                               : builder_.CreateOr(sign, Number(sign, format.nan));
  return builder_.CreateTrunc(builder_.CreateSelect(is_nan, nan, signed_code), byte);
}

// The nearest power of two by its exponent; the upper half of a binade goes up.
llvm::Value* SmallFloats::EncodeScale(llvm::Value* bits, llvm::Value* is_nan) {
  constexpr int kHalfBinade = 1 << (kFloatMantissaBits - 1);
  llvm::Value* const nearest =
      builder_.CreateLShr(builder_.CreateAdd(bits, Number(bits, kHalfBinade)), kFloatMantissaBits);
  // Below f32's first full binade: 2^-127, or 2^-126 from one and a half times that on.
  llvm::Value* const is_tiny = builder_.CreateICmpULT(bits, Number(bits, 1 << kFloatMantissaBits));
  llvm::Value* const goes_up = builder_.CreateICmpUGE(bits, Number(bits, kHalfBinade + kHalfBinade / 2));
  llvm::Value* const tiny = builder_.CreateZExt(goes_up, bits->getType());
  llvm::Value* const code = builder_.CreateSelect(is_tiny, tiny, nearest);
  llvm::Value* const is_not_positive = builder_.CreateICmpSLE(bits, Number(bits, 0));
  llvm::Value* const too_large = builder_.CreateICmpUGT(code, Number(code, 254));
  llvm::Value* const has_none = builder_.CreateOr(builder_.CreateOr(is_nan, is_not_positive), too_large);
  return builder_.CreateSelect(has_none, Number(code, 255), code);
}

}  // namespace stead::cpu
