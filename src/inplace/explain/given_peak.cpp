// Peak memory of a module in the order it was given: live ranges of chains of values that share a buffer.
//   A chain joins a forwarding op with its operand, an in-place op with the operand it changes, the state of a loop with its
//   initial value, and an aliased result with its parameter. What a called computation needs beyond its parameters and
//   result counts while its caller runs. An estimate of the given compiler's memory, not a decision of ours.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "analysis/effects.h"
#include "inplace/explain/given_copies.h"

namespace stead::inplace {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

// Leaves of values as nodes of a union-find.
class Chains {
 public:
  explicit Chains(const Module& module) : module_(module) {}

  size_t NodeOf(InstrId id, const ir::ShapeIndex& index) {
    auto [entry, fresh] = nodes_.try_emplace(Key(id, index), parents_.size());
    if (fresh) parents_.push_back(parents_.size());
    return entry->second;
  }
  size_t Find(size_t node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }
  void Join(size_t left, size_t right) { parents_[Find(left)] = Find(right); }

  // Joins every leaf of `left` below `left_index` with that of `right` below `right_index`.
  void JoinLeaves(InstrId left, const ir::ShapeIndex& left_index, InstrId right, const ir::ShapeIndex& right_index) {
    ir::ForEachLeaf(ir::SubShape(module_.shape(left), left_index), [&](const ir::ShapeIndex& leaf, const ir::Shape&) {
      ir::ShapeIndex from = left_index, to = right_index;
      from.insert(from.end(), leaf.begin(), leaf.end());
      to.insert(to.end(), leaf.begin(), leaf.end());
      Join(NodeOf(left, from), NodeOf(right, to));
    });
  }

 private:
  static std::string Key(InstrId id, const ir::ShapeIndex& index) {
    return std::to_string(id.index()) + ir::ShapeIndexToString(index);
  }
  const Module& module_;
  std::unordered_map<std::string, size_t> nodes_;
  std::vector<size_t> parents_;
};

void JoinInstruction(const Module& module, InstrId id, Chains& chains) {
  const Instruction& instruction = module.instruction(id);
  switch (instruction.opcode) {
    case Opcode::kTuple:
      for (size_t operand = 0; operand < instruction.operands.size(); ++operand) {
        chains.JoinLeaves(id, {static_cast<int64_t>(operand)}, instruction.operands[operand], {});
      }
      return;
    case Opcode::kGetTupleElement:
      chains.JoinLeaves(id, {}, instruction.operands[0], {instruction.As<ir::TupleElementAttributes>().index});
      return;
    case Opcode::kBitcast:
    case Opcode::kReshape:
    case Opcode::kOptimizationBarrier:
    case Opcode::kWhile: chains.JoinLeaves(id, {}, instruction.operands[0], {}); return;
    default: break;
  }
  for (const analysis::Tie& tie : analysis::EffectsOf(module, id).ties) {
    if (!KeepsBytes(tie.kind)) continue;
    chains.JoinLeaves(id, tie.result_index, instruction.operands[static_cast<size_t>(tie.operand)], tie.operand_index);
  }
}

struct LiveRange {
  size_t first = SIZE_MAX, last = 0;
  int64_t bytes = 0;
  void Touch(size_t step, int64_t size) {
    first = std::min(first, step);
    last = std::max(last, step);
    bytes = std::max(bytes, size);
  }
};

class PeakOfModule {
 public:
  explicit PeakOfModule(const Module& module) : module_(module) {}

  // Peak of the values that live in the computation; without its parameters and result unless it is the entry.
  int64_t PeakOf(ir::ComputationId id) {
    if (auto known = peaks_.find(id); known != peaks_.end()) return known->second;
    peaks_[id] = 0;  // called by itself: not HLO, but must end
    return peaks_[id] = Compute(id);
  }

 private:
  int64_t Compute(ir::ComputationId id) {
    const ir::Computation& computation = module_.computation(id);
    bool entry = id == module_.entry;
    Chains chains(module_);
    for (InstrId instruction : computation.instructions) JoinInstruction(module_, instruction, chains);
    if (entry) {
      for (const ir::InputOutputAlias& alias : module_.input_output_aliases) {
        chains.JoinLeaves(computation.root, alias.output_index,
                          computation.parameters[static_cast<size_t>(alias.parameter)], alias.parameter_index);
      }
    }
    size_t steps = computation.instructions.size();
    std::unordered_map<size_t, LiveRange> ranges;
    auto touch = [&](InstrId value, size_t step) {
      ir::ForEachLeaf(module_.shape(value), [&](const ir::ShapeIndex& index, const ir::Shape& leaf) {
        ranges[chains.Find(chains.NodeOf(value, index))].Touch(step, leaf.byte_size());
      });
    };
    std::vector<int64_t> live(steps + 1, 0);
    for (size_t step = 0; step < steps; ++step) {
      const Instruction& instruction = module_.instruction(computation.instructions[step]);
      touch(computation.instructions[step], step);
      // Forwarding reads nothing: what it forwards dies with its real readers.
      if (!ir::HasTrait(instruction.opcode, ir::kForwards)) {
        for (InstrId operand : instruction.operands) touch(operand, step);
      }
      if (instruction.opcode == Opcode::kFusion) continue;
      for (ir::ComputationId callee : instruction.called) live[step] = std::max(live[step], PeakOf(callee));
    }
    // The caller's arrays, and what is returned, live to the end.
    touch(computation.root, steps);
    for (InstrId parameter : computation.parameters) {
      touch(parameter, 0);
      touch(parameter, steps);
    }
    if (!entry) DropInterface(computation, chains, ranges);
    std::vector<int64_t> change(steps + 2, 0);
    for (const auto& [node, range] : ranges) {
      change[range.first] += range.bytes;
      change[range.last + 1] -= range.bytes;
    }
    int64_t held = 0, peak = 0;
    for (size_t step = 0; step <= steps; ++step) {
      held += change[step];
      peak = std::max(peak, held + live[step]);
    }
    return peak;
  }

  // Parameters and results of a called computation are counted by its caller.
  void DropInterface(const ir::Computation& computation, Chains& chains,
                     std::unordered_map<size_t, LiveRange>& ranges) {
    auto drop = [&](InstrId value) {
      ir::ForEachLeaf(module_.shape(value), [&](const ir::ShapeIndex& index, const ir::Shape&) {
        ranges.erase(chains.Find(chains.NodeOf(value, index)));
      });
    };
    for (InstrId parameter : computation.parameters) drop(parameter);
    drop(computation.root);
  }

  const Module& module_;
  std::unordered_map<ir::ComputationId, int64_t> peaks_;
};

}  // namespace

int64_t GivenPeakBytes(const Module& module) { return PeakOfModule(module).PeakOf(module.entry); }

}  // namespace stead::inplace
