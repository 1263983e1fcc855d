// Runs a plan: the final order, on shared bytes, with the interpreter as the meaning of each op. The concrete oracle behind
// the checker's proof and the machine code: what it computes is what the plan says, sharing mistakes included.
//   Memory starts poisoned. Arrays must be row major. Slow; used by tests. A plan need not be right to be run: what it does
//   outside of its buffers, to memory that is not the program's, or without end is an error.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "inplace/plan.h"
#include "ir/literal.h"

namespace stead::inplace {

// `arguments`: one array per entry parameter leaf. Returns one array per result leaf.
// RETURNS an error for ops that the interpreter has no meaning for, for other layouts, and (kInternal) for a plan that leaves
// its buffers, changes what belongs to the caller, or returns memory twice or memory that is not its own.
Result<std::vector<ir::Literal>> ReplayPlan(const BufferPlan& plan, std::span<const ir::Literal> arguments);

}  // namespace stead::inplace
