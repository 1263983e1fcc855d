// The tile loops, written once over a vector type `Lanes` of one instruction set.
//   Included by one source file per instruction set, after its target pragma: everything here is local to that file, so that code
//   for one CPU never reaches another through the linker.
//   Lanes: Scalar, Vector, kWidth, Zero, Load, Store, Broadcast, MultiplyAdd(a, b, sum); where there is a short way, Sum(vector):
//   the upper half of the lanes added to the lower half, and so on.
#pragma once

#include "cpu/kernels/matmul_kernel.h"

namespace stead::cpu {
namespace {

// kRows x (2 * kWidth) sums stay in registers; each step of the depth loads two vectors of rhs and broadcasts kRows of lhs.
template <typename Lanes, int kRows>
void Tile(int64_t depth, const typename Lanes::Scalar* lhs, const typename Lanes::Scalar* rhs, int64_t rhs_stride,
          typename Lanes::Scalar* out, int64_t out_stride, bool accumulate) {
  using Vector = typename Lanes::Vector;
  Vector sums[kRows][2];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    sums[row][0] = accumulate ? Lanes::Load(out + row * out_stride) : Lanes::Zero();
    sums[row][1] = accumulate ? Lanes::Load(out + row * out_stride + Lanes::kWidth) : Lanes::Zero();
  }
  for (int64_t step = 0; step < depth; ++step) {
    const Vector left = Lanes::Load(rhs);
    const Vector right = Lanes::Load(rhs + Lanes::kWidth);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const Vector factor = Lanes::Broadcast(lhs[row]);
      sums[row][0] = Lanes::MultiplyAdd(factor, left, sums[row][0]);
      sums[row][1] = Lanes::MultiplyAdd(factor, right, sums[row][1]);
    }
    lhs += kRows;
    rhs += rhs_stride;
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    Lanes::Store(out + row * out_stride, sums[row][0]);
    Lanes::Store(out + row * out_stride + Lanes::kWidth, sums[row][1]);
  }
}

template <typename Lanes>
typename Lanes::Scalar SumOfLanes(typename Lanes::Vector vector) {
  if constexpr (requires { Lanes::Sum(vector); }) {
    return Lanes::Sum(vector);
  } else {
    typename Lanes::Scalar parts[Lanes::kWidth];
    Lanes::Store(parts, vector);
    for (int half = Lanes::kWidth / 2; half >= 1; half /= 2) {
      for (int lane = 0; lane < half; ++lane) parts[lane] += parts[lane + half];
    }
    return parts[0];
  }
}

// Two vectors per column hide the latency of the additions.
template <typename Lanes>
void Dot(int64_t depth, const typename Lanes::Scalar* lhs, const typename Lanes::Scalar* rhs, int64_t rhs_stride,
         typename Lanes::Scalar* out) {
  using Vector = typename Lanes::Vector;
  constexpr int kWidth = Lanes::kWidth;
  Vector sums[kDotColumns][2];
  for (int column = 0; column < kDotColumns; ++column) sums[column][0] = sums[column][1] = Lanes::Zero();
  int64_t step = 0;
  for (; step + 2 * kWidth <= depth; step += 2 * kWidth) {
    const Vector left = Lanes::Load(lhs + step);
    const Vector right = Lanes::Load(lhs + step + kWidth);
#pragma GCC unroll 4
    for (int column = 0; column < kDotColumns; ++column) {
      const typename Lanes::Scalar* const row = rhs + column * rhs_stride + step;
      sums[column][0] = Lanes::MultiplyAdd(left, Lanes::Load(row), sums[column][0]);
      sums[column][1] = Lanes::MultiplyAdd(right, Lanes::Load(row + kWidth), sums[column][1]);
    }
  }
  const Vector one = Lanes::Broadcast(1);
#pragma GCC unroll 4
  for (int column = 0; column < kDotColumns; ++column)
    out[column] = SumOfLanes<Lanes>(Lanes::MultiplyAdd(one, sums[column][1], sums[column][0]));
  for (; step < depth; ++step) {
    for (int column = 0; column < kDotColumns; ++column) out[column] += lhs[step] * rhs[column * rhs_stride + step];
  }
}

// kVectors of columns at once.
template <typename Lanes, int kVectors>
void SumBlock(int64_t depth, const typename Lanes::Scalar* lhs, const typename Lanes::Scalar* rhs, int64_t rhs_stride,
              typename Lanes::Scalar* out) {
  typename Lanes::Vector sums[kVectors];
#pragma GCC unroll 8
  for (int part = 0; part < kVectors; ++part) sums[part] = Lanes::Zero();
  for (int64_t step = 0; step < depth; ++step) {
    const typename Lanes::Vector factor = Lanes::Broadcast(lhs[step]);
#pragma GCC unroll 8
    for (int part = 0; part < kVectors; ++part)
      sums[part] = Lanes::MultiplyAdd(factor, Lanes::Load(rhs + part * Lanes::kWidth), sums[part]);
    rhs += rhs_stride;
  }
#pragma GCC unroll 8
  for (int part = 0; part < kVectors; ++part) Lanes::Store(out + part * Lanes::kWidth, sums[part]);
}

// Eight vectors hide the latency of the additions. The last vector lies over the one before it where the columns end.
template <typename Lanes>
void SumRows(int64_t count, int64_t depth, const typename Lanes::Scalar* lhs, const typename Lanes::Scalar* rhs,
             int64_t rhs_stride, typename Lanes::Scalar* out) {
  constexpr int64_t kWidth = Lanes::kWidth;
  int64_t column = 0;
  for (; column + 8 * kWidth <= count; column += 8 * kWidth)
    SumBlock<Lanes, 8>(depth, lhs, rhs + column, rhs_stride, out + column);
  for (; column + 4 * kWidth <= count; column += 4 * kWidth)
    SumBlock<Lanes, 4>(depth, lhs, rhs + column, rhs_stride, out + column);
  for (; column + 2 * kWidth <= count; column += 2 * kWidth)
    SumBlock<Lanes, 2>(depth, lhs, rhs + column, rhs_stride, out + column);
  for (; column + kWidth <= count; column += kWidth)
    SumBlock<Lanes, 1>(depth, lhs, rhs + column, rhs_stride, out + column);
  if (column == count) return;
  if (count >= kWidth) {
    SumBlock<Lanes, 1>(depth, lhs, rhs + count - kWidth, rhs_stride, out + count - kWidth);
    return;
  }
  for (column = 0; column < count; ++column) out[column] = 0;
  for (int64_t step = 0; step < depth; ++step) {
    for (column = 0; column < count; ++column) out[column] += lhs[step] * rhs[step * rhs_stride + column];
  }
}

template <typename Lanes, int kSteps>
void AddRows(int64_t count, const typename Lanes::Scalar* lhs, const typename Lanes::Scalar* rhs, int64_t rhs_stride,
             typename Lanes::Scalar* out) {
  using Vector = typename Lanes::Vector;
  Vector factors[kSteps];
  for (int step = 0; step < kSteps; ++step) factors[step] = Lanes::Broadcast(lhs[step]);
  int64_t column = 0;
  for (; column + Lanes::kWidth <= count; column += Lanes::kWidth) {
    Vector sum = Lanes::Load(out + column);
#pragma GCC unroll 4
    for (int step = 0; step < kSteps; ++step) {
      sum = Lanes::MultiplyAdd(factors[step], Lanes::Load(rhs + step * rhs_stride + column), sum);
    }
    Lanes::Store(out + column, sum);
  }
  for (; column < count; ++column) {
    for (int step = 0; step < kSteps; ++step) out[column] += lhs[step] * rhs[step * rhs_stride + column];
  }
}

template <typename Lanes, int kRows>
void FillTiles(MatMulKernel<typename Lanes::Scalar>& kernel) {
  kernel.tiles[kRows] = Tile<Lanes, kRows>;
  if constexpr (kRows > 1) FillTiles<Lanes, kRows - 1>(kernel);
}

template <typename Lanes, int kRows>
MatMulKernel<typename Lanes::Scalar> MakeKernel() {
  MatMulKernel<typename Lanes::Scalar> kernel;
  kernel.rows = kRows;
  kernel.columns = 2 * Lanes::kWidth;
  FillTiles<Lanes, kRows>(kernel);
  kernel.dot = Dot<Lanes>;
  kernel.add_rows = AddRows<Lanes, kAddedRows>;
  kernel.add_row = AddRows<Lanes, 1>;
  kernel.sum_rows = SumRows<Lanes>;
  return kernel;
}

}  // namespace
}  // namespace stead::cpu
