#include "passes/normalize/synchronous.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "passes/rewrite/build.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

struct Pair {
  Opcode start;
  Opcode whole;
};

// How the operation that `done` ends begins, and what it is in one piece.
std::optional<Pair> PairEndedBy(Opcode done) {
  switch (done) {
    case Opcode::kAsyncDone: return Pair{Opcode::kAsyncStart, Opcode::kCall};
    case Opcode::kAllGatherDone: return Pair{Opcode::kAllGatherStart, Opcode::kAllGather};
    case Opcode::kAllReduceDone: return Pair{Opcode::kAllReduceStart, Opcode::kAllReduce};
    case Opcode::kCollectivePermuteDone: return Pair{Opcode::kCollectivePermuteStart, Opcode::kCollectivePermute};
    case Opcode::kCopyDone: return Pair{Opcode::kCopyStart, Opcode::kCopy};
    default: return std::nullopt;
  }
}

// From the start to the end; empty when the pair is parted or somebody looks at it in between.
std::vector<InstrId> ChainTo(const ir::Module& module, InstrId done, Opcode start) {
  std::vector<InstrId> chain = {done};
  while (module.instruction(chain.back()).opcode != start) {
    InstrId before = module.operand(chain.back(), 0);
    Opcode opcode = module.instruction(before).opcode;
    if ((opcode != start && opcode != Opcode::kAsyncUpdate) || module.users(before).size() != 1) return {};
    chain.push_back(before);
  }
  std::ranges::reverse(chain);
  return chain;
}

// Whatever came after `old_id` now comes after `made`.
void MoveControlSuccessors(ir::Module& module, InstrId old_id, InstrId made) {
  const std::vector<InstrId> successors = module.control_successors(old_id);
  for (InstrId successor : successors) {
    std::vector<InstrId> predecessors = module.instruction(successor).control_predecessors;
    std::erase(predecessors, old_id);
    if (std::ranges::find(predecessors, made) == predecessors.end()) predecessors.push_back(made);
    module.SetControlPredecessors(successor, std::move(predecessors));
  }
}

bool JoinPair(ir::Module& module, InstrId done, const Pair& pair) {
  const std::vector<InstrId> chain = ChainTo(module, done, pair.start);
  if (chain.empty()) return false;
  const Instruction start = module.instruction(chain.front());
  Instruction whole{.opcode = pair.whole, .name = module.instruction(done).name, .shape = module.shape(done)};
  whole.operands = start.operands;
  whole.called = start.called;
  whole.control_predecessors = start.control_predecessors;
  whole.metadata = start.metadata;
  whole.text_place = start.text_place;
  if (pair.whole == Opcode::kCopy) {
    whole.attributes = ir::CopyAttributes{};
  } else if (pair.whole != Opcode::kCall) {
    whole.attributes = start.attributes;
  }
  InstrId made = module.AddBefore(chain.front(), std::move(whole));
  Forward(module, done, made);
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    MoveControlSuccessors(module, *link, made);
    module.Erase(*link);
  }
  return true;
}

}  // namespace

Result<PassReport> MakeSynchronous(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      // What was erased before is a start or an update, and stands earlier in the list.
      std::optional<Pair> pair = PairEndedBy(module.instruction(id).opcode);
      if (pair) changed |= JoinPair(module, id, *pair);
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
