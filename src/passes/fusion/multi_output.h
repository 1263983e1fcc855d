// Gives results that are made from the same arrays one loop: a+b and a-b, or the new state of an optimizer.
//   One loop reads each array once; and since it computes element k of all results before it stores any, each result may be built
//   in the memory of an array that it, or another result, was made from.
//   Needs: a fused module.  Keeps: meaning.  Cost: O(instructions + edges).
//   Does not: join loops over different shapes, values that others than the computation's root use (both would have to live at
//   once), or readers of what is updated in place (they must be free to run before the update).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> FuseOutputs(ir::Module& module);

}  // namespace stead::passes
