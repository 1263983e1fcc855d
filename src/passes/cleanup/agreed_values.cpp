#include "passes/cleanup/agreed_values.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/agreed_value.h"
#include "passes/rewrite/alike.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

bool IsAgreedValue(const Instruction& instruction) {
  return instruction.opcode == Opcode::kCustomCall &&
         instruction.As<ir::CustomCallAttributes>().target == ir::kAgreedValueTarget;
}

// For every value of one computation the first one that is made in the same way from the same values.
class ValueNumbers {
 public:
  ValueNumbers(const ir::Module& module, ComputationTable& computations, const SideEffects& effects)
      : module_(module), computations_(computations), effects_(effects) {}

  void Add(InstrId id) {
    firsts_[id] = id;
    // What acts on the world, or hears from it, may answer each time anew.
    if (module_.instruction(id).opcode == Opcode::kParameter || effects_.Of(id)) return;
    std::vector<InstrId>& alike = by_hash_[Hash(id)];
    const auto same = std::ranges::find_if(alike, [&](InstrId other) { return Same(id, other); });
    if (same == alike.end()) {
      alike.push_back(id);
    } else {
      firsts_[id] = *same;
    }
  }

  void Alias(InstrId id, InstrId value) { firsts_[id] = firsts_.at(value); }

  bool Agree(const std::vector<InstrId>& values) const {
    return std::ranges::all_of(values, [&](InstrId value) { return firsts_.at(value) == firsts_.at(values[0]); });
  }

 private:
  size_t Hash(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    size_t hash = HashOwnFields(instruction);
    for (InstrId operand : instruction.operands) MixIntoHash(hash, firsts_.at(operand).index());
    for (ir::ComputationId callee : instruction.called) MixIntoHash(hash, computations_.Representative(callee).index());
    return hash;
  }

  bool Same(InstrId left_id, InstrId right_id) {
    const Instruction& left = module_.instruction(left_id);
    const Instruction& right = module_.instruction(right_id);
    return SameOwnFields(left, right) && computations_.SameCalls(left, right) &&
           std::ranges::equal(left.operands, right.operands,
                              [&](InstrId one, InstrId other) { return firsts_.at(one) == firsts_.at(other); });
  }

  const ir::Module& module_;
  ComputationTable& computations_;
  const SideEffects& effects_;
  std::unordered_map<InstrId, InstrId> firsts_;
  std::unordered_map<size_t, std::vector<InstrId>> by_hash_;
};

Status Differ(const ir::Module& module, InstrId id) {
  return Unimplemented(
      "a result of a manual computation that devices may not agree on", module.SourceOf(id),
      "the program says that the result is the same on all devices along some axis, but each makes it in a way "
      "of its own",
      "split the result along that axis (`out_axes`, `out_specs`)");
}

Result<bool> TakeIn(ir::Module& module, ir::ComputationId computation, ComputationTable& computations,
                    const SideEffects& effects) {
  const std::vector<InstrId> list = module.computation(computation).instructions;
  if (std::ranges::none_of(list, [&](InstrId id) { return IsAgreedValue(module.instruction(id)); })) return false;
  ValueNumbers numbers(module, computations, effects);
  std::vector<InstrId> taken;
  for (InstrId id : list) {
    numbers.Add(id);
    if (!IsAgreedValue(module.instruction(id))) continue;
    const std::vector<InstrId>& values = module.instruction(id).operands;
    if (!numbers.Agree(values)) return Differ(module, id).error();
    numbers.Alias(id, values[0]);
    taken.push_back(id);
  }
  for (InstrId id : taken) Forward(module, id, module.operand(id, 0));
  return true;
}

}  // namespace

Result<PassReport> TakeAgreedValues(ir::Module& module) {
  const SideEffects effects(module);
  ComputationTable computations(module);
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    TRY(const bool taken, TakeIn(module, computation, computations, effects));
    changed |= taken;
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
