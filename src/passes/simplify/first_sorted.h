// Selects where a program sorts rows and uses only the first elements of each.
//   sort(x, 0 1 2 ...) by falling x, then the first k of both  ->  topk(x)
//   Needs: a verified module, common subexpressions merged.  Keeps: meaning; equal elements keep their order.
//   Cost: O(instructions).  Does not: touch comparators that put no order on NaN, or sorts along another dimension than the last.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> SelectFirstSorted(ir::Module& module);

}  // namespace stead::passes
