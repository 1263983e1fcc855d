// Gives each place that may build a value in a fill's memory a fill of its own: filling twice costs less than filling and copying.
//   z = broadcast(0); tuple(z, z) as loop state  ->  two broadcasts, so that both states may be updated in place.
//   The same for constants of one element, such as the start of two loops' counters.
//   Needs: a verified module.  Keeps: meaning.  Cost: O(instructions).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> GiveOwnFills(ir::Module& module);

}  // namespace stead::passes
