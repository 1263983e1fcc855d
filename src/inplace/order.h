// The final order of one scope.
#pragma once

#include <vector>

#include "analysis/dataflow.h"
#include "inplace/arcs.h"
#include "inplace/scope.h"

namespace stead::inplace {

// An order of all nodes that respects `edges` (all edges and arcs of a conflict-free graph), chosen for few live bytes; the
// given order is kept when it is as good. REQUIRES: the edges have no cycle; the end node is left out of the result.
std::vector<int32_t> ChooseOrder(const ir::Module& module, const analysis::Dataflow& dataflow,
                                 const ScopeContext& context, const std::vector<OrderEdge>& edges);

}  // namespace stead::inplace
