// Factorizations of and solves with batches of matrices that lie row after row.
//   The result may lie over the matrix (cholesky) or over the right-hand sides (triangular solve), or elsewhere; it must not
//   overlap them in part. Halves are computed as f32. Sums are in the order of their terms, in several parts.
#pragma once

#include <cstdint>

#include "runtime/thread_pool.h"

namespace stead::cpu {

enum class MatrixType : uint8_t { kF16, kBF16, kF32, kF64, kC64, kC128 };

struct Cholesky {
  MatrixType type = MatrixType::kF32;
  bool lower = false;  // the triangle that is read, and filled; the other one becomes zero
  int64_t batch = 0;   // matrices
  int64_t size = 0;    // rows and columns of each
};

struct TriangularSolve {
  MatrixType type = MatrixType::kF32;
  bool left_side = false;  // op(matrix) * solution = sides, or solution * op(matrix) = sides
  bool lower = false;      // the triangle of the matrix, before op, that is read
  bool unit_diagonal = false;
  bool transposed = false, conjugated = false;  // op
  int64_t batch = 0;
  int64_t size = 0;     // rows and columns of each matrix
  int64_t vectors = 0;  // right-hand sides of each
};

// factor * factor^H = matrix. A matrix that is not positive definite gives NaN everywhere.
void RunCholesky(const Cholesky& cholesky, const void* matrices, void* factors, runtime::ThreadPool& threads);

void RunTriangularSolve(const TriangularSolve& solve, const void* matrices, const void* sides, void* solutions,
                        runtime::ThreadPool& threads);

}  // namespace stead::cpu
