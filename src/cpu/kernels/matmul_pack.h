// Moves blocks of matrices between arrays of any element type and layout and the packed form that tiles read and write.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cpu/kernels/matmul.h"

namespace stead::cpu {

// A bf16 number; the other element types are types of C++.
struct BFloat16 {
  uint16_t bits;
};

// Calls `function` with a value of the C++ type that stands for `type`.
template <typename Function>
auto WithType(MatMulType type, Function function) {
  switch (type) {
    case MatMulType::kS8: return function(int8_t{});
    case MatMulType::kS16: return function(int16_t{});
    case MatMulType::kS32: return function(int32_t{});
    case MatMulType::kS64: return function(int64_t{});
    case MatMulType::kU8: return function(uint8_t{});
    case MatMulType::kU16: return function(uint16_t{});
    case MatMulType::kU32: return function(uint32_t{});
    case MatMulType::kU64: return function(uint64_t{});
    case MatMulType::kF16: return function(_Float16{});
    case MatMulType::kBF16: return function(BFloat16{});
    case MatMulType::kF32: return function(float{});
    case MatMulType::kF64: return function(double{});
  }
  return function(float{});
}

template <typename To, typename From>
To ConvertElement(From value) {
  if constexpr (std::is_same_v<From, BFloat16>) {
    return static_cast<To>(std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    const float number = static_cast<float>(value);
    const uint32_t bits = std::bit_cast<uint32_t>(number);
    if (std::isnan(number)) return {static_cast<uint16_t>((bits >> 16) | 0x40)};
    return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
  } else {
    return static_cast<To>(value);
  }
}

// packed[d * width + m] = source[minor[m] + depth[d]] for m < count, 0 for count <= m < width. `minor` and `depth` are
// offsets in elements.
template <typename T, typename Source>
void PackBlock(const Source* source, const int64_t* minor, int64_t count, const int64_t* depth, int64_t depth_count,
               T* packed, int64_t width) {
  const bool is_contiguous = count > 1 && minor[count - 1] - minor[0] == count - 1 && minor[1] - minor[0] == 1;
  if (!is_contiguous && depth_count > 1 && depth[1] - depth[0] == 1) {
    // Contiguous along the depth: read in that order.
    for (int64_t m = 0; m < count; ++m) {
      for (int64_t d = 0; d < depth_count; ++d) packed[d * width + m] = ConvertElement<T>(source[minor[m] + depth[d]]);
    }
  } else {
    for (int64_t d = 0; d < depth_count; ++d) {
      const Source* const row = source + depth[d] + minor[0];
      T* const target = packed + d * width;
      if (is_contiguous) {
        for (int64_t m = 0; m < count; ++m) target[m] = ConvertElement<T>(row[m]);
      } else {
        for (int64_t m = 0; m < count; ++m) target[m] = ConvertElement<T>(row[minor[m] - minor[0]]);
      }
    }
  }
  if (count == width) return;
  for (int64_t d = 0; d < depth_count; ++d) {
    for (int64_t m = count; m < width; ++m) packed[d * width + m] = T(0);
  }
}

// out[rows[r] + columns[c]] = block[r * stride + c].
template <typename T, typename Target>
void UnpackBlock(const T* block, int64_t stride, Target* out, const int64_t* rows, int64_t row_count,
                 const int64_t* columns, int64_t column_count) {
  for (int64_t row = 0; row < row_count; ++row) {
    Target* const target = out + rows[row];
    for (int64_t column = 0; column < column_count; ++column) {
      target[columns[column]] = ConvertElement<Target>(block[row * stride + column]);
    }
  }
}

}  // namespace stead::cpu
