// The choices of a planner, all of them.
//
// An op that keeps part of its operand's bytes (a window update, a declared custom call) may overwrite the operand where it is, or
// a private copy of it. Any other op makes a new array, which costs no copy. Tuples, barriers, reshapes, loops and conditionals
// hand on pointers, which costs none either. So a plan is: for each use of an array, private copy or not; for each computation, an
// order.
//
// A private copy is worth most when it is taken as soon as the value is there: nothing can be destroyed by taking it. Likewise an
// op that overwrites nothing is best run as soon as it can. So only the order among the others is a choice: those that keep bytes,
// and the loops and conditionals that hold such ops.
#include "trials/copy_choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/dataflow.h"
#include "analysis/index_value.h"
#include "analysis/trip_count.h"

namespace stead::trials {

using analysis::ArrayLeafCount;
using analysis::ArrayLeafNumber;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

constexpr size_t kMostOrders = 60;

bool RunsOthers(const Module& module, InstrId id) {
  Opcode opcode = module.instruction(id).opcode;
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

class Collector {
 public:
  Collector(const Module& module, int64_t unknown_trip_count)
      : module_(module), unknown_trip_count_(unknown_trip_count) {
    choices_.effects.resize(module.instruction_count());
    choices_.first_use.resize(module.instruction_count());
  }

  std::optional<CopyChoices> Run() {
    Visit(module_.entry, 1);
    for (ComputationChoices& computation : choices_.computations) {
      if (is_covered_) ListOrders(computation);
    }
    if (!is_covered_) return std::nullopt;
    for (ComputationChoices& computation : choices_.computations) ListPurchases(computation);
    DropUseless();
    return std::move(choices_);
  }

 private:
  void Visit(ComputationId id, int64_t executions) {
    if (choices_.numbers.contains(id)) {
      is_covered_ = false;
      return;
    }
    choices_.numbers[id] = choices_.computations.size();
    choices_.computations.push_back({id, executions, {}});
    for (InstrId instruction : module_.computation(id).instructions) VisitInstruction(instruction, executions);
  }

  void VisitInstruction(InstrId id, int64_t executions) {
    const Instruction& instruction = module_.instruction(id);
    analysis::Effects& effects = choices_.effects[id];
    effects = analysis::EffectsOf(module_, id);
    for (analysis::OperandRead& read : effects.reads) read.bytes = counters_.ByIteration(read.bytes);
    for (analysis::Tie& tie : effects.ties) tie.written = counters_.ByIteration(tie.written);
    ir::ForEachLeaf(instruction.shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
      is_covered_ = is_covered_ && leaf.is_array() && leaf.is_row_major();
    });
    if (effects.has_side_effect || instruction.opcode == Opcode::kCall) is_covered_ = false;
    if (instruction.opcode == Opcode::kCopy) {
      size_t number = choices_.numbers.at(instruction.computation);
      choices_.computations[number].written_bytes += instruction.shape.byte_size() * executions;
    }
    if (!RunsOthers(module_, id)) return;
    int64_t times = 1;
    if (instruction.opcode == Opcode::kWhile) counters_.Add(module_, id);
    if (instruction.opcode == Opcode::kWhile) times = analysis::TripCount(module_, id).value_or(unknown_trip_count_);
    for (ComputationId called : instruction.called) Visit(called, executions * times);
  }

  // Runs something that keeps bytes.
  bool Overwrites(InstrId id) const {
    auto keeps = [](const analysis::Tie& tie) { return KeepsBytes(tie.kind); };
    if (std::ranges::any_of(choices_.effects[id].ties, keeps)) return true;
    if (!RunsOthers(module_, id)) return false;
    return std::ranges::any_of(module_.instruction(id).called, [&](ComputationId called) {
      return std::ranges::any_of(module_.computation(called).instructions,
                                 [&](InstrId inner) { return Overwrites(inner); });
    });
  }

  void ListOrders(ComputationChoices& computation) {
    std::vector<InstrId> order;
    std::set<InstrId> done;
    Extend(computation, order, done);
    if (computation.orders.size() > kMostOrders) is_covered_ = false;
  }

  void Extend(ComputationChoices& computation, std::vector<InstrId> order, std::set<InstrId> done) {
    if (computation.orders.size() > kMostOrders) return;
    const std::vector<InstrId>& all = module_.computation(computation.id).instructions;
    auto is_ready = [&](InstrId id) {
      const Instruction& instruction = module_.instruction(id);
      auto is_done = [&](InstrId before) { return done.contains(before); };
      return !done.contains(id) && std::ranges::all_of(instruction.operands, is_done) &&
             std::ranges::all_of(instruction.control_predecessors, is_done);
    };
    auto run = [&](InstrId id) {
      order.push_back(id);
      done.insert(id);
    };
    for (size_t before = order.size() + 1; before != order.size();) {
      before = order.size();
      for (InstrId id : all) {
        if (is_ready(id) && !Overwrites(id)) run(id);
      }
    }
    if (order.size() == all.size()) {
      computation.orders.push_back(std::move(order));
      return;
    }
    for (InstrId id : all) {
      if (!is_ready(id)) continue;
      std::vector<InstrId> next = order;
      std::set<InstrId> next_done = done;
      next.push_back(id);
      next_done.insert(id);
      Extend(computation, std::move(next), std::move(next_done));
    }
  }

  // Which instruction made the bytes of a leaf.
  ValueLeaf OriginOf(InstrId id, int32_t leaf) const {
    const Instruction& instruction = module_.instruction(id);
    if (!choices_.effects[id].forwards) return {id, leaf};
    if (instruction.opcode == Opcode::kGetTupleElement) {
      InstrId tuple = instruction.operands[0];
      int64_t element = instruction.As<ir::TupleElementAttributes>().index;
      return OriginOf(tuple, ArrayLeafNumber(module_.shape(tuple), {element}) + leaf);
    }
    for (InstrId operand : instruction.operands) {
      int32_t count = ArrayLeafCount(module_.shape(operand));
      if (leaf < count) return OriginOf(operand, leaf);
      leaf -= count;
    }
    return {id, leaf};
  }

  int32_t NextUse() const { return static_cast<int32_t>(choices_.uses.size()); }

  int32_t AddUse(LeafUse use, InstrId value) {
    use.origin = OriginOf(value, use.leaf);
    choices_.uses.push_back(std::move(use));
    return NextUse() - 1;
  }

  void ListPurchases(ComputationChoices& computation) {
    for (InstrId id : module_.computation(computation.id).instructions) {
      const analysis::Effects& effects = choices_.effects[id];
      choices_.first_use[id] = NextUse();
      if (effects.forwards) continue;
      const std::vector<InstrId>& operands = module_.instruction(id).operands;
      for (int32_t operand = 0; operand < static_cast<int32_t>(operands.size()); ++operand) {
        for (int32_t leaf = 0; leaf < ArrayLeafCount(module_.shape(operands[operand])); ++leaf) {
          LeafUse use{computation.id, id, operand, leaf, {}, effects.reads[operand].bytes};
          int32_t number = AddUse(std::move(use), operands[operand]);
          bool is_given = operand > 0 && module_.instruction(id).opcode == Opcode::kConditional;
          ComputationId taken_in = is_given ? module_.instruction(id).called[operand - 1] : computation.id;
          Buy({number}, operands[operand], leaf, computation.executions, taken_in);
        }
      }
      if (module_.instruction(id).opcode == Opcode::kConditional) BuyForBranches(computation, id);
    }
    InstrId root = module_.root(computation.id);
    computation.first_result_use = NextUse();
    for (int32_t leaf = 0; leaf < ArrayLeafCount(module_.shape(root)); ++leaf) {
      Buy({AddUse({.computation = computation.id, .leaf = leaf}, root)}, root, leaf, computation.executions,
          computation.id);
    }
  }

  // What a copy of only what is read holds: the box of a slice, or of all slices in a fusion. None: all.
  std::optional<int64_t> PartBytes(const LeafUse& use, const ir::Shape& shape) const {
    if (!use.user.valid() || !use.bytes.is_known()) return std::nullopt;
    const Instruction& user = module_.instruction(use.user);
    std::vector<InstrId> slices = {use.user};
    if (user.opcode == Opcode::kFusion)
      slices = module_.users(module_.computation(user.called[0]).parameters[static_cast<size_t>(use.operand)]);
    std::vector<int64_t> first = shape.dimensions, last(shape.dimensions.size(), 0);
    for (InstrId slice : slices) {
      if (module_.instruction(slice).opcode != Opcode::kSlice) return std::nullopt;
      const analysis::Region box = analysis::SliceRegion(module_.instruction(slice));
      for (size_t dim = 0; dim < first.size(); ++dim) {
        first[dim] = std::min(first[dim], box.starts[dim]);
        last[dim] = std::max(last[dim], box.starts[dim] + box.sizes[dim]);
      }
    }
    int64_t bytes = ir::ElementBytes(shape.element_type);
    for (size_t dim = 0; dim < first.size(); ++dim) bytes *= std::max<int64_t>(last[dim] - first[dim], 0);
    return bytes;
  }

  void Buy(std::vector<int32_t> uses, InstrId value, int32_t leaf, int64_t executions, ComputationId taken_in) {
    const ir::Shape& shape = SubShape(module_.shape(value), analysis::ArrayLeafIndex(module_.shape(value), leaf));
    int64_t bytes = shape.byte_size();
    if (std::optional<int64_t> part = PartBytes(choices_.uses[uses[0]], shape)) bytes = *part;
    choices_.purchases.push_back({std::move(uses), taken_in, bytes * executions});
  }

  // A copy that is taken before the conditional is reached. Only one branch runs: it may serve them all.
  void BuyForBranches(const ComputationChoices& computation, InstrId conditional) {
    std::map<ValueLeaf, std::vector<int32_t>> sharing;
    for (int32_t number = 0; number < static_cast<int32_t>(choices_.uses.size()); ++number) {
      const LeafUse& use = choices_.uses[number];
      if (use.user == conditional && use.operand > 0) sharing[use.origin].push_back(number);
    }
    for (auto& [origin, uses] : sharing)
      Buy(uses, origin.instruction, origin.leaf, computation.executions, computation.id);
  }

  // Leaves whose bytes may be the same: a partition, too coarse rather than too fine.
  ValueLeaf ClassOf(ValueLeaf leaf) {
    ValueLeaf origin = OriginOf(leaf.instruction, leaf.leaf);
    for (auto next = class_of_.find(origin); next != class_of_.end(); next = class_of_.find(origin))
      origin = next->second;
    return origin;
  }

  void Join(ValueLeaf left, ValueLeaf right) {
    ValueLeaf one = ClassOf(left), other = ClassOf(right);
    if (one != other) class_of_[one] = other;
  }

  void JoinThrough(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    bool is_loop = instruction.opcode == Opcode::kWhile;
    for (size_t number = 0; number < instruction.called.size(); ++number) {
      ComputationId called = instruction.called[number];
      InstrId operand = instruction.operands[is_loop ? 0 : number + 1];
      InstrId parameter = module_.computation(called).parameters.at(0), root = module_.root(called);
      for (int32_t leaf = 0; leaf < ArrayLeafCount(module_.shape(operand)); ++leaf)
        Join({operand, leaf}, {parameter, leaf});
      // A loop's condition hands on nothing.
      if (is_loop && number == 0) continue;
      for (int32_t leaf = 0; leaf < ArrayLeafCount(instruction.shape); ++leaf) {
        Join({root, leaf}, {id, leaf});
        if (is_loop) Join({operand, leaf}, {id, leaf});
      }
    }
  }

  // Copies of what nobody overwrites help only where results are handed to the caller, or lead there by way of loops and branches.
  void DropUseless() {
    std::set<ValueLeaf> wanted;
    for (const ComputationChoices& computation : choices_.computations) {
      for (InstrId id : module_.computation(computation.id).instructions) {
        if (RunsOthers(module_, id)) JoinThrough(id);
        for (const analysis::Tie& tie : choices_.effects[id].ties) {
          InstrId operand = module_.operand(id, static_cast<size_t>(tie.operand));
          ValueLeaf from{operand, ArrayLeafNumber(module_.shape(operand), tie.operand_index)};
          if (!KeepsBytes(tie.kind)) continue;
          Join(from, {id, ArrayLeafNumber(module_.shape(id), tie.result_index)});
          wanted.insert(from);
        }
      }
    }
    for (const LeafUse& use : choices_.uses) {
      bool is_result = use.computation == module_.entry && !use.user.valid();
      if (is_result && RunsOthers(module_, use.origin.instruction)) wanted.insert(use.origin);
    }
    std::set<ValueLeaf> classes;
    for (const ValueLeaf& leaf : wanted) classes.insert(ClassOf(leaf));
    std::erase_if(choices_.purchases, [&](const Purchase& purchase) {
      const LeafUse& use = choices_.uses[purchase.uses[0]];
      bool is_result = use.computation == module_.entry && !use.user.valid();
      return !is_result && !classes.contains(ClassOf(use.origin));
    });
  }

  const Module& module_;
  int64_t unknown_trip_count_;
  analysis::LoopCounters counters_;
  CopyChoices choices_;
  std::map<ValueLeaf, ValueLeaf> class_of_;  // towards the representative
  bool is_covered_ = true;
};

}  // namespace

std::optional<CopyChoices> CollectCopyChoices(const Module& module, int64_t unknown_trip_count) {
  return Collector(module, unknown_trip_count).Run();
}

std::string Describe(const Module& module, const CopyChoices& choices, const Purchase& purchase) {
  std::vector<std::string> uses;
  for (int32_t number : purchase.uses) {
    const LeafUse& use = choices.uses[number];
    std::string user = use.user.valid() ? module.instruction(use.user).name
                                        : fmt::format("the end of {}", module.computation(use.computation).name);
    uses.push_back(fmt::format("{}.{} of `{}` for {}, operand {} leaf {}",
                               module.instruction(use.origin.instruction).name, use.origin.leaf,
                               module.computation(use.computation).name, user, use.operand, use.leaf));
  }
  return fmt::format("{} bytes: {}", purchase.cost, fmt::join(uses, "; "));
}

}  // namespace stead::trials
