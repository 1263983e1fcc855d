// Replaces every `call` and every fusion of the given module by the instructions inside, so that our own fusion decides; gives
// each loop and branch computations of its own; forgets the order of a scheduled module.
//   Needs: a verified module.  Keeps: meaning, names of instructions of computations that are called once, source places.
//   Cost: O(instructions after inlining).  Does not: look into computations that run asynchronously or belong to custom calls.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> InlineCalls(ir::Module& module);

}  // namespace stead::passes
