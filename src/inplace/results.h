// Results that must be buffers of their own: before any order is decided, each result leaf of a scope is made a distinct
// content that may leave the scope.
#pragma once

#include <vector>

#include "inplace/plan.h"
#include "inplace/scope.h"

namespace stead::inplace {

// Inserts copies of results that are the caller's, a constant, state the loop does not change, or returned twice.
// Returns their records, complete.
std::vector<CopyRecord> SettleResults(ir::Module& module, const Scope& scope, const ScopeContext& context);

}  // namespace stead::inplace
