// Every path of the product against three nested loops: sizes around the tiles' edges, strides, batches, element types.
#include "cpu/kernels/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <string>

#include "cpu/kernels/matmul_kernel.h"
#include "cpu/kernels/matmul_pack.h"
#include "runtime/testing.h"

namespace stead::cpu {
namespace {

struct Sizes {
  int64_t batch = 1, rows = 1, columns = 1, depth = 1;
};

// Which arrays have their last two dimensions exchanged in memory.
struct Transposed {
  bool lhs = false, rhs = false, out = false;
};

MatMul Make(MatMulType lhs, MatMulType rhs, MatMulType out, Sizes size, Transposed transposed = {}) {
  const auto strides = [](int64_t outer, int64_t inner, bool swapped) {
    return swapped ? std::pair<int64_t, int64_t>(1, outer) : std::pair<int64_t, int64_t>(inner, 1);
  };
  const auto [lhs_row, lhs_depth] = strides(size.rows, size.depth, transposed.lhs);
  const auto [rhs_depth, rhs_column] = strides(size.depth, size.columns, transposed.rhs);
  const auto [out_row, out_column] = strides(size.rows, size.columns, transposed.out);
  MatMul matmul{lhs, rhs, out, {}, {}, {}, {}};
  if (size.batch > 1) {
    matmul.batch = {{size.batch, size.rows * size.depth, size.depth * size.columns, size.rows * size.columns}};
  }
  matmul.rows = {{size.rows, lhs_row, 0, out_row}};
  matmul.columns = {{size.columns, 0, rhs_column, out_column}};
  matmul.depth = {{size.depth, lhs_depth, rhs_depth, 0}};
  return matmul;
}

template <typename T>
std::vector<T> Random(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<T> values;
  for (int64_t index = 0; index < count; ++index) {
    const int number = static_cast<int>(generator() % 33) - 16;
    values.push_back(ConvertElement<T>(static_cast<float>(number) / (std::is_integral_v<T> ? 1 : 8)));
  }
  return values;
}

int64_t CountOf(const std::vector<MatMulDimension>& dimensions) {
  int64_t count = 1;
  for (const MatMulDimension& dimension : dimensions) count *= dimension.size;
  return count;
}

// The offset of the `index`-th element of a group in one array.
int64_t OffsetOf(const std::vector<MatMulDimension>& dimensions, int64_t MatMulDimension::* stride, int64_t index) {
  int64_t offset = 0;
  for (size_t dim = dimensions.size(); dim-- > 0;) {
    offset += index % dimensions[dim].size * (dimensions[dim].*stride);
    index /= dimensions[dim].size;
  }
  return offset;
}

// `Sum`: the type of exact sums of these small numbers.
template <typename Lhs, typename Rhs, typename Out, typename Sum>
void ExpectRight(const MatMul& matmul, int64_t lhs_size, int64_t rhs_size, int64_t out_size) {
  const std::vector<Lhs> lhs = Random<Lhs>(lhs_size, 1);
  const std::vector<Rhs> rhs = Random<Rhs>(rhs_size, 2);
  std::vector<Out> out(out_size, ConvertElement<Out>(77.0f));
  PrepareMatMul(matmul)(lhs.data(), rhs.data(), out.data(), runtime::EagerPool());
  for (int64_t batch = 0; batch < CountOf(matmul.batch); ++batch) {
    for (int64_t row = 0; row < CountOf(matmul.rows); ++row) {
      for (int64_t column = 0; column < CountOf(matmul.columns); ++column) {
        const auto offset = [&](int64_t MatMulDimension::* stride) {
          return OffsetOf(matmul.batch, stride, batch) + OffsetOf(matmul.rows, stride, row) +
                 OffsetOf(matmul.columns, stride, column);
        };
        Sum sum = 0;
        for (int64_t step = 0; step < CountOf(matmul.depth); ++step) {
          sum += ConvertElement<Sum>(lhs[offset(&MatMulDimension::lhs_stride) +
                                         OffsetOf(matmul.depth, &MatMulDimension::lhs_stride, step)]) *
                 ConvertElement<Sum>(rhs[offset(&MatMulDimension::rhs_stride) +
                                         OffsetOf(matmul.depth, &MatMulDimension::rhs_stride, step)]);
        }
        const Out actual = out[offset(&MatMulDimension::out_stride)];
        // The numbers are multiples of 1/64 and small, so every sum is exact in f32.
        ASSERT_EQ(ConvertElement<double>(actual), ConvertElement<double>(ConvertElement<Out>(sum)))
            << "batch " << batch << " row " << row << " column " << column;
      }
    }
  }
}

template <typename Lhs, typename Rhs, typename Out, typename Sum>
void ExpectRight(MatMulType lhs, MatMulType rhs, MatMulType out, Sizes size, Transposed transposed = {}) {
  SCOPED_TRACE(::testing::Message() << size.batch << " x " << size.rows << "x" << size.depth << " * " << size.depth
                                    << "x" << size.columns << " transposed " << transposed.lhs << transposed.rhs
                                    << transposed.out);
  ExpectRight<Lhs, Rhs, Out, Sum>(Make(lhs, rhs, out, size, transposed), size.batch * size.rows * size.depth,
                                  size.batch * size.depth * size.columns, size.batch * size.rows * size.columns);
}

TEST(MatMul, SizesAroundTiles) {
  for (int64_t rows : {1, 2, 3, 5, 13, 14, 15, 31}) {
    for (int64_t columns : {1, 2, 4, 7, 31, 32, 33, 70}) {
      for (int64_t depth : {1, 3, 16, 65}) {
        ExpectRight<float, float, float, float>(MatMulType::kF32, MatMulType::kF32, MatMulType::kF32,
                                                {1, rows, columns, depth});
      }
    }
  }
}

TEST(MatMul, SeveralBlocks) {
  ExpectRight<float, float, float, float>(MatMulType::kF32, MatMulType::kF32, MatMulType::kF32, {1, 30, 550, 300});
  ExpectRight<float, float, float, float>(MatMulType::kF32, MatMulType::kF32, MatMulType::kF32, {1, 1100, 40, 20});
  ExpectRight<float, float, BFloat16, float>(MatMulType::kF32, MatMulType::kF32, MatMulType::kBF16, {1, 1100, 550, 3});
  ExpectRight<double, double, double, double>(MatMulType::kF64, MatMulType::kF64, MatMulType::kF64, {1, 30, 550, 300});
}

TEST(MatMul, EveryTranspose) {
  for (int64_t rows : {1, 3, 40}) {
    for (int64_t columns : {1, 3, 40}) {
      for (int mask = 0; mask < 8; ++mask) {
        ExpectRight<float, float, float, float>(MatMulType::kF32, MatMulType::kF32, MatMulType::kF32,
                                                {3, rows, columns, 37},
                                                {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0});
      }
    }
  }
}

TEST(MatMul, ElementTypes) {
  const Sizes size{2, 17, 35, 50};
  ExpectRight<double, double, double, double>(MatMulType::kF64, MatMulType::kF64, MatMulType::kF64, size);
  ExpectRight<BFloat16, BFloat16, BFloat16, float>(MatMulType::kBF16, MatMulType::kBF16, MatMulType::kBF16, size);
  ExpectRight<BFloat16, BFloat16, float, float>(MatMulType::kBF16, MatMulType::kBF16, MatMulType::kF32, size);
  ExpectRight<_Float16, _Float16, _Float16, float>(MatMulType::kF16, MatMulType::kF16, MatMulType::kF16, size);
  ExpectRight<BFloat16, float, float, float>(MatMulType::kBF16, MatMulType::kF32, MatMulType::kF32, size);
  ExpectRight<int8_t, int8_t, int32_t, int32_t>(MatMulType::kS8, MatMulType::kS8, MatMulType::kS32, size);
  ExpectRight<int32_t, int32_t, int32_t, int32_t>(MatMulType::kS32, MatMulType::kS32, MatMulType::kS32, size);
  ExpectRight<int64_t, int64_t, int64_t, int64_t>(MatMulType::kS64, MatMulType::kS64, MatMulType::kS64, size);
}

// Sums round, so another order would show.
TEST(MatMul, TheSameBitsOnAnyNumberOfThreads) {
  for (Sizes size : {Sizes{1, 1, 5000, 70}, {1, 3, 900, 40}, {1, 130, 1050, 300}, {1, 2100, 17, 70}, {5, 20, 30, 40}}) {
    for (Transposed transposed : {Transposed{}, {.rhs = true}, {.out = true}}) {
      const MatMul matmul = Make(MatMulType::kF32, MatMulType::kF32, MatMulType::kF32, size, transposed);
      std::vector<float> lhs = Random<float>(size.batch * size.rows * size.depth, 1);
      const std::vector<float> rhs = Random<float>(size.batch * size.depth * size.columns, 2);
      for (float& number : lhs) number *= 0.1f;
      const auto product = [&](runtime::ThreadPool& threads) {
        std::vector<float> out(static_cast<size_t>(size.batch * size.rows * size.columns), 77);
        PrepareMatMul(matmul)(lhs.data(), rhs.data(), out.data(), threads);
        return out;
      };
      const std::vector<float> expected = product(runtime::ThreadPool::OfCaller());
      for (int threads : {2, 3, 8}) {
        runtime::ThreadPool pool(threads, runtime::kShareEverything);
        EXPECT_EQ(product(pool), expected) << threads << " threads, " << size.rows << "x" << size.columns;
      }
    }
  }
}

TEST(MatMul, IntegersWrap) {
  const MatMul matmul = Make(MatMulType::kU8, MatMulType::kU8, MatMulType::kU8, {1, 1, 5, 300});
  const std::vector<uint8_t> lhs(300, 255);
  const std::vector<uint8_t> rhs(1500, 3);
  std::vector<uint8_t> out(5);
  PrepareMatMul(matmul)(lhs.data(), rhs.data(), out.data(), runtime::EagerPool());
  for (uint8_t element : out) EXPECT_EQ(element, static_cast<uint8_t>(300 * 255 * 3));
}

TEST(MatMul, EmptyDepthGivesZeros) {
  const MatMul matmul = Make(MatMulType::kF32, MatMulType::kF32, MatMulType::kBF16, {1, 3, 5, 0});
  std::vector<uint16_t> out(15, 0x4000);
  PrepareMatMul(matmul)(nullptr, nullptr, out.data(), runtime::EagerPool());
  for (uint16_t element : out) EXPECT_EQ(element, 0);
}

TEST(MatMul, SeveralDimensionsPerGroup) {
  // lhs [2, 3, 4, 5], contracting dimensions 1 and 3, rhs [5, 3, 6].
  MatMul matmul;
  matmul.rows = {{2, 60, 0, 24}, {4, 5, 0, 6}};
  matmul.columns = {{6, 0, 1, 1}};
  matmul.depth = {{3, 20, 6, 0}, {5, 1, 18, 0}};
  ExpectRight<float, float, float, float>(matmul, 120, 90, 48);
}

template <typename T>
void ExpectSumsOfRows(const MatMulKernel<T>& kernel) {
  const int64_t depth = 11, stride = 300;
  const std::vector<T> lhs = Random<T>(depth, 7);
  const std::vector<T> rhs = Random<T>(depth * stride, 8);
  for (int64_t count : {1, 3, 8, 17, 31, 32, 65, 129, 255, 300}) {
    std::vector<T> out(stride + 1, T(9));
    kernel.sum_rows(count, depth, lhs.data(), rhs.data(), stride, out.data());
    for (int64_t column = 0; column < count; ++column) {
      T sum = 0;
      for (int64_t step = 0; step < depth; ++step) sum += lhs[step] * rhs[step * stride + column];
      ASSERT_EQ(out[column], sum) << count << ' ' << column;
    }
    EXPECT_EQ(out[count], T(9)) << "beyond the columns";
  }
}

template <typename T>
void ExpectKernel(const MatMulKernel<T>& kernel) {
  for (int rows = 1; rows <= kernel.rows; ++rows) {
    const int64_t depth = 9;
    const std::vector<T> lhs = Random<T>(depth * rows, 3);
    const std::vector<T> rhs = Random<T>(depth * kernel.columns, 4);
    std::vector<T> out(rows * kernel.columns, T(1));
    kernel.tiles[rows](depth, lhs.data(), rhs.data(), kernel.columns, out.data(), kernel.columns, true);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < kernel.columns; ++column) {
        T sum = 1;
        for (int64_t step = 0; step < depth; ++step)
          sum += lhs[step * rows + row] * rhs[step * kernel.columns + column];
        ASSERT_EQ(out[row * kernel.columns + column], sum);
      }
    }
  }
  const int64_t depth = 75;
  const std::vector<T> lhs = Random<T>(depth, 5);
  const std::vector<T> rhs = Random<T>(depth * kDotColumns, 6);
  std::vector<T> out(kDotColumns);
  kernel.dot(depth, lhs.data(), rhs.data(), depth, out.data());
  for (int column = 0; column < kDotColumns; ++column) {
    T sum = 0;
    for (int64_t step = 0; step < depth; ++step) sum += lhs[step] * rhs[column * depth + step];
    EXPECT_EQ(out[column], sum);
  }
  ExpectSumsOfRows(kernel);
}

template <typename T>
void ExpectComplex(MatMulType type, Sizes size, Transposed transposed) {
  MatMul matmul = Make(type, type, type, size, transposed);
  matmul.is_complex = true;
  const int64_t lhs_size = size.batch * size.rows * size.depth;
  const int64_t rhs_size = size.batch * size.depth * size.columns;
  const std::vector<T> lhs = Random<T>(2 * lhs_size, 1);
  const std::vector<T> rhs = Random<T>(2 * rhs_size, 2);
  std::vector<T> out(2 * size.batch * size.rows * size.columns, T(77));
  PrepareMatMul(matmul)(lhs.data(), rhs.data(), out.data(), runtime::EagerPool());
  const auto number = [](const std::vector<T>& numbers, int64_t place) {
    return std::complex<T>(numbers[2 * place], numbers[2 * place + 1]);
  };
  for (int64_t batch = 0; batch < size.batch; ++batch) {
    for (int64_t row = 0; row < size.rows; ++row) {
      for (int64_t column = 0; column < size.columns; ++column) {
        std::complex<T> sum = 0;
        for (int64_t depth = 0; depth < size.depth; ++depth) {
          const int64_t left = transposed.lhs ? depth * size.rows + row : row * size.depth + depth;
          const int64_t right = transposed.rhs ? column * size.depth + depth : depth * size.columns + column;
          sum += number(lhs, batch * size.rows * size.depth + left) *
                 number(rhs, batch * size.depth * size.columns + right);
        }
        const int64_t place = transposed.out ? column * size.rows + row : row * size.columns + column;
        // These sums of small numbers are exact.
        ASSERT_EQ(number(out, batch * size.rows * size.columns + place), sum) << row << ' ' << column;
      }
    }
  }
}

TEST(MatMul, Complex) {
  // The last one is cut into panels.
  for (const Sizes size : {Sizes{1, 1, 1, 1}, Sizes{1, 5, 3, 7}, Sizes{1, 3, 40, 9}, Sizes{3, 20, 17, 33},
                           Sizes{2, 4, 3, 0}, Sizes{1, 7, 7, 150000}}) {
    for (int swapped = 0; swapped < 8; ++swapped) {
      const Transposed transposed = {(swapped & 1) != 0, (swapped & 2) != 0, (swapped & 4) != 0};
      ExpectComplex<float>(MatMulType::kF32, size, transposed);
      ExpectComplex<double>(MatMulType::kF64, size, transposed);
    }
  }
}

TEST(MatMulKernel, Portable) {
  ExpectKernel(PortableKernelF32());
  ExpectKernel(PortableKernelF64());
  ExpectKernel(PortableKernelS32());
  ExpectKernel(PortableKernelS64());
}

TEST(MatMulKernel, Avx2) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "this CPU has no AVX2";
  ExpectKernel(Avx2KernelF32());
  ExpectKernel(Avx2KernelF64());
  ExpectKernel(Avx2KernelS32());
}

TEST(MatMulKernel, Avx512) {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq"))
    GTEST_SKIP() << "this CPU has no AVX-512";
  ExpectKernel(Avx512KernelF32());
  ExpectKernel(Avx512KernelF64());
  ExpectKernel(Avx512KernelS32());
  ExpectKernel(Avx512KernelS64());
}

}  // namespace
}  // namespace stead::cpu
