// Results that the module demands in the memory of a parameter (must-alias), as part of the entry's order problem.
//   module + dataflow + conflict graph -> the graph with what each demand costs.
// What a demand needs besides (results that change places with one another) is for the planner to try (moves.h).
#pragma once

#include <cstdint>
#include <set>

#include "inplace/constraints/arcs.h"

namespace stead::inplace {

// Adds arcs from the readers of the demanded memory to the op that would build the result there, and what must be bought where the
// result, or another one, lies elsewhere in any case. An element kMove, a copy of a result when all is done, is always a way out; what the
// moves of the results in `moved` spare is left out.
void AddDemands(const ir::Module& module, const analysis::Dataflow& dataflow, const ScopeContext& context,
                const std::set<int32_t>& moved, ConflictGraph& graph);

// What parameters that change places with one another, and are nothing but results, copy beside the moves: one is set aside in each circle.
int64_t SetAsideBytes(const ir::Module& module, const analysis::Dataflow& dataflow);

}  // namespace stead::inplace
