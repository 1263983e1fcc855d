// The innermost part of a matrix product: one tile of the output kept in registers, for each instruction set.
//   Packed operands: `lhs` holds depth x rows elements, `rhs` depth rows of `columns` elements, `rhs_stride` apart.
#pragma once

#include <cstdint>

namespace stead::cpu {

template <typename T>
struct MatMulKernel {
  static constexpr int kMostRows = 14;
  // out[r, c] = (accumulate ? out[r, c] : 0) + sum over d of lhs[d * row_count + r] * rhs[d * rhs_stride + c].
  using Tile = void(int64_t depth, const T* lhs, const T* rhs, int64_t rhs_stride, T* out, int64_t out_stride,
                    bool accumulate);
  // out[c] = sum over d of lhs[d] * rhs[c * rhs_stride + d], for the four columns of a tile: operands that are contiguous along
  // the depth.
  using Dot = void(int64_t depth, const T* lhs, const T* rhs, int64_t rhs_stride, T* out);

  // out[c] += sum over d < kAddedRows of lhs[d] * rhs[d * rhs_stride + c] for c < count: operands that are contiguous along the
  // columns, read once.
  using AddRows = void(int64_t count, const T* lhs, const T* rhs, int64_t rhs_stride, T* out);

  // out[c] = sum over d of lhs[d] * rhs[d * rhs_stride + c] for c < count: a rhs in a near cache, whose sums stay in registers.
  using SumRows = void(int64_t count, int64_t depth, const T* lhs, const T* rhs, int64_t rhs_stride, T* out);

  int rows = 0;                     // of the largest tile
  int columns = 0;                  // of every tile
  Tile* tiles[kMostRows + 1] = {};  // by number of rows
  Dot* dot = nullptr;
  AddRows* add_rows = nullptr;
  AddRows* add_row = nullptr;  // of one row
  SumRows* sum_rows = nullptr;
};

inline constexpr int kDotColumns = 4;
inline constexpr int kAddedRows = 4;

// Each instruction set fills in what it is good at; the portable kernels run everywhere.
MatMulKernel<float> PortableKernelF32();
MatMulKernel<double> PortableKernelF64();
MatMulKernel<int32_t> PortableKernelS32();
MatMulKernel<int64_t> PortableKernelS64();
MatMulKernel<float> Avx2KernelF32();
MatMulKernel<double> Avx2KernelF64();
MatMulKernel<int32_t> Avx2KernelS32();
MatMulKernel<float> Avx512KernelF32();
MatMulKernel<double> Avx512KernelF64();
MatMulKernel<int32_t> Avx512KernelS32();
MatMulKernel<int64_t> Avx512KernelS64();

// The best kernel for the CPU this process runs on.
template <typename T>
const MatMulKernel<T>& BestMatMulKernel();

}  // namespace stead::cpu
