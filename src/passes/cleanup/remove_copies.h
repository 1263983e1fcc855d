// Takes the operand itself where a copy keeps its shape and layout. A value in HLO has no address, so such a copy has no
// meaning; which copies must run is decided once, by the planner. A copy that changes the layout stays.
//   Needs: a verified module.  Keeps: meaning.  Cost: O(instructions).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> RemoveCopies(ir::Module& module);

}  // namespace stead::passes
