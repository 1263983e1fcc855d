// Decides comparisons in loop bodies that come out the same in every iteration, because a counter's first and last value are known.
//   JAX tests every index for being negative and every scattered one for lying inside the array; with those tests gone, what
//   is left is an index that is the counter, which the planner understands.
//   Needs: a verified module.  Keeps: meaning.  Cost: O(comparisons of scalars in loop bodies x loop state).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> DecideCounterBounds(ir::Module& module);

}  // namespace stead::passes
