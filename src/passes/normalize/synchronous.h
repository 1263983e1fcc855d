// Turns operations that are begun in one place and ended in another into the operation itself, where it begins.
//   async-start, async-update, async-done -> call; all-reduce-start, -done -> all-reduce; copy-start, -done -> copy; ...
//   There is one processor and no one to wait for: nothing is gained by beginning early, and memory that would be pinned
//   until the end is free.
//   Needs: a verified module.  Keeps: meaning, control edges.  Does not: pairs that a loop's state parts; send and receive,
//   which do wait for someone.  Cost: O(instructions).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> MakeSynchronous(ir::Module& module);

}  // namespace stead::passes
