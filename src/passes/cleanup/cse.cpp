#include "passes/cleanup/cse.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::OpFamily;

// Larger computations are not compared; two loops of this size that are equal are not met in practice.
constexpr size_t kMaxComputationSize = 1000;
constexpr size_t kHashedLiteralBytes = 64;

void Mix(size_t& hash, size_t value) { hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2); }

size_t HashLiteral(const ir::Literal& literal) {
  std::span<const std::byte> bytes = literal.bytes();
  bytes = bytes.first(std::min(bytes.size(), kHashedLiteralBytes));
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Everything about an instruction but its operands, called computations, name and place.
size_t HashOwnFields(const Instruction& instruction) {
  size_t hash = static_cast<size_t>(instruction.opcode);
  if (instruction.shape.is_array()) {
    Mix(hash, static_cast<size_t>(instruction.shape.element_type));
    for (int64_t dimension : instruction.shape.dimensions) Mix(hash, static_cast<size_t>(dimension));
  }
  if (instruction.opcode == Opcode::kConstant) Mix(hash, HashLiteral(instruction.As<ir::Literal>()));
  return hash;
}

bool SameOwnFields(const Instruction& left, const Instruction& right) {
  return left.opcode == right.opcode && left.shape == right.shape && left.attributes == right.attributes &&
         left.extra == right.extra;
}

// Finds, for a called computation (a reducer, a loop body), the first one seen that says the same in the same order.
class ComputationTable {
 public:
  explicit ComputationTable(const ir::Module& module) : module_(module) {}

  ComputationId Representative(ComputationId id) {
    if (auto known = representatives_.find(id); known != representatives_.end()) return known->second;
    representatives_[id] = id;
    const std::vector<InstrId>& list = module_.computation(id).instructions;
    if (list.size() > kMaxComputationSize) return id;
    // Those that it calls first, so that comparing two computations asks nothing new.
    for (InstrId instruction : list) {
      for (ComputationId callee : module_.instruction(instruction).called) Representative(callee);
    }
    std::vector<ComputationId>& alike = by_hash_[Hash(id)];
    auto found = std::ranges::find_if(alike, [&](ComputationId other) { return Same(id, other); });
    if (found == alike.end()) {
      alike.push_back(id);
    } else {
      representatives_[id] = *found;
    }
    return representatives_[id];
  }

  bool SameCalls(const Instruction& left, const Instruction& right) {
    return std::ranges::equal(left.called, right.called, [&](ComputationId one, ComputationId other) {
      return Representative(one) == Representative(other);
    });
  }

 private:
  const ir::Module& module_;
  std::unordered_map<ComputationId, ComputationId> representatives_;
  std::unordered_map<size_t, std::vector<ComputationId>> by_hash_;

  size_t Hash(ComputationId id) const {
    size_t hash = 0;
    for (InstrId instruction : module_.computation(id).instructions)
      Mix(hash, HashOwnFields(module_.instruction(instruction)));
    return hash;
  }

  bool Same(ComputationId left, ComputationId right) {
    const std::vector<InstrId>& left_list = module_.computation(left).instructions;
    const std::vector<InstrId>& right_list = module_.computation(right).instructions;
    if (left_list.size() != right_list.size()) return false;
    std::unordered_map<InstrId, InstrId> twin;
    for (size_t position = 0; position < left_list.size(); ++position) {
      const Instruction& left_one = module_.instruction(left_list[position]);
      const Instruction& right_one = module_.instruction(right_list[position]);
      if (!SameOwnFields(left_one, right_one) || !SameCalls(left_one, right_one)) return false;
      bool operands_agree = std::ranges::equal(left_one.operands, right_one.operands,
                                               [&](InstrId one, InstrId other) { return twin.at(one) == other; });
      if (!operands_agree) return false;
      twin[left_list[position]] = right_list[position];
    }
    return twin.at(module_.root(left)) == module_.root(right);
  }
};

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
    for (InstrId operand : CanonicalOperands(instruction)) Mix(hash, operand.index());
    for (ComputationId callee : instruction.called) Mix(hash, computations_.Representative(callee).index());
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
