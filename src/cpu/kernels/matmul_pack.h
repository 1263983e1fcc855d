// Moves blocks of matrices between arrays of any element type and layout and the packed form that tiles read and write.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
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

// packed[d * width + m] = rows[m][d] for four of each, in registers.
inline void TransposeFour(const float* const rows[4], float* packed, int64_t width) {
  using Four = float __attribute__((vector_size(16)));
  Four row[4];
  for (int m = 0; m < 4; ++m) std::memcpy(&row[m], rows[m], sizeof row[m]);
  const Four low02 = __builtin_shufflevector(row[0], row[2], 0, 4, 1, 5);
  const Four low13 = __builtin_shufflevector(row[1], row[3], 0, 4, 1, 5);
  const Four high02 = __builtin_shufflevector(row[0], row[2], 2, 6, 3, 7);
  const Four high13 = __builtin_shufflevector(row[1], row[3], 2, 6, 3, 7);
  const Four column[4] = {
      __builtin_shufflevector(low02, low13, 0, 4, 1, 5), __builtin_shufflevector(low02, low13, 2, 6, 3, 7),
      __builtin_shufflevector(high02, high13, 0, 4, 1, 5), __builtin_shufflevector(high02, high13, 2, 6, 3, 7)};
  for (int d = 0; d < 4; ++d) std::memcpy(packed + d * width, &column[d], sizeof column[d]);
}

// The source is read along the depth, where it is contiguous, at least in runs.
template <typename T, typename Source>
void PackAlongDepth(const Source* source, const int64_t* minor, int64_t count, const int64_t* depth,
                    int64_t depth_count, T* packed, int64_t width) {
  const auto pack = [&](int64_t first_m, int64_t end_m, int64_t first_d, int64_t end_d) {
    for (int64_t m = first_m; m < end_m; ++m) {
      for (int64_t d = first_d; d < end_d; ++d) packed[d * width + m] = ConvertElement<T>(source[minor[m] + depth[d]]);
    }
  };
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Source, float>) {
    for (int64_t d = 0; d < depth_count; d += 4) {
      const bool is_run = d + 4 <= depth_count && depth[d + 1] == depth[d] + 1 && depth[d + 2] == depth[d] + 2 &&
                          depth[d + 3] == depth[d] + 3;
      const int64_t end = std::min(d + 4, depth_count);
      int64_t m = 0;
      for (; is_run && m + 4 <= count; m += 4) {
        const Source* const start = source + depth[d];
        const Source* const rows[4] = {start + minor[m], start + minor[m + 1], start + minor[m + 2],
                                       start + minor[m + 3]};
        TransposeFour(rows, packed + d * width + m, width);
      }
      pack(m, count, d, end);
    }
  } else {
    pack(0, count, 0, depth_count);
  }
}

// packed[d * width + m] = source[minor[m] + depth[d]] for m < count, 0 for count <= m < width. `minor` and `depth` are
// offsets in elements.
template <typename T, typename Source>
void PackBlock(const Source* source, const int64_t* minor, int64_t count, const int64_t* depth, int64_t depth_count,
               T* packed, int64_t width) {
  const bool is_contiguous = count > 1 && minor[count - 1] - minor[0] == count - 1 && minor[1] - minor[0] == 1;
  if (!is_contiguous && depth_count > 1 && depth[1] - depth[0] == 1) {
    PackAlongDepth(source, minor, count, depth, depth_count, packed, width);
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
