// Writes what an element of loop state always is into the loop: a constant of one element, or a fill with one.
//   ones = broadcast(1); while (i, x, ones), whose body hands ones on as it is and takes a row of it  ->  the body takes the row
//   of a fill of its own, which costs no memory. JAX saves such arrays for the backward loop of a scan.
//   Fills come in only where each reader is done in one loop with them; a product would need them in memory at each iteration.
//   Needs: a verified module with simple tuples; dead code removal drops the state.  Keeps: meaning.
//   Cost: O(state elements and their readers).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> WriteOutKnownState(ir::Module& module);

}  // namespace stead::passes
