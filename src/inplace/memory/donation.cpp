// Pairing results with donated buffers.
//
// A result's in-place chain ends at its head: the first content of its buffer. If the head is a donated parameter, the pair is
// made already and costs nothing, whatever the program declared (swap: f(a, b) -> (b, a) pairs crosswise). If the head is an
// op that writes everything, it may be told to write into a donated buffer of the same size that nobody needs any more at
// that time, or that the op itself overwrites element by element. Declared pairs are tried first, then buffers the op can
// overwrite, then any. A declared pair that would need a copy is dropped: returning a fresh buffer is cheaper than a copy.
#include "inplace/memory/donation.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::ArrayLeafNumber;
using analysis::Dataflow;
using analysis::Definition;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

Families::Families(const Module& module, const Dataflow& dataflow, const ScopeContext& context)
    : parent_(dataflow.definition_count()),
      last_use_(dataflow.definition_count(), -1),
      writer_(dataflow.definition_count(), dataflow.node_count() + 1) {
  for (size_t number = 0; number < dataflow.definition_count(); ++number) {
    last_use_[DefinitionId(number)] = dataflow.LastUse(DefinitionId(number));
  }
  for (int32_t node = 0; node < dataflow.node_count(); ++node) {
    InstrId id = dataflow.instruction(node);
    for (const PreservingTie& tie : PreservingTies(module, dataflow, node, context)) {
      DefinitionId from = dataflow.value(module.operand(id, tie.operand), tie.leaf).definition;
      if (tie.result_leaf >= 0) parent_[dataflow.value(id, tie.result_leaf).definition] = from;
      writer_[from] = std::min(writer_[from], node);
      for (DefinitionId host : dataflow.hosts(Head(from))) writer_[host] = std::min(writer_[host], node);
    }
  }
  // Later definitions first, so that a chain's last use reaches its head.
  // Pointers keep what they may lead to, other results of the same op included: twice.
  for (int round = dataflow.has_pointers() ? 0 : 1; round < 2; ++round) {
    for (size_t number = dataflow.definition_count(); number-- > 0;) {
      DefinitionId definition(number);
      DefinitionId parent = parent_[definition];
      if (parent.valid()) last_use_[parent] = std::max(last_use_[parent], last_use_[definition]);
      for (DefinitionId host : dataflow.hosts(definition))
        last_use_[host] = std::max(last_use_[host], last_use_[definition]);
    }
  }
}

DefinitionId Families::Head(DefinitionId definition) const {
  while (parent_[definition].valid()) definition = parent_[definition];
  return definition;
}

bool OverwritesFully(const Module& module, const Dataflow& dataflow, int32_t node, int32_t leaf,
                     DefinitionId definition) {
  InstrId id = dataflow.instruction(node);
  std::vector<std::pair<int32_t, int32_t>> tied;  // operands and their leaves
  bool in_pairs = false;
  for (const analysis::Tie& tie : dataflow.effects(node).ties) {
    if (KeepsBytes(tie.kind)) continue;
    InstrId operand = module.operand(id, static_cast<size_t>(tie.operand));
    const int32_t operand_leaf = ArrayLeafNumber(module.shape(operand), tie.operand_index);
    const analysis::Resolved& value = dataflow.value(operand, operand_leaf);
    if (value.definition != definition || !value.box.whole) continue;
    if (ArrayLeafNumber(module.shape(id), tie.result_index) != leaf) continue;
    tied.push_back({static_cast<int32_t>(tie.operand), operand_leaf});
    in_pairs = in_pairs || tie.kind == analysis::TieKind::kExchange;
  }
  if (tied.empty()) return false;
  auto is_here = [&](const analysis::SharedUse& shared) { return shared.use.node == node; };
  if (std::ranges::any_of(dataflow.shared_uses(definition), is_here)) return false;
  // An operand that is tied to other results only may be read when this one is complete: sort(x, x).
  return std::ranges::all_of(dataflow.uses(definition), [&](const DefinitionUse& use) {
    if (use.node != node) return true;
    bool is_tied = std::ranges::find(tied, std::pair(use.operand, use.leaf)) != tied.end();
    return is_tied && (in_pairs ? use.same_pair : use.same_index);
  });
}

bool CanBeDirected(const Module& module, const Dataflow& dataflow, DefinitionId head) {
  const Instruction& instruction = module.instruction(dataflow.definition(head).instruction);
  return !dataflow.is_pointer(head) && instruction.opcode != Opcode::kParameter &&
         (instruction.opcode != Opcode::kConstant || IsImmediate(instruction));
}

bool IsFreeFor(const Module& module, const Dataflow& dataflow, const Families& families, const Offer& offer,
               DefinitionId head) {
  const Definition& made = dataflow.definition(head);
  if (offer.bytes != made.bytes) return false;
  int32_t last = families.LastUse(offer.content);
  if (last < made.node) return true;
  return last == made.node && families.Writer(offer.content) > dataflow.node_count() &&
         OverwritesFully(module, dataflow, made.node, made.leaf, offer.content);
}

namespace {

// The operands of a fusion that result leaf `leaf` is computed from; of other ops, whatever they are given.
std::vector<bool> OperandsBehind(const Module& module, InstrId id, int32_t leaf) {
  const Instruction& instruction = module.instruction(id);
  std::vector<bool> behind(instruction.operands.size(), true);
  if (instruction.opcode != Opcode::kFusion) return behind;
  const ir::Computation& fused = module.computation(instruction.called[0]);
  const Instruction& root = module.instruction(fused.root);
  behind.assign(instruction.operands.size(), false);
  std::vector<InstrId> open = {root.opcode == Opcode::kTuple ? root.operands.at(static_cast<size_t>(leaf))
                                                             : fused.root};
  std::unordered_set<InstrId> seen(open.begin(), open.end());
  while (!open.empty()) {
    const Instruction& member = module.instruction(open.back());
    open.pop_back();
    if (member.opcode == Opcode::kParameter) {
      behind[static_cast<size_t>(member.As<ir::ParameterAttributes>().number)] = true;
    }
    for (InstrId operand : member.operands) {
      if (seen.insert(operand).second) open.push_back(operand);
    }
  }
  return behind;
}

// Per result: the offers whose content is used last by the op that makes the result, which may overwrite it with that result.
std::vector<std::vector<size_t>> OffersOverwritten(const Module& module, const Dataflow& dataflow,
                                                   const Families& families, const std::vector<DefinitionId>& heads,
                                                   const std::vector<Offer>& offers) {
  std::vector<std::vector<size_t>> overwritten(heads.size());
  for (size_t result = 0; result < heads.size(); ++result) {
    const Definition& made = dataflow.definition(heads[result]);
    std::optional<std::vector<bool>> behind;
    for (size_t number = 0; number < offers.size(); ++number) {
      const Offer& offer = offers[number];
      if (families.LastUse(offer.content) != made.node) continue;
      if (!IsFreeFor(module, dataflow, families, offer, heads[result])) continue;
      if (!behind) behind = OperandsBehind(module, made.instruction, made.leaf);
      const bool is_behind = std::ranges::any_of(dataflow.uses(offer.content), [&](const DefinitionUse& use) {
        return use.node == made.node && (*behind)[static_cast<size_t>(use.operand)];
      });
      if (is_behind) overwritten[result].push_back(number);
    }
  }
  return overwritten;
}

}  // namespace

Pairing PairResults(const Module& module, const Dataflow& dataflow, const Families& families, InstrId root,
                    const std::vector<Offer>& offers, const Wishes& wishes) {
  Pairing pairing;
  std::unordered_set<BufferId> taken;
  std::vector<DefinitionId> heads;
  for (int32_t leaf = 0; leaf < ArrayLeafCount(module.shape(root)); ++leaf) {
    heads.push_back(families.Head(dataflow.value(root, leaf).definition));
  }
  auto is_open = [&](size_t result) {
    return !pairing.contains(heads[result]) && CanBeDirected(module, dataflow, heads[result]);
  };
  auto pair_with = [&](size_t result, const Offer& offer) {
    if (taken.contains(offer.buffer) || !IsFreeFor(module, dataflow, families, offer, heads[result])) return false;
    pairing[heads[result]] = offer.buffer;
    taken.insert(offer.buffer);
    return true;
  };
  auto pair_if = [&](size_t result, auto accept) {
    if (!is_open(result)) return;
    for (const Offer& offer : offers) {
      if (accept(result, offer) && pair_with(result, offer)) return;
    }
  };
  auto is_wished = [&](size_t result, const Offer& offer) {
    return result < wishes.size() && wishes[result] && wishes[result]->buffer == offer.buffer;
  };
  auto pair_all = [&](auto accept) {
    for (size_t result = 0; result < heads.size(); ++result) pair_if(result, accept);
  };
  pair_all([&](size_t result, const Offer& offer) { return is_wished(result, offer) && wishes[result]->must; });
  const std::vector<std::vector<size_t>> overwritten = OffersOverwritten(module, dataflow, families, heads, offers);
  std::vector<size_t> by_choice(heads.size());  // results with few buffers to choose from come first
  std::iota(by_choice.begin(), by_choice.end(), 0);
  std::ranges::stable_sort(by_choice, {}, [&](size_t result) { return overwritten[result].size(); });
  for (size_t result : by_choice) {
    if (!is_open(result)) continue;
    for (size_t number : overwritten[result]) {
      if (pair_with(result, offers[number])) break;
    }
  }
  pair_all([&](size_t result, const Offer& offer) {
    return families.LastUse(offer.content) == dataflow.definition(heads[result]).node;
  });
  pair_all(is_wished);
  pair_all([](size_t, const Offer&) { return true; });
  return pairing;
}

}  // namespace stead::inplace
