// Conditionals as pointer choices: which operands a branch may overwrite or hand on, and where results are handed over.
//   A branch result that is an operand, or an update of one, moves no bytes: the result's pointer is set to it.
#pragma once

#include "inplace/constraints/scope.h"

namespace stead::inplace {

// Decides, for each conditional of the scope, which operand leaves its branches own: those that nobody needs afterwards.
// Call for outer scopes before inner ones, before anything is planned; loops' untouched state must be known.
void GrantBranchOperands(const ir::Module& module, const Scope& scope, ScopeContext& context);

// Records, for each conditional of the scope, what its planned branches do with the operands they own.
void SummariseBranches(const ir::Module& module, const Scope& scope, ScopeContext& context);

}  // namespace stead::inplace
