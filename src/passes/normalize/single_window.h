// Turns a scatter of one window into a dynamic-update-slice and a gather of one window into a (dynamic) slice, so that what is
// read and written is a box of the array that planning can reason about.
//   x.at[0,0].add(1) arrives as a scatter; it leaves as slice + add + dynamic-update-slice.
//   Needs: a verified module; constants folded, so that known indices are seen.  Keeps: meaning: a scatter drops a window
//   that is out of bounds where an update would clamp it, so an index that is not known becomes a select of the old window.
//   Cost: O(instructions).  Does not: touch arrays that are not row major, or several windows, or combiners with loops.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> SimplifySingleWindows(ir::Module& module);

}  // namespace stead::passes
