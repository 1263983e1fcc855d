#include "passes/cleanup/tuple_simplify.h"

#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {

using ir::InstrId;
using ir::Opcode;

Result<PassReport> SimplifyTuples(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    // In topological order, so that elements of nested tuples are already resolved when they are met.
    for (InstrId id : module.computation(computation).instructions) {
      if (module.instruction(id).opcode != Opcode::kGetTupleElement) continue;
      InstrId tuple = module.operand(id, 0);
      if (module.instruction(tuple).opcode != Opcode::kTuple) continue;
      int64_t index = module.instruction(id).As<ir::TupleElementAttributes>().index;
      changed |= Forward(module, id, module.operand(tuple, static_cast<size_t>(index)));
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
