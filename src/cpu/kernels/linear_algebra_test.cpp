// What the routines make is multiplied back and compared with what they were given.
#include "cpu/kernels/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "runtime/testing.h"

namespace stead::cpu {
namespace {

using Complex = std::complex<double>;
using Matrix = std::vector<Complex>;  // row after row

Matrix RandomMatrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix matrix(static_cast<size_t>(rows * columns));
  for (Complex& element : matrix) element = {uniform(random), uniform(random)};
  return matrix;
}

Matrix Multiplied(const Matrix& left, const Matrix& right, int64_t rows, int64_t depth, int64_t columns) {
  Matrix product(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t at = 0; at < depth; ++at)
        product[row * columns + column] += left[row * depth + at] * right[at * columns + column];
    }
  }
  return product;
}

Matrix Adjoint(const Matrix& matrix, int64_t size) {
  Matrix adjoint(matrix.size());
  for (int64_t row = 0; row < size; ++row) {
    for (int64_t column = 0; column < size; ++column)
      adjoint[column * size + row] = std::conj(matrix[row * size + column]);
  }
  return adjoint;
}

double Distance(const Matrix& left, const Matrix& right) {
  double largest = 0;
  for (size_t at = 0; at < left.size(); ++at) largest = std::max(largest, std::abs(left[at] - right[at]));
  return largest;
}

TEST(Cholesky, TheFactorTimesItsAdjointIsTheMatrix) {
  for (int64_t size : {1, 2, 7, 33}) {
    const Matrix root = RandomMatrix(size, size, 3);
    Matrix matrix = Multiplied(root, Adjoint(root, size), size, size, size);
    for (int64_t row = 0; row < size; ++row) matrix[row * size + row] += 1;
    for (bool lower : {false, true}) {
      // The triangle that must not be read, and the place of the result, hold garbage.
      Matrix given = matrix, factor(matrix.size(), Complex(NAN, NAN));
      for (int64_t row = 0; row < size; ++row) {
        for (int64_t column = 0; column < size; ++column) {
          if (lower ? column > row : column < row) given[row * size + column] = {NAN, NAN};
        }
      }
      RunCholesky({MatrixType::kC128, lower, 1, size}, given.data(), factor.data(), runtime::EagerPool());
      const Matrix back = lower ? Multiplied(factor, Adjoint(factor, size), size, size, size)
                                : Multiplied(Adjoint(factor, size), factor, size, size, size);
      EXPECT_LT(Distance(back, matrix), 1e-12) << size << lower;
      RunCholesky({MatrixType::kC128, lower, 1, size}, given.data(), given.data(), runtime::EagerPool());
      EXPECT_EQ(given, factor) << "over the matrix";
    }
  }
}

TEST(Cholesky, OnlyTheMatrixThatIsNotDefiniteBecomesNaN) {
  std::vector<float> matrices = {1, 2, 2, 1, 4, 2, 2, 5};
  RunCholesky({MatrixType::kF32, true, 2, 2}, matrices.data(), matrices.data(), runtime::EagerPool());
  for (int at = 0; at < 4; ++at) EXPECT_TRUE(std::isnan(matrices[at]));
  EXPECT_EQ(std::vector<float>(matrices.begin() + 4, matrices.end()), (std::vector<float>{2, 0, 1, 2}));
}

// op(matrix), with zeros and ones where the routine must not look.
Matrix Operated(const TriangularSolve& solve, const Matrix& matrix) {
  const int64_t size = solve.size;
  Matrix operated(matrix.size());
  for (int64_t row = 0; row < size; ++row) {
    for (int64_t column = 0; column < size; ++column) {
      Complex element = matrix[row * size + column];
      if (solve.lower ? column > row : column < row) element = 0;
      if (solve.unit_diagonal && row == column) element = 1;
      if (solve.conjugated) element = std::conj(element);
      operated[solve.transposed ? column * size + row : row * size + column] = element;
    }
  }
  return operated;
}

void ExpectSolved(const TriangularSolve& solve) {
  Matrix matrix = RandomMatrix(solve.size, solve.size, 5);
  for (Complex& element : matrix) element *= 0.3;
  for (int64_t row = 0; row < solve.size; ++row) matrix[row * solve.size + row] += 2;
  const Matrix solution = RandomMatrix(solve.size, solve.vectors, 7);
  const Matrix operated = Operated(solve, matrix);
  const Matrix sides = solve.left_side ? Multiplied(operated, solution, solve.size, solve.size, solve.vectors)
                                       : Multiplied(solution, operated, solve.vectors, solve.size, solve.size);
  Matrix apart(sides.size()), over = sides;
  RunTriangularSolve(solve, matrix.data(), sides.data(), apart.data(), runtime::EagerPool());
  RunTriangularSolve(solve, matrix.data(), over.data(), over.data(), runtime::EagerPool());
  EXPECT_LT(Distance(apart, solution), 1e-10)
      << solve.left_side << solve.lower << solve.transposed << solve.unit_diagonal;
  EXPECT_EQ(apart, over);
}

TEST(TriangularSolve, EveryForm) {
  for (int form = 0; form < 32; ++form) {
    for (int64_t size : {1, 3, 19}) {
      TriangularSolve solve;
      solve.type = MatrixType::kC128;
      solve.left_side = form & 1;
      solve.lower = form & 2;
      solve.unit_diagonal = form & 4;
      solve.transposed = form & 8;
      solve.conjugated = solve.transposed && (form & 16);
      solve.batch = 1;
      solve.size = size;
      solve.vectors = 4;
      ExpectSolved(solve);
    }
  }
}

TEST(TriangularSolve, HalvesAreComputedAsFloatsAndBatchesApart) {
  // Two systems of one unknown: 2 x = 3, 4 x = 1.
  std::vector<_Float16> matrices = {2, 4}, sides = {3, 1}, solutions(2);
  TriangularSolve solve;
  solve.type = MatrixType::kF16;
  solve.left_side = true;
  solve.batch = 2;
  solve.size = solve.vectors = 1;
  RunTriangularSolve(solve, matrices.data(), sides.data(), solutions.data(), runtime::EagerPool());
  EXPECT_EQ(static_cast<float>(solutions[0]), 1.5f);
  EXPECT_EQ(static_cast<float>(solutions[1]), 0.25f);
}

}  // namespace
}  // namespace stead::cpu
