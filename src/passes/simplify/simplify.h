// Applies the algebraic rules of simplify/ until none fits.
//   Needs: a verified module.  Keeps: meaning, every result of floating point bit by bit, barriers.
//   Cost: O(instructions + applied rules); at most 8 applications per instruction of the given module.
//   Does not: touch arrays that are not row major.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> Simplify(ir::Module& module);

}  // namespace stead::passes
