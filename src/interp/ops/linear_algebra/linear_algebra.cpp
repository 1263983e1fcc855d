#include "interp/ops/linear_algebra/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "interp/elements.h"
#include "interp/ops/complex_math.h"

namespace stead::interp {
namespace {

using ir::Literal;

// Matrices are read as complex whatever their type; real ones keep an imaginary part of exactly zero.
using Matrix = Complex128*;

// Writes the lower factor of the n x n matrix, of which only the lower triangle is read, over it. A matrix that is not
// positive definite gives NaN everywhere.
void FactorLower(Matrix matrix, int64_t size) {
  for (int64_t row = 0; row < size; ++row) {
    for (int64_t column = 0; column <= row; ++column) {
      Complex128 sum = matrix[row * size + column];
      for (int64_t step = 0; step < column; ++step) {
        sum -= Multiply(matrix[row * size + step], std::conj(matrix[column * size + step]));
      }
      if (row == column) {
        matrix[row * size + column] = std::sqrt(sum.real() > 0 ? sum.real() : std::numeric_limits<double>::quiet_NaN());
      } else {
        matrix[row * size + column] = sum / matrix[column * size + column].real();
      }
    }
    std::fill(matrix + row * size + row + 1, matrix + (row + 1) * size, 0);
  }
  if (size > 0 && std::isnan(matrix[size * size - 1].real())) {
    std::fill(matrix, matrix + size * size, std::numeric_limits<double>::quiet_NaN());
  }
}

// Transposes in place, conjugating.
void ConjugateTranspose(Matrix matrix, int64_t size) {
  for (int64_t row = 0; row < size; ++row) {
    matrix[row * size + row] = std::conj(matrix[row * size + row]);
    for (int64_t column = 0; column < row; ++column) {
      Complex128 below = matrix[row * size + column];
      matrix[row * size + column] = std::conj(matrix[column * size + row]);
      matrix[column * size + row] = std::conj(below);
    }
  }
}

// Solves matrix * x = vector for one vector whose elements lie `stride` apart, in place. `at(row, column)` reads the matrix
// after transposition; `lower` says which triangle that has.
template <typename At>
void Substitute(const At& at, int64_t size, bool lower, bool unit_diagonal, Complex128* vector, int64_t stride) {
  for (int64_t step = 0; step < size; ++step) {
    int64_t row = lower ? step : size - 1 - step;
    Complex128 sum = vector[row * stride];
    int64_t first = lower ? 0 : row + 1;
    int64_t last = lower ? row : size;
    for (int64_t column = first; column < last; ++column) sum -= Multiply(at(row, column), vector[column * stride]);
    vector[row * stride] = unit_diagonal ? sum : Divide(sum, at(row, row));
  }
}

}  // namespace

Result<Literal> EvaluateCholesky(const OpCall& call) {
  bool lower = call.instruction.As<ir::CholeskyAttributes>().lower;
  int64_t size = call.shape().dimensions.back();
  std::vector<Complex128> values = ReadAll<Complex128>(call.operand(0));
  for (size_t matrix = 0; matrix < values.size(); matrix += static_cast<size_t>(size * size)) {
    // The upper triangle of a Hermitian matrix is the lower one of its conjugate transpose.
    if (!lower) ConjugateTranspose(values.data() + matrix, size);
    FactorLower(values.data() + matrix, size);
    if (!lower) ConjugateTranspose(values.data() + matrix, size);
  }
  return WriteAll(call.shape(), values);
}

Result<Literal> EvaluateTriangularSolve(const OpCall& call) {
  const auto& attributes = call.instruction.As<ir::TriangularSolveAttributes>();
  int64_t size = call.operand(0).shape().dimensions.back();
  int64_t rows = call.shape().dimensions[call.shape().dimensions.size() - 2];
  int64_t columns = call.shape().dimensions.back();
  std::vector<Complex128> matrices = ReadAll<Complex128>(call.operand(0));
  std::vector<Complex128> vectors = ReadAll<Complex128>(call.operand(1));
  bool transposed = attributes.transpose_a != "NO_TRANSPOSE";
  bool conjugated = attributes.transpose_a == "ADJOINT";
  // x * op(a) = b is op(a)^T * x^T = b^T, so solving from the right transposes once more and runs along rows.
  bool swapped = transposed != !attributes.left_side;
  int64_t vector_count = attributes.left_side ? columns : rows;
  for (size_t batch = 0; batch * static_cast<size_t>(rows * columns) < vectors.size(); ++batch) {
    const Complex128* matrix = matrices.data() + batch * static_cast<size_t>(size * size);
    auto at = [&](int64_t row, int64_t column) {
      Complex128 value = swapped ? matrix[column * size + row] : matrix[row * size + column];
      return conjugated ? std::conj(value) : value;
    };
    Complex128* block = vectors.data() + batch * static_cast<size_t>(rows * columns);
    for (int64_t vector = 0; vector < vector_count; ++vector) {
      Complex128* start = attributes.left_side ? block + vector : block + vector * columns;
      Substitute(at, size, attributes.lower != swapped, attributes.unit_diagonal, start,
                 attributes.left_side ? columns : 1);
    }
  }
  return WriteAll(call.shape(), vectors);
}

}  // namespace stead::interp
