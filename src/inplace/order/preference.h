// Order edges that are not needed but save a buffer: readers of an array before the op that could overwrite it.
//   scope + dataflow -> edges that leave the given ones acyclic, and the results that then need no memory of their own.
//   Used before an order is chosen (order.h).
#pragma once

#include <vector>

#include "analysis/dataflow.h"
#include "inplace/constraints/scope.h"
#include "inplace/order/hitting.h"

namespace stead::inplace {

struct Preference {
  std::vector<OrderEdge> edges;
  std::vector<analysis::DefinitionId> placed;  // contents that can be built in memory given to the scope
};

Preference PreferReaders(const ir::Module& module, const Scope& scope, const analysis::Dataflow& dataflow,
                         const ScopeContext& context, const std::vector<OrderEdge>& edges);

}  // namespace stead::inplace
