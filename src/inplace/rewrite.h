// Changes to a module that insert what was bought: private copies and snapshots, inside tuples too.
//   After each call the list of the computation is topological again; order is chosen later (order.h).
#pragma once

#include <vector>

#include "analysis/dataflow.h"
#include "inplace/constraints/arcs.h"
#include "ir/module.h"

namespace stead::inplace {

// An instruction whose value is array leaf `leaf` of `id`: itself, what a tuple was made of, or a get-tuple-element.
// New instructions stand before `position`.
ir::InstrId LeafValue(ir::Module& module, ir::InstrId id, int32_t leaf, ir::InstrId position);

// Makes `user` take `value` for array leaf `leaf` of its operand.
void ReplaceOperandLeaf(ir::Module& module, ir::InstrId user, int32_t operand, int32_t leaf, ir::InstrId value);

// Makes the computation return `value`, which is one of its instructions, as result leaf `leaf`.
void ReplaceResult(ir::Module& module, ir::ComputationId computation, int32_t leaf, ir::InstrId value);

// Copies result leaf `leaf` of the computation and returns the copy instead. Returns the copy.
ir::InstrId CopyResult(ir::Module& module, ir::ComputationId computation, int32_t leaf, ir::CopyReason reason);

// A snapshot of a box is a slice that moves nothing and a copy of it; `view` is that slice when the box is contiguous.
struct Bought {
  ir::InstrId copy;
  ir::InstrId view;
};

// Inserts a bought element. REQUIRES: `dataflow` was made before any change; elements are inserted one by one.
Bought InsertElement(ir::Module& module, const analysis::Dataflow& dataflow, const Element& element,
                     ir::CopyReason reason);

// Erases forwarding instructions that nobody uses any more.
void EraseUnusedForwards(ir::Module& module, ir::ComputationId computation);

}  // namespace stead::inplace
