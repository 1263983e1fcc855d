#include "passes/cleanup/dead_code.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"
#include "passes/rewrite/tuple_elements.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Opcode;

constexpr int kMaxRounds = 4;

bool AllOf(const ElementFlags& flags) {
  return std::ranges::all_of(flags, [](bool flag) { return flag; });
}
bool NoneOf(const ElementFlags& flags) {
  return std::ranges::none_of(flags, [](bool flag) { return flag; });
}

// Finds which carries of one loop matter: those whose final value is used, those that the condition reads, and those that
// either of these or a side effect needs in the body.
class CarryLiveness {
 public:
  CarryLiveness(const ir::Module& module, InstrId loop, const SideEffects& effects)
      : module_(module),
        effects_(effects),
        condition_(module.instruction(loop).called[0]),
        body_(module.instruction(loop).called[1]) {}

  ElementFlags Find(ElementFlags used_after) {
    live_.assign(used_after.size(), false);
    for (size_t carry = 0; carry < used_after.size(); ++carry) {
      if (used_after[carry]) MarkCarry(carry);
    }
    open_.push_back(module_.root(condition_));
    MarkEffects(condition_);
    MarkEffects(body_);
    while (!open_.empty()) {
      InstrId id = open_.back();
      open_.pop_back();
      if (seen_.insert(id).second) Visit(id);
    }
    return live_;
  }

 private:
  const ir::Module& module_;
  const SideEffects& effects_;
  ComputationId condition_, body_;
  ElementFlags live_;
  std::vector<InstrId> open_;
  std::unordered_set<InstrId> seen_;

  void MarkCarry(size_t carry) {
    if (live_[carry]) return;
    live_[carry] = true;
    open_.push_back(module_.operand(module_.root(body_), carry));
  }

  void MarkEffects(ComputationId computation) {
    for (InstrId id : module_.computation(computation).instructions) {
      if (effects_.Of(id)) open_.push_back(id);
    }
  }

  void Visit(InstrId id) {
    const ir::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == Opcode::kGetTupleElement &&
        module_.instruction(instruction.operands[0]).opcode == Opcode::kParameter) {
      MarkCarry(static_cast<size_t>(instruction.As<ir::TupleElementAttributes>().index));
    }
    open_.insert(open_.end(), instruction.operands.begin(), instruction.operands.end());
  }
};

bool DropDeadCarries(ir::Module& module, InstrId loop, const SideEffects& effects) {
  const std::vector<ComputationId> called = module.instruction(loop).called;
  InstrId body_root = module.root(called[1]);
  std::optional<ElementFlags> used_after = UsedElements(module, loop);
  if (!used_after || module.instruction(body_root).opcode != Opcode::kTuple) return false;
  if (!module.users(body_root).empty()) return false;
  for (ComputationId computation : called) {
    if (!UsedElements(module, module.computation(computation).parameters[0])) return false;
  }
  ElementFlags live = CarryLiveness(module, loop, effects).Find(*used_after);
  if (AllOf(live) || NoneOf(live)) return false;

  module.SetOperand(loop, 0, TupleOfKept(module, loop, module.operand(loop, 0), live));
  DropElements(module, loop, live);
  for (ComputationId computation : called) DropElements(module, module.computation(computation).parameters[0], live);
  ShrinkTuple(module, body_root, live);
  return true;
}

bool DropDeadBarrierElements(ir::Module& module, InstrId barrier) {
  std::optional<ElementFlags> used = UsedElements(module, barrier);
  if (!used || AllOf(*used) || NoneOf(*used)) return false;
  module.SetOperand(barrier, 0, TupleOfKept(module, barrier, module.operand(barrier, 0), *used));
  DropElements(module, barrier, *used);
  return true;
}

bool DropDeadBranchResults(ir::Module& module, InstrId conditional) {
  std::optional<ElementFlags> used = UsedElements(module, conditional);
  if (!used || AllOf(*used) || NoneOf(*used)) return false;
  const std::vector<ComputationId> branches = module.instruction(conditional).called;
  for (ComputationId branch : branches) {
    if (module.instruction(module.root(branch)).opcode != Opcode::kTuple) return false;
    // A branch root with users of its own would change under them.
    if (!module.users(module.root(branch)).empty()) return false;
  }
  for (ComputationId branch : branches) ShrinkTuple(module, module.root(branch), *used);
  DropElements(module, conditional, *used);
  return true;
}

bool DropDeadBranchOperands(ir::Module& module, InstrId conditional) {
  bool changed = false;
  const std::vector<ComputationId> branches = module.instruction(conditional).called;
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    InstrId parameter = module.computation(branches[branch]).parameters[0];
    std::optional<ElementFlags> used = UsedElements(module, parameter);
    if (!used || AllOf(*used)) continue;
    size_t number = branch + 1;
    InstrId operand = module.operand(conditional, number);
    module.SetOperand(conditional, number, TupleOfKept(module, conditional, operand, *used));
    DropElements(module, parameter, *used);
    changed = true;
  }
  return changed;
}

bool DropElementsIn(ir::Module& module, ComputationId computation, const SideEffects& effects,
                    const IdVector<ComputationId, int>& callers) {
  bool changed = false;
  const std::vector<InstrId> list = module.computation(computation).instructions;
  for (InstrId id : list) {
    // What a shared loop body or branch takes and gives cannot change for one of its callers only.
    const std::vector<ComputationId>& called = module.instruction(id).called;
    if (std::ranges::any_of(called, [&](ComputationId callee) { return callers[callee] > 1; })) continue;
    switch (module.instruction(id).opcode) {
      case Opcode::kWhile: changed |= DropDeadCarries(module, id, effects); break;
      case Opcode::kOptimizationBarrier: changed |= DropDeadBarrierElements(module, id); break;
      case Opcode::kConditional:
        changed |= DropDeadBranchResults(module, id);
        changed |= DropDeadBranchOperands(module, id);
        break;
      default: break;
    }
  }
  return changed;
}

}  // namespace

Result<PassReport> RemoveDeadCode(ir::Module& module) {
  const IdVector<ComputationId, int> callers = CountCallers(module);
  bool changed = SweepUnused(module);
  for (int round = 0; round < kMaxRounds; ++round) {
    SideEffects effects(module);
    bool dropped = false;
    for (ComputationId computation : module.ComputationsPostOrder()) {
      dropped |= DropElementsIn(module, computation, effects, callers);
    }
    if (!dropped) break;
    SweepUnused(module);
    changed = true;
  }
  return PassReport{changed};
}

}  // namespace stead::passes
