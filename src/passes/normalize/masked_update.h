// Moves a select over a whole array into the windows that were updated:
//   select(p, dynamic-update-slice(x, u, i), x)  ->  dynamic-update-slice(x, select(p at i, u, dynamic-slice(x, i)), i)
//   select(p, scatter(x, i, u), x)               ->  scatter(x, i, select(p at i, u, gather(x, i)))
// and so for several updates of x in a row. As written, the old array is needed after the update, which costs a copy of it, and
// the select rewrites all of it; this is what a batched while loop becomes.
//   Needs: a verified module.  Keeps: meaning.  Cost: O(instructions).
//   Does not: touch an update that is also used elsewhere, arrays that are not row major, or scatters that neither replace nor add.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> NarrowMaskedUpdates(ir::Module& module);

}  // namespace stead::passes
