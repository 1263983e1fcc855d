// Gives every value a place, once order and copies are decided: buffers, slices, pointer exchanges, the arena.
#pragma once

#include <vector>

#include "analysis/dataflow.h"
#include "inplace/constraints/scope.h"
#include "inplace/plan.h"

namespace stead::inplace {

// Fills buffers, placements, loops, branches, results, arena_bytes and peak_bytes of `plan`.
// REQUIRES: plan.module is ordered and free of conflicts; `scopes` holds every planned computation.
void AssignBuffers(BufferPlan& plan, const std::vector<Scope>& scopes, const ScopeContext& context,
                   const PlanOptions& options);

}  // namespace stead::inplace
