// Loops that start from an array which somebody else keeps.
//   module + planned bodies -> per loop and state leaf: it may borrow its initial value instead of overwriting it.
#pragma once

#include "inplace/constraints/arcs.h"
#include "inplace/constraints/scope.h"
#include "inplace/order/hitting.h"

namespace stead::inplace {

// Records, for each loop of the scope, which leaves may borrow. REQUIRES: the bodies are planned.
void FindBorrowing(const ir::Module& module, const Scope& scope, ScopeContext& context);

// Exchanges purchases in a loop's body for others of equal weight that leave the state's content alone, so that the loop may
// borrow it. The solution stays one.
void SpareState(const ir::Module& module, const Scope& scope, const analysis::Dataflow& dataflow,
                const ScopeContext& context, const ConflictGraph& graph, HittingSolution& solution);

// Has the loop borrow the leaf, and the loops inside that would overwrite it. REQUIRES: it may.
void Borrow(const ir::Module& module, ir::InstrId loop, int32_t leaf, ScopeContext& context);

}  // namespace stead::inplace
