// Which instructions do something besides making their result, and the removal of those that nobody needs.
#pragma once

#include "base/id.h"
#include "ir/module.h"

namespace stead::passes {

// Side effects of the instructions of a module as it was when the table was made.
class SideEffects {
 public:
  explicit SideEffects(const ir::Module& module);
  // May return true without cause; never misses an effect.
  bool Of(ir::InstrId id) const;

 private:
  const ir::Module& module_;
  IdVector<ir::ComputationId, bool> computations_;  // holds an instruction with a side effect
};

// Erases, in every reachable computation, the instructions that have no side effect and that nobody uses. Parameters stay.
// RETURNS whether there were any. O(instructions).
bool SweepUnused(ir::Module& module);

}  // namespace stead::passes
