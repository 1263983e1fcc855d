// Writes out batch norms (training, inference, gradient) as sums over each feature and arithmetic.
//   torch_xla sends every layer norm, group norm and batch norm as one. The variance is the mean square of the distance from
//   the mean, which stays right where the difference of two large squares would not. Elements below 32 bits are computed with
//   as f32.
//   Needs: row-major arrays, no calls.  Keeps: meaning up to the rounding of sums.  Cost: O(instructions).
//   Does not: batch norms in other layouts, which pass through.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> ExpandBatchNorms(ir::Module& module);

}  // namespace stead::passes
