// Results that must be buffers of their own: before any order is decided, each result leaf of a scope is made a distinct
// content that may leave the scope.
#pragma once

#include <map>
#include <vector>

#include "inplace/constraints/scope.h"
#include "inplace/plan.h"

namespace stead::inplace {

// Inserts copies of results that are the caller's, a constant, state the loop does not change, or returned twice, and of those
// that `moved` names: result leaves of the entry that cannot stay where they are made, and how many copies move them (a second one
// where results change places). Returns their records, complete. `dataflow`: of the scope, as it was.
std::vector<CopyRecord> SettleResults(ir::Module& module, const Scope& scope, const analysis::Dataflow& dataflow,
                                      const ScopeContext& context, const std::map<int32_t, int>& moved);

}  // namespace stead::inplace
