// Moves a select over a whole array into the window that was updated:
//   select(p, dynamic-update-slice(x, u, i), x)  ->  dynamic-update-slice(x, select(p at i, u, dynamic-slice(x, i)), i)
// As written, the old array is needed after the update, which costs a copy of it; this is what a batched while loop becomes.
//   Needs: a verified module.  Keeps: meaning.  Cost: O(instructions).
//   Does not: touch an update that is also used elsewhere, or arrays that are not row major.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> NarrowMaskedUpdates(ir::Module& module);

}  // namespace stead::passes
