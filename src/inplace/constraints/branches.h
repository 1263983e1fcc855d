// Conditionals as pointer choices: which operands a branch may overwrite or hand on, and where results are handed over.
//   A branch result that is an operand, or an update of one, moves no bytes: the result's pointer is set to it.
#pragma once

#include <vector>

#include "inplace/constraints/scope.h"

namespace stead::inplace {

// The context as it would be if every branch owned all of its operands: what branches may come to overwrite.
ScopeContext WithAllGranted(const ir::Module& module, const std::vector<Scope>& scopes, const ScopeContext& context);

// Decides, for each conditional of the scope, which operand leaves its branches own: those of which nobody needs afterwards what
// a branch may overwrite. Call for outer scopes before inner ones, before anything is planned; loops' untouched state must be known.
void GrantBranchOperands(const ir::Module& module, const Scope& scope, const ScopeContext& all_granted,
                         ScopeContext& context);

// Per node: it must come after `start`.
std::vector<bool> NodesAfter(const ir::Module& module, const analysis::Dataflow& dataflow, int32_t start);

// Records, for each conditional of the scope, what its planned branches do with the operands they own.
void SummariseBranches(const ir::Module& module, const Scope& scope, ScopeContext& context);

}  // namespace stead::inplace
