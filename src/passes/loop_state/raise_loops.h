// Does at once, on whole arrays, what a loop does tile by tile.
//   while (i, y): y = dynamic-update-slice(y, f(dynamic-slice(x, i)), i)  ->  y = f(x)
//   for elementwise f, when the tiles are all of y and no iteration reads what another one writes: lax.map of arithmetic, a scan
//   without carry, a kernel over a grid of blocks. The loop disappears: one kernel instead of one per tile, shared by all threads.
//   Needs: a verified module, row-major arrays.  Keeps: meaning, to the bit.
//   Does not: raise a loop that also does anything else, whose tiles need more than kMostOps (raise_loops.cpp) ops, or part of a loop.
//   Cost: O(instructions of the loop * arrays that it makes), and what analysis::WalkOf takes.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> RaiseLoops(ir::Module& module);

}  // namespace stead::passes
