// Makes before a loop what its body makes alike in every iteration.
//   while (i, h): h = tanh(h @ (0.1 * w))  ->  v = 0.1 * w; while (i, h, v): h = tanh(h @ v)
//   Only arrays that an op needs in memory (a product's operand), or that are dear to compute; others are made where they are used,
//   in one loop with their users. The loop keeps no more bytes for them than it has of what they are made from, or a few.
//   Needs: a verified module with simple tuples.  Keeps: meaning.  Cost: O(instructions).
//   Does not: hoist scalars, what stands behind a barrier, or out of loops whose computations are called elsewhere too.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> HoistInvariants(ir::Module& module);

}  // namespace stead::passes
