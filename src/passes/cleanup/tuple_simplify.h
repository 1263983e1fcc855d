// Takes the element itself where an element is taken out of a tuple that has just been built.
//   Needs: a verified module.  Keeps: meaning, barriers, loops and branches with their tuples.  Cost: O(instructions).
//   Does not: replace a tuple that only rebuilds another one; loops, barriers and roots read better with their leaves in sight.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> SimplifyTuples(ir::Module& module);

}  // namespace stead::passes
