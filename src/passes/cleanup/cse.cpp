#include "passes/cleanup/cse.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "passes/rewrite/alike.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::OpFamily;

bool HoldsCustomCall(const ir::Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::kCustomCall) return true;
  return std::ranges::any_of(instruction.called, [&](ComputationId callee) {
    return std::ranges::any_of(module.computation(callee).instructions,
                               [&](InstrId inner) { return HoldsCustomCall(module, module.instruction(inner)); });
  });
}

bool IsMergeable(const ir::Module& module, InstrId id, const SideEffects& effects) {
  const Instruction& instruction = module.instruction(id);
  if (!instruction.control_predecessors.empty() || !module.control_successors(id).empty()) return false;
  if (ir::HasTrait(instruction.opcode, ir::kOrders) || instruction.opcode == Opcode::kParameter) return false;
  return ir::InfoOf(instruction.opcode).family != OpFamily::kCommunication && !effects.Of(id) &&
         !HoldsCustomCall(module, instruction);
}

class Merger {
 public:
  Merger(ir::Module& module, ComputationTable& computations, const SideEffects& effects)
      : module_(module), computations_(computations), effects_(effects) {}

  bool Run(ComputationId computation) {
    bool changed = false;
    for (InstrId id : module_.computation(computation).instructions) {
      if (!IsMergeable(module_, id, effects_)) continue;
      std::vector<InstrId>& alike = by_hash_[Hash(id)];
      auto first = std::ranges::find_if(alike, [&](InstrId other) { return Same(id, other); });
      if (first == alike.end()) {
        alike.push_back(id);
      } else if (IsFill(module_, id)) {
        stands_for_[id] = *first;
      } else {
        changed |= Forward(module_, id, *first);
      }
    }
    return changed;
  }

 private:
  ir::Module& module_;
  ComputationTable& computations_;
  const SideEffects& effects_;
  std::unordered_map<size_t, std::vector<InstrId>> by_hash_;
  std::unordered_map<InstrId, InstrId> stands_for_;  // fills that are equal but stay apart

  std::vector<InstrId> CanonicalOperands(const Instruction& instruction) const {
    std::vector<InstrId> operands = instruction.operands;
    for (InstrId& operand : operands) {
      if (auto found = stands_for_.find(operand); found != stands_for_.end()) operand = found->second;
    }
    if (ir::HasTrait(instruction.opcode, ir::kCommutative)) std::ranges::sort(operands);
    return operands;
  }

  size_t Hash(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    size_t hash = HashOwnFields(instruction);
    for (InstrId operand : CanonicalOperands(instruction)) MixIntoHash(hash, operand.index());
    for (ComputationId callee : instruction.called) MixIntoHash(hash, computations_.Representative(callee).index());
    return hash;
  }

  bool Same(InstrId left_id, InstrId right_id) {
    const Instruction& left = module_.instruction(left_id);
    const Instruction& right = module_.instruction(right_id);
    return SameOwnFields(left, right) && CanonicalOperands(left) == CanonicalOperands(right) &&
           computations_.SameCalls(left, right);
  }
};

}  // namespace

Result<PassReport> EliminateCommonSubexpressions(ir::Module& module) {
  SideEffects effects(module);
  ComputationTable computations(module);
  bool changed = false;
  for (ComputationId computation : module.ComputationsPostOrder()) {
    changed |= Merger(module, computations, effects).Run(computation);
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
