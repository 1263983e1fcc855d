#include "passes/rewrite/sweep.h"

#include <algorithm>
#include <vector>

namespace stead::passes {

using ir::ComputationId;
using ir::InstrId;
using ir::Opcode;

SideEffects::SideEffects(const ir::Module& module) : module_(module), computations_(module.computation_count(), false) {
  // Callees come first, so that an effect deep inside is seen at every level above.
  for (ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId>& list = module.computation(computation).instructions;
    computations_[computation] = std::ranges::any_of(list, [&](InstrId id) { return Of(id); });
  }
}

bool SideEffects::Of(InstrId id) const {
  const ir::Instruction& instruction = module_.instruction(id);
  if (ir::HasTrait(instruction.opcode, ir::kEffect)) return true;
  if (instruction.opcode == Opcode::kCustomCall && instruction.As<ir::CustomCallAttributes>().has_side_effect)
    return true;
  // A computation made after the table was cannot hold an effect that its maker did not already see elsewhere.
  return std::ranges::any_of(instruction.called, [&](ComputationId callee) {
    return callee.index() < computations_.size() && computations_[callee];
  });
}

namespace {

bool SweepComputation(ir::Module& module, ComputationId computation, const SideEffects& effects,
                      IdVector<InstrId, bool>& is_unused) {
  std::vector<InstrId> unused;
  const std::vector<InstrId>& list = module.computation(computation).instructions;
  for (auto id = list.rbegin(); id != list.rend(); ++id) {
    if (*id == module.root(computation) || module.instruction(*id).opcode == Opcode::kParameter) continue;
    bool needed = std::ranges::any_of(module.users(*id), [&](InstrId user) { return !is_unused[user]; });
    if (needed || effects.Of(*id)) continue;
    is_unused[*id] = true;
    unused.push_back(*id);
  }
  module.EraseAll(unused);
  return !unused.empty();
}

}  // namespace

bool SweepUnused(ir::Module& module) {
  SideEffects effects(module);
  IdVector<InstrId, bool> is_unused(module.instruction_count(), false);
  bool changed = false;
  for (ComputationId computation : module.ComputationsPostOrder()) {
    changed |= SweepComputation(module, computation, effects, is_unused);
  }
  return changed;
}

}  // namespace stead::passes
