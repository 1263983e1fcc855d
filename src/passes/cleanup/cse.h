// Computes once what is computed twice: equal instructions on equal operands become one, equal loops and branches too.
//   Needs: a verified module.  Keeps: meaning, side effects, control edges, custom calls and what holds them.
//   A value behind a barrier is another value than the one before it, so nothing is merged across one.
//   Fills and ramps stay apart although what uses them is merged: filling twice costs less than one copy.
//   Cost: O(instructions) expected, by hashing.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> EliminateCommonSubexpressions(ir::Module& module);

}  // namespace stead::passes
