#include "passes/normalize/masked_update.h"

#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

// The operand number (1 or 2) of a select that is an update of the other case, used nowhere else; 0 when there is none.
size_t MaskedUpdateOperand(const ir::Module& module, const Instruction& select) {
  for (size_t number : {1, 2}) {
    InstrId id = select.operands[number];
    const Instruction& update = module.instruction(id);
    if (update.opcode != Opcode::kDynamicUpdateSlice || module.users(id).size() != 1) continue;
    if (update.operands[0] == select.operands[3 - number] && update.shape.is_row_major()) return number;
  }
  return 0;
}

// The part of the predicate that decides about the window.
InstrId PredicateAt(Builder& build, InstrId predicate, const std::vector<InstrId>& starts,
                    const std::vector<int64_t>& sizes) {
  if (build.module().shape(predicate).is_scalar()) return predicate;
  const Instruction& made = build.module().instruction(predicate);
  if (made.opcode == Opcode::kBroadcast && build.module().shape(made.operands[0]).is_scalar()) return made.operands[0];
  return build.DynamicSlice(predicate, starts, sizes);
}

bool NarrowOne(ir::Module& module, InstrId id) {
  const Instruction select = module.instruction(id);
  size_t number = MaskedUpdateOperand(module, select);
  if (number == 0) return false;
  const Instruction update = module.instruction(select.operands[number]);
  const std::vector<InstrId> starts(update.operands.begin() + 2, update.operands.end());
  const std::vector<int64_t> sizes = module.shape(update.operands[1]).dimensions;

  Builder build(module, id, select.operands[number]);
  InstrId target = update.operands[0];
  InstrId predicate = PredicateAt(build, select.operands[0], starts, sizes);
  InstrId old = build.DynamicSlice(target, starts, sizes);
  InstrId window =
      number == 1 ? build.Select(predicate, update.operands[1], old) : build.Select(predicate, old, update.operands[1]);
  return Replace(module, id, build.DynamicUpdateSlice(target, window, starts));
}

}  // namespace

Result<PassReport> NarrowMaskedUpdates(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kSelect) changed |= NarrowOne(module, id);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
