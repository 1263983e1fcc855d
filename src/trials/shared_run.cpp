#include "trials/shared_run.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/dataflow.h"
#include "analysis/trip_count.h"

namespace stead::trials {

using analysis::ArrayLeafCount;
using analysis::ArrayLeafNumber;
using analysis::Footprint;
using analysis::StridedRun;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

constexpr int kMostPaths = 200;
// A loop of unknown trip count runs fewer times than this.
constexpr int kMostUnknownTrips = 4;

using Name = uint32_t;

// A value: where it lies, and the names that should be there.
struct Leaf {
  size_t block = 0;
  std::vector<Name> names;
};

struct Block {
  std::vector<Name> names;
  bool is_writable = true;
  bool is_returned = false;
};

template <typename Visit>
void ForEachElement(const StridedRun& run, size_t axis, int64_t start, int64_t element_bytes, Visit visit) {
  if (axis == run.axes.size()) {
    for (int64_t byte = start; byte < start + run.bytes; byte += element_bytes) visit(byte / element_bytes);
    return;
  }
  for (int64_t times = 0; times < run.axes[axis].count; ++times)
    ForEachElement(run, axis + 1, start + times * run.axes[axis].stride, element_bytes, visit);
}

class SharedRun {
 public:
  SharedRun(const Module& module, const CopyChoices& choices, const Candidate& candidate, Paths& paths)
      : module_(module),
        choices_(choices),
        candidate_(candidate),
        paths_(paths),
        values_(module.instruction_count()),
        bought_(choices.uses.size(), -1),
        taken_at_(module.instruction_count()) {
    for (int32_t number : candidate.purchases) {
      for (int32_t use : choices.purchases[number].uses) {
        // One that is taken early serves as well as one that is taken later.
        if (IsTakenEarly(use)) continue;
        bought_[use] = number;
        if (IsTakenEarly(use)) taken_at_[choices.uses[use].origin.instruction].push_back(use);
      }
    }
  }

  bool Run() {
    std::vector<Leaf> arguments;
    for (size_t number = 0; number < module_.entry_computation().parameters.size(); ++number) {
      const ir::Shape& shape = module_.shape(module_.entry_computation().parameters[number]);
      ir::ForEachLeaf(shape, [&](const ir::ShapeIndex& index, const ir::Shape& leaf) {
        arguments.push_back(NewLeaf(leaf.element_count()));
        blocks_.back().is_writable = module_.IsDonated(static_cast<int64_t>(number), index);
      });
    }
    std::vector<Leaf> results;
    if (!RunComputation(module_.entry, arguments, results)) return false;
    return std::ranges::all_of(results, [&](const Leaf& leaf) {
      Block& block = blocks_[leaf.block];
      return block.is_writable && !std::exchange(block.is_returned, true) && block.names == leaf.names;
    });
  }

 private:
  Leaf NewLeaf(int64_t count) {
    std::vector<Name> names(static_cast<size_t>(count));
    for (Name& name : names) name = ++last_name_;
    blocks_.push_back({names});
    return {blocks_.size() - 1, std::move(names)};
  }

  // Visits the elements that lie in these bytes of an array; all of them when any may. Loops are in a known iteration; of other
  // numbers that only a real run knows, all values count.
  template <typename Visit>
  void ForEachPlace(const Footprint& bytes, int64_t element_bytes, int64_t count, Visit visit) const {
    for (int64_t place = 0; bytes.whole && place < count; ++place) visit(place);
    for (const StridedRun& run : bytes.runs) {
      StridedRun placed = run;
      for (const analysis::SymbolTerm& term : run.terms) {
        auto iteration = iterations_.find(term.symbol.value);
        if (iteration != iterations_.end() && term.symbol.element < 0) {
          placed.start += term.stride * iteration->second;
        } else {
          placed.Repeat(term.stride, term.symbol.high + 1);
        }
      }
      ForEachElement(placed, 0, placed.start, element_bytes, visit);
    }
  }

  bool Holds(const Leaf& leaf, const Footprint& bytes = {}, int64_t element_bytes = 1) const {
    const std::vector<Name>& there = blocks_[leaf.block].names;
    if (bytes.whole) return there == leaf.names;
    bool holds = true;
    ForEachPlace(bytes, element_bytes, 0, [&](int64_t place) { holds = holds && there[place] == leaf.names[place]; });
    return holds;
  }

  // Private copies of the instruction's value are taken now, so what they hold must be there.
  bool TakeCopies(InstrId id) const {
    return std::ranges::all_of(taken_at_[id], [&](int32_t number) {
      const LeafUse& use = choices_.uses[number];
      return Holds(values_[id][static_cast<size_t>(use.origin.leaf)], use.bytes, ElementBytesOf(use));
    });
  }

  int64_t ElementBytesOf(const LeafUse& use) const {
    InstrId value =
        use.user.valid() ? module_.operand(use.user, static_cast<size_t>(use.operand)) : module_.root(use.computation);
    return ElementBytes(value, use.leaf);
  }

  int64_t ElementBytes(InstrId id, int32_t leaf) const {
    return ir::ElementBytes(analysis::ArrayLeaves(module_.shape(id))[static_cast<size_t>(leaf)]->element_type);
  }

  bool IsBought(int32_t use) const { return bought_[use] >= 0; }
  bool IsTakenEarly(int32_t use) const {
    return IsBought(use) && choices_.purchases[bought_[use]].computation == choices_.uses[use].computation;
  }

  // What the use works on: the value itself, or its private copy.
  Leaf Given(int32_t use, const Leaf& value, std::vector<std::pair<int32_t, size_t>>& copies) {
    if (!IsBought(use)) return value;
    for (const auto& [purchase, block] : copies) {
      if (purchase == bought_[use]) return {block, value.names};
    }
    blocks_.push_back({value.names});
    copies.push_back({bought_[use], blocks_.size() - 1});
    return {blocks_.size() - 1, value.names};
  }

  bool RunComputation(ComputationId id, const std::vector<Leaf>& given, std::vector<Leaf>& results) {
    size_t next = 0;
    for (InstrId parameter : module_.computation(id).parameters) {
      size_t count = static_cast<size_t>(ArrayLeafCount(module_.shape(parameter)));
      values_[parameter].assign(given.begin() + next, given.begin() + next + count);
      next += count;
      if (!TakeCopies(parameter)) return false;
    }
    size_t number = choices_.numbers.at(id);
    const ComputationChoices& computation = choices_.computations[number];
    for (InstrId instruction : computation.orders[candidate_.orders[number]]) {
      if (!RunInstruction(instruction)) return false;
    }
    results = values_[module_.root(id)];
    std::vector<std::pair<int32_t, size_t>> copies;
    for (size_t leaf = 0; leaf < results.size(); ++leaf) {
      results[leaf] = Given(computation.first_result_use + static_cast<int32_t>(leaf), results[leaf], copies);
    }
    return true;
  }

  bool RunInstruction(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == Opcode::kParameter) return true;
    if (choices_.effects[id].forwards) return Forward(id);
    if (instruction.opcode == Opcode::kWhile) return RunLoop(id) && TakeCopies(id);
    if (instruction.opcode == Opcode::kConditional) return RunBranch(id) && TakeCopies(id);
    return RunOp(id);
  }

  bool Forward(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    values_[id].clear();
    if (instruction.opcode == Opcode::kGetTupleElement) {
      InstrId tuple = instruction.operands[0];
      int64_t element = instruction.As<ir::TupleElementAttributes>().index;
      auto first = values_[tuple].begin() + ArrayLeafNumber(module_.shape(tuple), {element});
      values_[id].assign(first, first + ArrayLeafCount(instruction.shape));
      return true;
    }
    for (InstrId operand : instruction.operands) {
      values_[id].insert(values_[id].end(), values_[operand].begin(), values_[operand].end());
    }
    return true;
  }

  bool RunLoop(InstrId id) {
    const Instruction& loop = module_.instruction(id);
    std::vector<Leaf> state;
    std::vector<std::pair<int32_t, size_t>> copies;
    const std::vector<Leaf>& initial = values_[loop.operands[0]];
    for (size_t leaf = 0; leaf < initial.size(); ++leaf) {
      state.push_back(Given(choices_.first_use[id] + static_cast<int32_t>(leaf), initial[leaf], copies));
    }
    std::optional<int64_t> known = analysis::TripCount(module_, id);
    int64_t trips = known ? *known : paths_.Choose(kMostUnknownTrips);
    std::vector<Leaf> test;
    for (int64_t trip = 0; trip < trips; ++trip) {
      iterations_[id] = trip;
      if (!RunComputation(loop.called[0], state, test)) return false;
      std::vector<Leaf> next;
      if (!RunComputation(loop.called[1], state, next)) return false;
      state = std::move(next);
    }
    iterations_.erase(id);
    if (!RunComputation(loop.called[0], state, test)) return false;
    values_[id] = std::move(state);
    return true;
  }

  bool RunBranch(InstrId id) {
    const Instruction& conditional = module_.instruction(id);
    size_t branch = static_cast<size_t>(paths_.Choose(static_cast<int>(conditional.called.size())));
    int32_t use = choices_.first_use[id];
    if (!IsBought(use) && !Holds(values_[conditional.operands[0]][0])) return false;
    for (size_t operand = 0; operand <= branch; ++operand) {
      use += ArrayLeafCount(module_.shape(conditional.operands[operand]));
    }
    std::vector<Leaf> given, results;
    std::vector<std::pair<int32_t, size_t>> copies;
    for (const Leaf& leaf : values_[conditional.operands[branch + 1]]) {
      if (IsBought(use) && !IsTakenEarly(use) && !Holds(leaf)) return false;
      given.push_back(Given(use++, leaf, copies));
    }
    if (!RunComputation(conditional.called[branch], given, results)) return false;
    values_[id] = std::move(results);
    return true;
  }

  // The op's operand leaves that it does not overwrite are as they should be: before it runs and when it is done.
  bool OperandsHold(InstrId id, bool is_done) const {
    const std::vector<InstrId>& operands = module_.instruction(id).operands;
    int32_t use = choices_.first_use[id];
    for (size_t operand = 0; operand < operands.size(); ++operand) {
      const analysis::OperandRead& read = choices_.effects[id].reads[operand];
      for (size_t leaf = 0; leaf < values_[operands[operand]].size(); ++leaf, ++use) {
        if (!read.reads || IsBought(use) || (is_done && IsOverwritten(id, operand, leaf))) continue;
        if (!Holds(values_[operands[operand]][leaf], read.bytes, ElementBytesOf(choices_.uses[use]))) return false;
      }
    }
    return true;
  }

  bool IsOverwritten(InstrId id, size_t operand, size_t leaf) const {
    return std::ranges::any_of(choices_.effects[id].ties, [&](const analysis::Tie& tie) {
      return KeepsBytes(tie.kind) && static_cast<size_t>(tie.operand) == operand &&
             static_cast<size_t>(ArrayLeafNumber(module_.shape(module_.operand(id, operand)), tie.operand_index)) ==
                 leaf;
    });
  }

  bool RunOp(InstrId id) {
    if (!OperandsHold(id, false)) return false;
    const Instruction& instruction = module_.instruction(id);
    std::vector<Leaf> results;
    std::vector<const ir::Shape*> shapes = analysis::ArrayLeaves(instruction.shape);
    for (int32_t leaf = 0; leaf < static_cast<int32_t>(shapes.size()); ++leaf) {
      const analysis::Tie* tie = KeepingTie(id, leaf);
      if (tie == nullptr) {
        results.push_back(NewLeaf(shapes[static_cast<size_t>(leaf)]->element_count()));
        blocks_.back().is_writable = instruction.opcode != Opcode::kConstant || instruction.shape.element_count() == 1;
      } else if (!Update(id, *tie, leaf, results)) {
        return false;
      }
    }
    bool all_there = std::ranges::all_of(results, [&](const Leaf& leaf) { return Holds(leaf); });
    values_[id] = std::move(results);
    return all_there && OperandsHold(id, true);
  }

  const analysis::Tie* KeepingTie(InstrId id, int32_t result_leaf) const {
    for (const analysis::Tie& tie : choices_.effects[id].ties) {
      if (KeepsBytes(tie.kind) && ArrayLeafNumber(module_.shape(id), tie.result_index) == result_leaf) return &tie;
    }
    return nullptr;
  }

  // Overwrites part of the operand, or of its private copy.
  bool Update(InstrId id, const analysis::Tie& tie, int32_t result_leaf, std::vector<Leaf>& results) {
    InstrId operand = module_.operand(id, static_cast<size_t>(tie.operand));
    int32_t leaf = ArrayLeafNumber(module_.shape(operand), tie.operand_index), use = choices_.first_use[id] + leaf;
    for (int64_t before = 0; before < tie.operand; ++before)
      use += ArrayLeafCount(module_.shape(module_.operand(id, static_cast<size_t>(before))));
    std::vector<std::pair<int32_t, size_t>> copies;
    Leaf target = Given(use, values_[operand][static_cast<size_t>(leaf)], copies);
    if (!blocks_[target.block].is_writable) return false;
    ForEachPlace(tie.written, ElementBytes(id, result_leaf), static_cast<int64_t>(target.names.size()),
                 [&](int64_t place) { target.names[place] = blocks_[target.block].names[place] = ++last_name_; });
    results.push_back(std::move(target));
    return true;
  }

  const Module& module_;
  const CopyChoices& choices_;
  const Candidate& candidate_;
  Paths& paths_;
  IdVector<InstrId, std::vector<Leaf>> values_;
  std::vector<Block> blocks_;
  std::vector<int32_t> bought_;                       // per use: the purchase, or -1
  IdVector<InstrId, std::vector<int32_t>> taken_at_;  // the uses whose private copies are taken here
  std::unordered_map<InstrId, int64_t> iterations_;   // of the loops that are running
  Name last_name_ = 0;
};

}  // namespace

int Paths::Choose(int options) {
  if (at_ == points_.size()) points_.push_back({0, options});
  return points_[at_++].chosen;
}

bool Paths::Next() {
  points_.resize(at_);
  at_ = 0;
  while (!points_.empty() && points_.back().chosen + 1 >= points_.back().options) points_.pop_back();
  if (points_.empty()) return false;
  ++points_.back().chosen;
  return true;
}

Outcome RunCandidate(const Module& module, const CopyChoices& choices, const Candidate& candidate) {
  Paths paths;
  int count = 0;
  do {
    if (!SharedRun(module, choices, candidate, paths).Run()) return Outcome::kWrong;
    if (++count == kMostPaths) return Outcome::kTooLong;
  } while (paths.Next());
  return Outcome::kRight;
}

}  // namespace stead::trials
