#include "passes/cleanup/cse.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/map.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::OpFamily;

constexpr size_t kMaxCombinerSize = 16;
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

// Finds, for a small scalar computation (a reducer), the first one seen that says the same.
class CombinerTable {
 public:
  explicit CombinerTable(const ir::Module& module) : module_(module) {}

  ComputationId Representative(ComputationId id) {
    auto [known, fresh] = representatives_.try_emplace(id, id);
    if (!fresh || module_.computation(id).instructions.size() > kMaxCombinerSize || !IsScalarExpression(module_, id)) {
      return known->second;
    }
    std::vector<ComputationId>& alike = by_hash_[Hash(id)];
    auto found = std::ranges::find_if(alike, [&](ComputationId other) { return Same(id, other); });
    if (found != alike.end()) return known->second = *found;
    alike.push_back(id);
    return id;
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

  bool Same(ComputationId left, ComputationId right) const {
    const std::vector<InstrId>& left_list = module_.computation(left).instructions;
    const std::vector<InstrId>& right_list = module_.computation(right).instructions;
    if (left_list.size() != right_list.size()) return false;
    std::unordered_map<InstrId, InstrId> twin;
    for (size_t position = 0; position < left_list.size(); ++position) {
      const Instruction& left_one = module_.instruction(left_list[position]);
      const Instruction& right_one = module_.instruction(right_list[position]);
      if (!SameOwnFields(left_one, right_one)) return false;
      bool operands_agree = std::ranges::equal(left_one.operands, right_one.operands,
                                               [&](InstrId one, InstrId other) { return twin.at(one) == other; });
      if (!operands_agree) return false;
      twin[left_list[position]] = right_list[position];
    }
    return twin.at(module_.root(left)) == module_.root(right);
  }
};

bool IsMergeable(const ir::Module& module, InstrId id, const SideEffects& effects) {
  const Instruction& instruction = module.instruction(id);
  if (!instruction.control_predecessors.empty() || !module.control_successors(id).empty()) return false;
  if (ir::HasTrait(instruction.opcode, ir::kOrders) || instruction.opcode == Opcode::kParameter) return false;
  OpFamily family = ir::InfoOf(instruction.opcode).family;
  return family != OpFamily::kControl && family != OpFamily::kCommunication && !effects.Of(id);
}

class Merger {
 public:
  Merger(ir::Module& module, CombinerTable& combiners, const SideEffects& effects)
      : module_(module), combiners_(combiners), effects_(effects) {}

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
  CombinerTable& combiners_;
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
    for (ComputationId callee : instruction.called) Mix(hash, combiners_.Representative(callee).index());
    return hash;
  }

  bool Same(InstrId left_id, InstrId right_id) {
    const Instruction& left = module_.instruction(left_id);
    const Instruction& right = module_.instruction(right_id);
    bool same_calls = std::ranges::equal(left.called, right.called, [&](ComputationId one, ComputationId other) {
      return combiners_.Representative(one) == combiners_.Representative(other);
    });
    return same_calls && SameOwnFields(left, right) && CanonicalOperands(left) == CanonicalOperands(right);
  }
};

}  // namespace

Result<PassReport> EliminateCommonSubexpressions(ir::Module& module) {
  SideEffects effects(module);
  CombinerTable combiners(module);
  bool changed = false;
  for (ComputationId computation : module.ComputationsPostOrder()) {
    changed |= Merger(module, combiners, effects).Run(computation);
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
