// Drops what nobody needs: unused instructions, loop state that only feeds itself, unused elements that pass through barriers,
// and unused operands and results of branches.
//   Needs: a verified module.  Keeps: meaning, side effects, names of survivors, parameters of computations.
//   A barrier keeps nothing alive: it orders what lives on both of its sides.
//   Cost: O(instructions) per round; each round starts from what the one before freed (at most 4).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> RemoveDeadCode(ir::Module& module);

}  // namespace stead::passes
