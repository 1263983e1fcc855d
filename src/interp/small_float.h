// Floats of 16 bits and fewer: what each bit pattern means, and rounding a double to one of them.
//   Rounding is done once, to nearest, ties to even; special values follow ml_dtypes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stead::interp {

// What a format does at the ends of its range.
enum class FloatEnds : uint8_t {
  kInfinity,      // IEEE: the largest exponent holds infinity and NaNs
  kOneNan,        // "fn": all ones is NaN, no infinity; overflow gives NaN
  kUnsignedZero,  // "fnuz": the pattern of -0 is the only NaN; overflow gives NaN
  kFinite,        // neither; overflow gives the largest value
  kPowersOfTwo,   // "e8m0fnu": no sign, no zero, no mantissa; all ones is NaN
};

struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  FloatEnds ends;

  constexpr int sign_shift() const { return exponent_bits + mantissa_bits; }
  // The largest code without sign that is a finite number.
  constexpr uint32_t largest_code() const {
    uint32_t all_ones = (1u << sign_shift()) - 1;
    switch (ends) {
      case FloatEnds::kInfinity: return all_ones - (1u << mantissa_bits);
      case FloatEnds::kOneNan:
      case FloatEnds::kPowersOfTwo: return all_ones - 1;
      case FloatEnds::kUnsignedZero:
      case FloatEnds::kFinite: return all_ones;
    }
    return all_ones;
  }
};

inline constexpr SmallFloat kHalf{5, 10, 15, FloatEnds::kInfinity};
inline constexpr SmallFloat kBFloat16{8, 7, 127, FloatEnds::kInfinity};
inline constexpr SmallFloat kFloat8E5M2{5, 2, 15, FloatEnds::kInfinity};
inline constexpr SmallFloat kFloat8E4M3{4, 3, 7, FloatEnds::kInfinity};
inline constexpr SmallFloat kFloat8E3M4{3, 4, 3, FloatEnds::kInfinity};
inline constexpr SmallFloat kFloat8E4M3Fn{4, 3, 7, FloatEnds::kOneNan};
inline constexpr SmallFloat kFloat8E4M3B11Fnuz{4, 3, 11, FloatEnds::kUnsignedZero};
inline constexpr SmallFloat kFloat8E5M2Fnuz{5, 2, 16, FloatEnds::kUnsignedZero};
inline constexpr SmallFloat kFloat8E4M3Fnuz{4, 3, 8, FloatEnds::kUnsignedZero};
inline constexpr SmallFloat kFloat8E8M0Fnu{8, 0, 127, FloatEnds::kPowersOfTwo};
inline constexpr SmallFloat kFloat4E2M1Fn{2, 1, 1, FloatEnds::kFinite};

// The number that `code` stands for; every such number is a float.
float DecodeSmallFloat(const SmallFloat& format, uint32_t code);

// The code nearest to `value`.
uint32_t EncodeSmallFloat(const SmallFloat& format, double value);

}  // namespace stead::interp
