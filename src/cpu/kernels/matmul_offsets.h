// Where the elements of a group of dimensions lie in one array of a product.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/kernels/matmul.h"

namespace stead::cpu {

inline int64_t Count(const std::vector<MatMulDimension>& dimensions) {
  int64_t count = 1;
  for (const MatMulDimension& dimension : dimensions) count *= dimension.size;
  return count;
}

// The offset of every index of a group of dimensions, in row-major order, for one of the arrays.
inline std::vector<int64_t> Offsets(const std::vector<MatMulDimension>& dimensions, int64_t MatMulDimension::* stride) {
  std::vector<int64_t> offsets = {0};
  for (const MatMulDimension& dimension : dimensions) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * dimension.size);
    for (int64_t offset : offsets) {
      for (int64_t index = 0; index < dimension.size; ++index) next.push_back(offset + index * dimension.*stride);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace stead::cpu
