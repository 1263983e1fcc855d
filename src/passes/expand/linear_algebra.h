// Writes factorizations and triangular solves out as loops over the columns or rows of their matrices, which work in place.
//   cholesky, triangular-solve -> while; halves are computed as f32.
//   Needs: a verified module.  Keeps: meaning within rounding; sums go over a row at once where the interpreter subtracts term by term.
//   Cost: one step a row, each a reduction over the matrix (cholesky) or over the right-hand sides (triangular-solve).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> ExpandLinearAlgebra(ir::Module& module);

}  // namespace stead::passes
