// Lets a loop write the rows it makes over the rows it has read.
//   A scan over the rows of x that stacks its results in y, where the memory of x may be given away, becomes a loop that replaces
//   row after row of x; y and what filled it go. A cache that is scanned over layers then needs no second cache.
//   Needs: a verified module with simple tuples, constants folded.  Keeps: meaning.
//   The same holds for tiles of several dimensions, and where x and y start as one array.
//   Cost: O(instructions + pairs of state elements of a loop + windows of a loop, at most 65,536).
//   Does not: merge when x is needed afterwards or is the caller's, when rows are read in another iteration than the one that
//   writes them, or when it cannot prove that every row is written.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> MergeScans(ir::Module& module);

}  // namespace stead::passes
