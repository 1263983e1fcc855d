#include "interp/small_float.h"

namespace stead::interp {
namespace {

constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;

bool IsNanCode(const SmallFloat& format, uint32_t code) {
  uint32_t sign = 1u << format.sign_shift();
  switch (format.ends) {
    case FloatEnds::kInfinity: return (code & (sign - 1)) > format.largest_code() + 1;
    case FloatEnds::kOneNan:
    case FloatEnds::kPowersOfTwo: return (code & (sign - 1)) == sign - 1;
    case FloatEnds::kUnsignedZero: return code == sign;
    case FloatEnds::kFinite: return false;
  }
  return false;
}

uint32_t NanCode(const SmallFloat& format, bool negative) {
  uint32_t sign = 1u << format.sign_shift();
  switch (format.ends) {
    case FloatEnds::kInfinity:
      return (negative ? sign : 0) | (format.largest_code() + 1) | (1u << (format.mantissa_bits - 1));
    case FloatEnds::kOneNan: return (negative ? sign : 0) | (sign - 1);
    case FloatEnds::kPowersOfTwo: return sign - 1;
    case FloatEnds::kUnsignedZero:
    case FloatEnds::kFinite: return sign;
  }
  return sign;
}

uint32_t OverflowCode(const SmallFloat& format, bool negative) {
  uint32_t sign = negative ? 1u << format.sign_shift() : 0;
  switch (format.ends) {
    case FloatEnds::kInfinity: return sign | (format.largest_code() + 1);
    case FloatEnds::kFinite: return sign | format.largest_code();
    case FloatEnds::kOneNan:
    case FloatEnds::kUnsignedZero:
    case FloatEnds::kPowersOfTwo: return NanCode(format, negative);
  }
  return sign;
}

// The code of a finite positive double without regard to overflow. Below the smallest normal number the codes are evenly
// spaced; a carry out of the mantissa steps to the next exponent by itself.
uint64_t RoundToCode(const SmallFloat& format, double magnitude) {
  uint64_t bits = std::bit_cast<uint64_t>(magnitude);
  int exponent = static_cast<int>(bits >> kDoubleMantissaBits) - kDoubleBias;
  // A denormal double is far below half of the smallest number of every format here.
  if (exponent == -kDoubleBias) return 0;
  uint64_t significand = (bits & ((1ull << kDoubleMantissaBits) - 1)) | (1ull << kDoubleMantissaBits);
  int smallest_exponent = 1 - format.bias;
  int below = exponent < smallest_exponent ? smallest_exponent - exponent : 0;
  int shift = kDoubleMantissaBits - format.mantissa_bits + below;
  if (shift > kDoubleMantissaBits + 1) return 0;
  uint64_t odd = (significand >> shift) & 1;
  uint64_t rounded = (significand + (1ull << (shift - 1)) - 1 + odd) >> shift;
  uint64_t exponent_code = below > 0 ? 0 : static_cast<uint64_t>(exponent - smallest_exponent);
  return (exponent_code << format.mantissa_bits) + rounded;
}

// Powers of two: code k is 2^(k - bias), from k = 0 on.
uint32_t EncodePowerOfTwo(const SmallFloat& format, double value) {
  if (!(value > 0) || std::isinf(value)) return NanCode(format, false);
  int exponent = 0;
  // value = fraction * 2^exponent with fraction in [0.5, 1): below 0.75 the power below is nearer. The tie goes up.
  double fraction = std::frexp(value, &exponent);
  int64_t code = exponent - 1 + format.bias;
  if (fraction >= 0.75) ++code;
  if (code < 0) return 0;
  return code > format.largest_code() ? NanCode(format, false) : static_cast<uint32_t>(code);
}

}  // namespace

float DecodeSmallFloat(const SmallFloat& format, uint32_t code) {
  if (IsNanCode(format, code)) {
    float nan = std::numeric_limits<float>::quiet_NaN();
    return code >> format.sign_shift() && format.ends != FloatEnds::kUnsignedZero ? -nan : nan;
  }
  if (format.ends == FloatEnds::kPowersOfTwo) return std::ldexp(1.0f, static_cast<int>(code) - format.bias);
  uint32_t magnitude = code & ((1u << format.sign_shift()) - 1);
  float sign = code >> format.sign_shift() ? -1.0f : 1.0f;
  if (magnitude > format.largest_code()) return sign * std::numeric_limits<float>::infinity();
  uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  if (exponent > 0) mantissa |= 1u << format.mantissa_bits;
  return sign * std::ldexp(static_cast<float>(mantissa), std::max(exponent, 1) - format.bias - format.mantissa_bits);
}

uint32_t EncodeSmallFloat(const SmallFloat& format, double value) {
  bool negative = std::signbit(value);
  if (std::isnan(value)) return NanCode(format, negative);
  if (format.ends == FloatEnds::kPowersOfTwo) return EncodePowerOfTwo(format, value);
  if (std::isinf(value)) return OverflowCode(format, negative);
  uint64_t code = RoundToCode(format, std::fabs(value));
  if (code > format.largest_code()) return OverflowCode(format, negative);
  // Without a negative zero, what rounds to zero from below is zero.
  if (code == 0 && format.ends == FloatEnds::kUnsignedZero) return 0;
  return static_cast<uint32_t>(code) | (negative ? 1u << format.sign_shift() : 0);
}

}  // namespace stead::interp
