// Conversions between f32/f64 and the 16-bit floats, by bits, round to nearest even, NaN kept quiet.
//   The wider tables of 8-bit and 4-bit floats live with the ops that need them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace stead::ir {

inline float BFloat16ToFloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t FloatToBFloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  bits += 0x7FFF + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

inline float HalfToFloat(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
inline uint16_t FloatToHalf(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }

}  // namespace stead::ir
