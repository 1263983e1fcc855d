// The final order of one scope.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/dataflow.h"
#include "inplace/constraints/arcs.h"
#include "inplace/constraints/scope.h"

namespace stead::inplace {

struct ChosenOrder {
  std::vector<int32_t> nodes;  // without the end node
  int64_t peak = 0;            // the most bytes live at once, of what the scope allocates
};

// An order of all nodes that respects `edges` (all edges and arcs of a conflict-free graph), chosen for few live bytes; the
// given order is kept when it is as good. `placed`: contents that need no memory of their own (preference.h). `chaos_seed` other
// than 0: another order takes the given one's part. REQUIRES: the edges have no cycle; the orders of loops and branches inside are chosen (ScopeContext::peaks).
ChosenOrder ChooseOrder(const ir::Module& module, const analysis::Dataflow& dataflow, const ScopeContext& context,
                        const std::vector<OrderEdge>& edges, const std::vector<analysis::DefinitionId>& placed,
                        uint64_t chaos_seed);

}  // namespace stead::inplace
