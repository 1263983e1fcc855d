// Checks that a module is well formed: every operand fits its op, names and called computations exist, orders are topological.
//   Run after import and after every pass. An error names the instruction, its place and the rule.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace stead::ir {

Status VerifyModule(const Module& module);

// Only what printing needs: names, lists, parameters, edges and calls that form no cycle. Programs that break the rules of their
// ops can still be printed as they are.
Status VerifyStructure(const Module& module);

}  // namespace stead::ir
