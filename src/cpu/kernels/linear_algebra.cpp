// Inner loops run along rows: adding a multiple of a row to another one, or the product of two rows.
#include "cpu/kernels/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "cpu/kernels/matmul_pack.h"

namespace stead::cpu {
namespace {

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;

template <typename T>
T Conjugated(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return std::conj(value);
  }
}

// std::complex's own product rescues infinities, which HLO does not.
template <typename T>
T Product(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    return left * right;
  } else {
    return {left.real() * right.real() - left.imag() * right.imag(),
            left.real() * right.imag() + left.imag() * right.real()};
  }
}

template <typename T>
void SubtractMultiple(T* target, T factor, const T* source, int64_t count) {
  for (int64_t at = 0; at < count; ++at) target[at] -= Product(factor, source[at]);
}

// The sum of left[k] * conj(right[k]) or left[k] * right[k].
template <bool kConjugated, typename T>
T RowProduct(const T* left, const T* right, int64_t count) {
  constexpr int kParts = 8;
  T parts[kParts] = {};
  auto term = [&](int64_t at) { return Product(left[at], kConjugated ? Conjugated(right[at]) : right[at]); };
  int64_t at = 0;
  for (; at + kParts <= count; at += kParts) {
    for (int part = 0; part < kParts; ++part) parts[part] += term(at + part);
  }
  for (; at < count; ++at) parts[at % kParts] += term(at);
  T sum{};
  for (T part : parts) sum += part;
  return sum;
}

// The root of what is left of a diagonal element.
template <typename T>
Real<T> DiagonalRoot(T rest) {
  Real<T> square = std::real(rest);
  return square > 0 ? std::sqrt(square) : std::numeric_limits<Real<T>>::quiet_NaN();
}

template <typename T>
void FactorLower(const T* matrix, T* factor, int64_t size) {
  for (int64_t row = 0; row < size; ++row) {
    T* const made = factor + row * size;
    for (int64_t column = 0; column <= row; ++column) {
      T rest = matrix[row * size + column] - RowProduct<true>(made, factor + column * size, column);
      made[column] = column == row ? T(DiagonalRoot(rest)) : rest / std::real(factor[column * size + column]);
    }
    std::fill(made + row + 1, made + size, T{});
  }
}

template <typename T>
void FactorUpper(const T* matrix, T* factor, int64_t size) {
  for (int64_t row = 0; row < size; ++row) {
    T* const made = factor + row * size;
    std::copy(matrix + row * size + row, matrix + (row + 1) * size, made + row);
    std::fill(made, made + row, T{});
    for (int64_t above = 0; above < row; ++above) {
      const T* const source = factor + above * size;
      SubtractMultiple(made + row, Conjugated(source[row]), source + row, size - row);
    }
    Real<T> root = DiagonalRoot(made[row]);
    made[row] = root;
    for (int64_t column = row + 1; column < size; ++column) made[column] /= root;
  }
}

constexpr double kNanosecondsPerStep = 0.3;  // a multiplication and an addition

template <typename Body>
void ForEachMatrix(int64_t count, double nanoseconds, runtime::ThreadPool& threads, Body body) {
  threads.ForEach(count, nanoseconds, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) body(number);
  });
}

template <typename T>
void FactorAll(const Cholesky& cholesky, const T* matrices, T* factors, runtime::ThreadPool& threads) {
  const int64_t elements = cholesky.size * cholesky.size;
  const double nanoseconds = kNanosecondsPerStep * static_cast<double>(elements * cholesky.size) / 3;
  ForEachMatrix(cholesky.batch, nanoseconds, threads, [&](int64_t number) {
    T* const factor = factors + number * elements;
    (cholesky.lower ? FactorLower<T> : FactorUpper<T>)(matrices + number * elements, factor, cholesky.size);
    if (elements > 0 && std::isnan(std::real(factor[elements - 1])))
      std::fill(factor, factor + elements, T(std::numeric_limits<Real<T>>::quiet_NaN()));
  });
}

// A matrix as the substitution sees it: after transposition, and with the triangle that it has then.
template <typename T>
struct Triangle {
  const T* matrix;
  int64_t size;
  bool swapped, conjugated, lower, unit_diagonal;

  T at(int64_t row, int64_t column) const {
    T value = swapped ? matrix[column * size + row] : matrix[row * size + column];
    return conjugated ? Conjugated(value) : value;
  }
  int64_t RowOfStep(int64_t step) const { return lower ? step : size - 1 - step; }
};

// Unknown `row` of all right-hand sides is a row of the solution: rows that are solved are subtracted from it.
template <typename T>
void SolveRows(const Triangle<T>& triangle, const T* sides, T* solution, int64_t vectors) {
  for (int64_t step = 0; step < triangle.size; ++step) {
    const int64_t row = triangle.RowOfStep(step);
    T* const made = solution + row * vectors;
    if (sides != solution) std::copy(sides + row * vectors, sides + (row + 1) * vectors, made);
    for (int64_t earlier = 0; earlier < step; ++earlier) {
      const int64_t solved = triangle.RowOfStep(earlier);
      SubtractMultiple(made, triangle.at(row, solved), solution + solved * vectors, vectors);
    }
    if (triangle.unit_diagonal) continue;
    const T diagonal = triangle.at(row, row);
    for (int64_t at = 0; at < vectors; ++at) made[at] /= diagonal;
  }
}

// A right-hand side is a row of the solution: what is solved of it is multiplied with a row of the triangle, laid out once.
template <typename T>
void SolveColumns(const Triangle<T>& triangle, const T* sides, T* solution, int64_t vectors) {
  const int64_t size = triangle.size;
  std::vector<T> factors(static_cast<size_t>(size));
  for (int64_t step = 0; step < size; ++step) {
    const int64_t row = triangle.RowOfStep(step);
    const int64_t first = triangle.lower ? 0 : row + 1;
    for (int64_t column = first; column < first + step; ++column)
      factors[static_cast<size_t>(column)] = triangle.at(row, column);
    const T diagonal = triangle.unit_diagonal ? T(1) : triangle.at(row, row);
    for (int64_t vector = 0; vector < vectors; ++vector) {
      T* const made = solution + vector * size;
      const T rest = sides[vector * size + row] - RowProduct<false>(factors.data() + first, made + first, step);
      made[row] = triangle.unit_diagonal ? rest : rest / diagonal;
    }
  }
}

template <typename T>
void SolveAll(const TriangularSolve& solve, const T* matrices, const T* sides, T* solutions,
              runtime::ThreadPool& threads) {
  // x * op(a) = b is op(a)^T * x^T = b^T, so solving from the right transposes once more.
  const bool swapped = solve.transposed != !solve.left_side;
  const double nanoseconds = kNanosecondsPerStep * static_cast<double>(solve.size * solve.size * solve.vectors) / 2;
  ForEachMatrix(solve.batch, nanoseconds, threads, [&](int64_t number) {
    const Triangle<T> triangle = {matrices + number * solve.size * solve.size,
                                  solve.size,
                                  swapped,
                                  solve.conjugated,
                                  solve.lower != swapped,
                                  solve.unit_diagonal};
    const int64_t offset = number * solve.size * solve.vectors;
    (solve.left_side ? SolveRows<T> : SolveColumns<T>)(triangle, sides + offset, solutions + offset, solve.vectors);
  });
}

template <typename Half>
std::vector<float> Widened(const void* halves, int64_t count) {
  std::vector<float> wide(static_cast<size_t>(count));
  std::transform(static_cast<const Half*>(halves), static_cast<const Half*>(halves) + count, wide.begin(),
                 ConvertElement<float, Half>);
  return wide;
}

template <typename Half>
void Narrow(const std::vector<float>& values, void* halves) {
  std::ranges::transform(values, static_cast<Half*>(halves), ConvertElement<Half, float>);
}

template <typename Half>
void FactorHalves(const Cholesky& cholesky, const void* matrices, void* factors, runtime::ThreadPool& threads) {
  std::vector<float> wide = Widened<Half>(matrices, cholesky.batch * cholesky.size * cholesky.size);
  FactorAll(cholesky, wide.data(), wide.data(), threads);
  Narrow<Half>(wide, factors);
}

template <typename Half>
void SolveHalves(const TriangularSolve& solve, const void* matrices, const void* sides, void* solutions,
                 runtime::ThreadPool& threads) {
  std::vector<float> wide_matrices = Widened<Half>(matrices, solve.batch * solve.size * solve.size);
  std::vector<float> wide = Widened<Half>(sides, solve.batch * solve.size * solve.vectors);
  SolveAll(solve, wide_matrices.data(), wide.data(), wide.data(), threads);
  Narrow<Half>(wide, solutions);
}

template <typename T>
void FactorAs(const Cholesky& cholesky, const void* matrices, void* factors, runtime::ThreadPool& threads) {
  FactorAll(cholesky, static_cast<const T*>(matrices), static_cast<T*>(factors), threads);
}

template <typename T>
void SolveAs(const TriangularSolve& solve, const void* matrices, const void* sides, void* solutions,
             runtime::ThreadPool& threads) {
  SolveAll(solve, static_cast<const T*>(matrices), static_cast<const T*>(sides), static_cast<T*>(solutions), threads);
}

}  // namespace

void RunCholesky(const Cholesky& cholesky, const void* matrices, void* factors, runtime::ThreadPool& threads) {
  switch (cholesky.type) {
    case MatrixType::kF16: return FactorHalves<_Float16>(cholesky, matrices, factors, threads);
    case MatrixType::kBF16: return FactorHalves<BFloat16>(cholesky, matrices, factors, threads);
    case MatrixType::kF32: return FactorAs<float>(cholesky, matrices, factors, threads);
    case MatrixType::kF64: return FactorAs<double>(cholesky, matrices, factors, threads);
    case MatrixType::kC64: return FactorAs<std::complex<float>>(cholesky, matrices, factors, threads);
    case MatrixType::kC128: return FactorAs<std::complex<double>>(cholesky, matrices, factors, threads);
  }
}

void RunTriangularSolve(const TriangularSolve& solve, const void* matrices, const void* sides, void* solutions,
                        runtime::ThreadPool& threads) {
  switch (solve.type) {
    case MatrixType::kF16: return SolveHalves<_Float16>(solve, matrices, sides, solutions, threads);
    case MatrixType::kBF16: return SolveHalves<BFloat16>(solve, matrices, sides, solutions, threads);
    case MatrixType::kF32: return SolveAs<float>(solve, matrices, sides, solutions, threads);
    case MatrixType::kF64: return SolveAs<double>(solve, matrices, sides, solutions, threads);
    case MatrixType::kC64: return SolveAs<std::complex<float>>(solve, matrices, sides, solutions, threads);
    case MatrixType::kC128: return SolveAs<std::complex<double>>(solve, matrices, sides, solutions, threads);
  }
}

}  // namespace stead::cpu
