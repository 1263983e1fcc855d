// Matrix multiplication over batches, for every element type and any strides.
//   out[b, r, c] = sum over d of lhs[b, r, d] * rhs[b, d, c]. Each of b, r, c, d may be several dimensions; transposes and
//   layouts are nothing but strides. Operands are converted while they are packed; sums are kept in f32 (for 16-bit floats too),
//   f64 or wrapping integers, and converted once when stored.
//   Deterministic: the order of every sum depends on the shape only, not on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/thread_pool.h"

namespace stead::cpu {

enum class MatMulType : uint8_t { kS8, kS16, kS32, kS64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64 };

// Strides in elements; 0 in an array that does not have the dimension.
struct MatMulDimension {
  int64_t size = 1;
  int64_t lhs_stride = 0, rhs_stride = 0, out_stride = 0;
};

struct MatMul {
  MatMulType lhs = MatMulType::kF32, rhs = MatMulType::kF32, out = MatMulType::kF32;
  std::vector<MatMulDimension> batch, rows, columns, depth;  // slowest first
  // Elements are pairs of such numbers, real and imaginary part. The three types are the same.
  bool is_complex = false;
};

// Computes all of `out`, on the threads of a pool. Arrays do not overlap. Callable from any thread.
using MatMulFunction = std::function<void(const void* lhs, const void* rhs, void* out, runtime::ThreadPool& threads)>;

// Works out once what depends on the shape only.
MatMulFunction PrepareMatMul(const MatMul& matmul);

}  // namespace stead::cpu
