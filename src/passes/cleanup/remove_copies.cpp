#include "passes/cleanup/remove_copies.h"

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {

Result<PassReport> RemoveCopies(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (ir::InstrId id : module.computation(computation).instructions) {
      if (module.instruction(id).opcode == ir::Opcode::kCopy) changed |= Forward(module, id, module.operand(id, 0));
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
