#include "ir/number/small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace stead::ir {
namespace {

constexpr int kNoNan = SmallFloatFormat::kNoNan;
constexpr int kScaleBias = 127;
constexpr int kScaleLargest = 0xFE;
constexpr int kScaleNan = 0xFF;

double ScaleToDouble(uint8_t bits) {
  return bits == kScaleNan ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - kScaleBias);
}

uint8_t DoubleToScale(double value) {
  if (std::isnan(value) || std::isinf(value) || std::signbit(value)) return kScaleNan;
  if (value < std::ldexp(1.0, -kScaleBias)) return 0;
  int exponent = std::ilogb(value);
  int code = exponent + kScaleBias;
  double fraction = std::ldexp(value, -exponent);
  // A tie goes up, as in ml_dtypes.
  if (fraction >= 1.5) ++code;
  return static_cast<uint8_t>(code > kScaleLargest ? kScaleNan : code);
}

}  // namespace

SmallFloatFormat SmallFloatFormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF8E5M2: return {2, 15, 0x7B, 0x7C, 0x7E, 0x80, true};
    case ElementType::kF8E4M3: return {3, 7, 0x77, 0x78, 0x7C, 0x80, true};
    case ElementType::kF8E3M4: return {4, 3, 0x6F, 0x70, 0x78, 0x80, true};
    case ElementType::kF8E4M3FN: return {3, 7, 0x7E, 0x7F, 0x7F, 0x80, true};
    case ElementType::kF8E4M3B11FNUZ: return {3, 11, 0x7F, 0x80, 0x80, 0x80, false};
    case ElementType::kF8E5M2FNUZ: return {2, 16, 0x7F, 0x80, 0x80, 0x80, false};
    case ElementType::kF8E4M3FNUZ: return {3, 8, 0x7F, 0x80, 0x80, 0x80, false};
    case ElementType::kF4E2M1FN: return {1, 1, 0x7, 0x7, kNoNan, 0x8, true};
    default: STEAD_CHECK(false, std::string(ElementTypeName(type))); return {};
  }
}

bool IsSmallFloat(ElementType type) { return IsFloat(type) && ElementBits(type) <= 8; }

double SmallFloatToDouble(ElementType type, uint8_t bits) {
  STEAD_CHECK(IsSmallFloat(type));
  if (type == ElementType::kF8E8M0FNU) return ScaleToDouble(bits);
  const SmallFloatFormat format = SmallFloatFormatOf(type);
  int code = bits & (format.sign - 1);
  double sign = (bits & format.sign) != 0 ? -1.0 : 1.0;
  if (bits == format.nan) return std::numeric_limits<double>::quiet_NaN();
  if (code > format.largest) {
    bool infinite = code == format.overflow && format.overflow != format.nan;
    return sign * (infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN());
  }
  int exponent = code >> format.mantissa_bits;
  int mantissa = code & ((1 << format.mantissa_bits) - 1);
  if (exponent > 0) mantissa |= 1 << format.mantissa_bits;
  return sign * std::ldexp(mantissa, std::max(exponent, 1) - format.bias - format.mantissa_bits);
}

uint8_t DoubleToSmallFloat(ElementType type, double value) {
  STEAD_CHECK(IsSmallFloat(type));
  if (type == ElementType::kF8E8M0FNU) return DoubleToScale(value);
  const SmallFloatFormat format = SmallFloatFormatOf(type);
  int sign = std::signbit(value) ? format.sign : 0;
  // A type without NaN turns it into the zero of the other sign, as ml_dtypes does.
  if (std::isnan(value)) return static_cast<uint8_t>(format.nan == kNoNan ? format.sign ^ sign : format.nan | sign);
  int code = format.overflow;
  if (std::isfinite(value)) {
    // In units of the last place of the value's binade; the carry of rounding moves into the exponent by itself.
    int lowest_exponent = 1 - format.bias;
    int exponent = value == 0 ? lowest_exponent : std::max(std::ilogb(value), lowest_exponent);
    if (exponent <= lowest_exponent + 64) {
      double units = std::nearbyint(std::ldexp(std::fabs(value), format.mantissa_bits - exponent));
      code = ((exponent - lowest_exponent) << format.mantissa_bits) + static_cast<int>(units);
      if (code > format.largest) code = format.overflow;
    }
  }
  if (code == 0 && !format.signed_zero) return 0;
  return static_cast<uint8_t>(code | sign);
}

int NanMantissaBits(ElementType type) {
  switch (type) {
    case ElementType::kF32:
    case ElementType::kC64: return 23;
    case ElementType::kF64:
    case ElementType::kC128: return 52;
    case ElementType::kF16: return 10;
    case ElementType::kBF16: return 7;
    case ElementType::kF8E5M2: return 2;
    case ElementType::kF8E4M3: return 3;
    case ElementType::kF8E3M4: return 4;
    default: return 0;
  }
}

}  // namespace stead::ir
