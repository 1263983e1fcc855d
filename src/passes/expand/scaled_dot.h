// Writes out products of scaled operands: scales spread over their blocks, multiplied in bf16, and a plain product.
//   scaled-dot(f8e4m3fn[4,64], f8e4m3fn[64,6], f8e8m0fnu[4,2], f8e8m0fnu[2,6]) has a scale for 32 elements each.
//   JAX's own decomposition of the op multiplies in bf16 too.
//   Needs: row-major arrays, no calls.  Keeps: meaning up to the rounding of sums.  Cost: O(instructions).
//   Does not: arrays in other layouts, which pass through.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> ExpandScaledDots(ir::Module& module);

}  // namespace stead::passes
