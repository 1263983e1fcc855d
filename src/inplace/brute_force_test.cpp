// The planner against brute force on random small programs: all sets of elements, cheapest first, each with all orders, run
// on buffers whose cells carry the name of the value they hold. The cheapest set for which some order reads no wrong cell is
// the optimum. Which results the program ties to donated arrays makes no difference: a tie that would cost a copy is dropped.
// Shares nothing with the planner but the meaning of the ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "inplace/plan.h"

namespace stead::inplace {
namespace {

// A program over arrays f32[n] of several lengths. Values 0..arrays-1 are the parameters.
struct Op {
  enum class Kind { kWindow, kMust, kSlice, kWholeRead };
  Kind kind = Kind::kSlice;
  int value = 0;            // the updated or read value
  int other = -1;           // kMust: a value it reads as well
  int start = 0, size = 1;  // kWindow: cells written; kSlice: cells read
  int result = -1;          // updates: the new value
  std::vector<int> before;  // control edges: ops that come first
};
struct Program {
  std::vector<int> lengths;  // per array
  std::vector<bool> donated;
  std::vector<int> declared;  // per array: the result that the program ties to it, -1 for any
  std::vector<Op> ops;
  std::vector<int> array_of;  // per value
  std::vector<int> producer;  // per value: op or -1
  std::vector<int> returned;  // values, possibly twice
};

// Ties donated arrays to results of their size, whether or not that is where they could be used.
void DeclareTies(Program& program, std::mt19937& random) {
  program.declared.assign(program.lengths.size(), -1);
  std::set<int> taken;
  for (size_t array = 0; array < program.lengths.size(); ++array) {
    if (program.returned.empty() || !program.donated[array] || random() % 2 == 0) continue;
    int result = static_cast<int>(random() % program.returned.size());
    int length = program.lengths[program.array_of[program.returned[result]]];
    if (length == program.lengths[array] && taken.insert(result).second) program.declared[array] = result;
  }
}

Program RandomProgram(uint32_t seed) {
  std::mt19937 random(seed);
  auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  Program program;
  int arrays = 1 + below(3);
  for (int array = 0; array < arrays; ++array) {
    program.lengths.push_back(2 + below(3));
    program.donated.push_back(below(8) != 0);
    program.array_of.push_back(array);
    program.producer.push_back(-1);
  }
  int count = 3 + below(5);
  for (int number = 0; number < count; ++number) {
    Op op;
    int values = static_cast<int>(program.array_of.size());
    op.value = below(5) == 0 ? below(values) : std::max(0, values - 1 - below(arrays + 1));
    int length = program.lengths[program.array_of[op.value]];
    int choice = below(10);
    op.kind = choice < 4   ? Op::Kind::kWindow
              : choice < 6 ? Op::Kind::kMust
              : choice < 9 ? Op::Kind::kSlice
                           : Op::Kind::kWholeRead;
    op.size = 1 + below(op.kind == Op::Kind::kSlice ? length : 2);
    op.start = below(length - op.size + 1);
    if (op.kind == Op::Kind::kMust && below(2) == 0) op.other = below(values);
    if (op.kind == Op::Kind::kWindow || op.kind == Op::Kind::kMust) {
      op.result = values;
      program.array_of.push_back(program.array_of[op.value]);
      program.producer.push_back(number);
    }
    if (number > 0 && below(4) == 0) op.before.push_back(below(number));
    program.ops.push_back(std::move(op));
  }
  for (int value = 0; value < static_cast<int>(program.array_of.size()); ++value) {
    if (below(10) < 3) program.returned.push_back(value);
    if (below(40) == 0) program.returned.push_back(value);
  }
  DeclareTies(program, random);
  return program;
}

// --- the program as a module ---

class ModuleOf {
 public:
  explicit ModuleOf(const Program& program) : program_(program) {
    module_.entry = module_.AddComputation("main");
    for (size_t array = 0; array < program.lengths.size(); ++array) {
      values_.push_back(Parameter(static_cast<int64_t>(array), Array(program.lengths[array])));
      if (!program.donated[array]) continue;
      if (program.declared[array] < 0) {
        module_.buffer_donors.push_back({static_cast<int64_t>(array), {}});
      } else {
        module_.input_output_aliases.push_back({{program.declared[array]}, static_cast<int64_t>(array), {}, false});
      }
    }
    for (const Op& op : program.ops) ops_.push_back(AddOp(op));
    std::vector<ir::InstrId> results;
    std::vector<ir::Shape> shapes;
    for (int value : program.returned) {
      results.push_back(values_[value]);
      shapes.push_back(module_.shape(values_[value]));
    }
    ir::Instruction root{.opcode = ir::Opcode::kTuple, .shape = ir::Shape::Tuple(shapes), .operands = results};
    module_.SetRoot(module_.entry, Add(std::move(root)));
  }
  ir::Module module_;

 private:
  static ir::Shape Array(int64_t length) { return ir::Shape::Array(ir::ElementType::kF32, {length}); }
  ir::InstrId Add(ir::Instruction instruction) { return module_.Add(module_.entry, std::move(instruction)); }
  ir::InstrId Parameter(int64_t number, ir::Shape shape) {
    return Add(
        {.opcode = ir::Opcode::kParameter, .shape = std::move(shape), .attributes = ir::ParameterAttributes{number}});
  }
  ir::InstrId Index(int64_t value) {
    ir::Shape shape = ir::Shape::Array(ir::ElementType::kS32, {});
    ir::Literal literal = ir::Literal::FromVector<int32_t>(shape, {static_cast<int32_t>(value)});
    return Add({.opcode = ir::Opcode::kConstant, .shape = shape, .attributes = literal});
  }
  ir::InstrId Iota(int64_t size) {
    return Add({.opcode = ir::Opcode::kIota, .shape = Array(size), .attributes = ir::DimensionsAttributes{{0}}});
  }

  ir::InstrId AddOp(const Op& op) {
    ir::Instruction instruction;
    ir::InstrId value = values_[op.value];
    switch (op.kind) {
      case Op::Kind::kWindow:
        instruction = {.opcode = ir::Opcode::kDynamicUpdateSlice, .shape = module_.shape(value)};
        instruction.operands = {value, Iota(op.size), Index(op.start)};
        break;
      case Op::Kind::kMust: {
        instruction = {.opcode = ir::Opcode::kCustomCall, .shape = module_.shape(value), .operands = {value}};
        if (op.other >= 0) instruction.operands.push_back(values_[op.other]);
        instruction.attributes = ir::CustomCallAttributes{"update", {{{}, 0, {}}}, false};
        break;
      }
      case Op::Kind::kSlice:
        instruction = {.opcode = ir::Opcode::kSlice, .shape = Array(op.size), .operands = {value}};
        instruction.attributes = ir::SliceAttributes{{op.start}, {op.start + op.size}, {1}};
        break;
      case Op::Kind::kWholeRead:
        instruction = {.opcode = ir::Opcode::kCustomCall, .shape = Array(1), .operands = {value}};
        instruction.attributes = ir::CustomCallAttributes{"read", {}, false};
        break;
    }
    for (int before : op.before) instruction.control_predecessors.push_back(ops_[before]);
    ir::InstrId id = Add(std::move(instruction));
    if (op.result >= 0) values_.push_back(id);
    return id;
  }

  const Program& program_;
  std::vector<ir::InstrId> values_, ops_;
};

// --- brute force ---

using Cells = std::vector<int>;  // names of the content of each cell

class BruteForce {
 public:
  explicit BruteForce(const Program& program) : program_(program) {
    for (size_t value = 0; value < program.array_of.size(); ++value)
      expected_.push_back(Expected(static_cast<int>(value)));
    for (size_t number = 0; number < program.ops.size(); ++number) AddElements(static_cast<int>(number));
  }

  int64_t Cheapest() {
    std::vector<std::pair<int64_t, uint32_t>> subsets;
    for (uint32_t subset = 0; subset < (1u << elements_.size()); ++subset) {
      int64_t cost = 0;
      for (size_t element = 0; element < elements_.size(); ++element) {
        if (subset >> element & 1) cost += elements_[element].weight;
      }
      subsets.push_back({cost, subset});
    }
    std::ranges::sort(subsets);
    for (auto [cost, subset] : subsets) {
      if (SomeOrderWorks(subset)) return cost + ForcedByResults();
    }
    return -1;
  }

 private:
  struct Element {
    int op;
    int operand;  // 0: the value, 1: the other value
    int64_t weight;
  };
  struct State {
    uint32_t done = 0;
    std::vector<Cells> buffers;  // per array, then one per value for private copies
    std::vector<int> buffer_of;  // per value; -1: not made yet
    auto operator<=>(const State&) const = default;
  };

  int Length(int value) const { return program_.lengths[program_.array_of[value]]; }

  Cells Expected(int value) const {
    int op = program_.producer[value];
    Cells cells;
    for (int cell = 0; cell < Length(value); ++cell) {
      bool written = op < 0 || program_.ops[op].kind == Op::Kind::kMust ||
                     (cell >= program_.ops[op].start && cell < program_.ops[op].start + program_.ops[op].size);
      cells.push_back(written ? value * 100 + cell : expected_[program_.ops[op].value][cell]);
    }
    return cells;
  }

  void AddElements(int number) {
    const Op& op = program_.ops[number];
    int64_t whole = 4 * Length(op.value);
    if (op.result >= 0) elements_.push_back({number, 0, whole});
    if (op.other >= 0 && op.other == op.value) elements_.push_back({number, 1, whole});
    bool part = op.kind == Op::Kind::kSlice && op.size < Length(op.value);
    if (part) elements_.push_back({number, 0, 4 * op.size});
  }

  bool IsBought(uint32_t subset, int op, int operand) const {
    for (size_t element = 0; element < elements_.size(); ++element) {
      if (elements_[element].op == op && elements_[element].operand == operand) return subset >> element & 1;
    }
    return false;
  }

  // Copies that no order avoids: an undonated parameter returned, a value returned again.
  int64_t ForcedByResults() const {
    int64_t cost = 0;
    std::set<int> seen;
    for (int value : program_.returned) {
      bool borrowed = program_.producer[value] < 0 && !program_.donated[program_.array_of[value]];
      if (borrowed || !seen.insert(value).second) cost += 4 * Length(value);
    }
    return cost;
  }

  bool SomeOrderWorks(uint32_t subset) {
    seen_.clear();
    State state;
    state.buffers.resize(program_.lengths.size() + program_.array_of.size());
    state.buffer_of.assign(program_.array_of.size(), -1);
    for (size_t array = 0; array < program_.lengths.size(); ++array) {
      state.buffers[array] = expected_[array];
      state.buffer_of[array] = static_cast<int>(array);
    }
    return Search(state, subset);
  }

  bool Search(const State& state, uint32_t subset) {
    if (state.done == (1u << program_.ops.size()) - 1) return ResultsHold(state);
    if (!seen_.insert(state).second) return false;
    for (int op = 0; op < static_cast<int>(program_.ops.size()); ++op) {
      if (state.done >> op & 1 || !IsReady(state, op)) continue;
      State next = state;
      if (Run(next, op, subset) && Search(next, subset)) return true;
    }
    return false;
  }

  bool IsReady(const State& state, int number) const {
    const Op& op = program_.ops[number];
    auto made = [&](int value) {
      return value < 0 || program_.producer[value] < 0 || (state.done >> program_.producer[value] & 1);
    };
    return made(op.value) && made(op.other) &&
           std::ranges::all_of(op.before, [&](int before) { return state.done >> before & 1; });
  }

  bool Holds(const State& state, int value, int start, int size) const {
    const Cells& cells = state.buffers[state.buffer_of[value]];
    return std::equal(cells.begin() + start, cells.begin() + start + size, expected_[value].begin() + start);
  }
  bool HoldsAll(const State& state, int value) const { return Holds(state, value, 0, Length(value)); }

  // False when the op would read or overwrite what it must not.
  bool Run(State& state, int number, uint32_t subset) const {
    const Op& op = program_.ops[number];
    state.done |= 1u << number;
    if (op.result < 0) {
      if (IsBought(subset, number, 0)) return true;
      return op.kind == Op::Kind::kSlice ? Holds(state, op.value, op.start, op.size) : HoldsAll(state, op.value);
    }
    bool private_copy = IsBought(subset, number, 0);
    int target = state.buffer_of[op.value];
    if (private_copy) {
      target = static_cast<int>(program_.lengths.size()) + op.result;
    } else {
      bool writable = target >= static_cast<int>(program_.lengths.size()) || program_.donated[target];
      if (!writable || !HoldsAll(state, op.value)) return false;
    }
    if (op.other >= 0 && !IsBought(subset, number, 1)) {
      if (!HoldsAll(state, op.other) || state.buffer_of[op.other] == target) return false;
    }
    state.buffers[target] = expected_[op.result];
    state.buffer_of[op.result] = target;
    return true;
  }

  bool ResultsHold(const State& state) const {
    return std::ranges::all_of(program_.returned, [&](int value) { return HoldsAll(state, value); });
  }

  const Program& program_;
  std::vector<Cells> expected_;
  std::vector<Element> elements_;
  std::set<State> seen_;
};

TEST(BruteForce, PlansAreAsCheapAsTheBestOfAllOrders) {
  std::map<int64_t, int> histogram;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Program program = RandomProgram(seed);
    ModuleOf built(program);
    Result<BufferPlan> plan = MakePlan(std::move(built.module_), {.chaos_seed = seed % 3});
    ASSERT_TRUE(plan.ok()) << "seed " << seed << ": " << plan.error().ToString();
    Status checked = CheckPlan(*plan);
    ASSERT_TRUE(checked.ok()) << "seed " << seed << ": " << checked.error().ToString();
    int64_t copied = 0;
    for (const CopyRecord& copy : plan->copies) copied += copy.bytes * copy.executions;
    ASSERT_EQ(copied, BruteForce(program).Cheapest()) << "seed " << seed;
    ASSERT_TRUE(plan->exact);
    ASSERT_EQ(plan->lower_bound_bytes, copied) << "seed " << seed;
    ++histogram[copied];
  }
  // The generator reaches easy and hard programs alike.
  EXPECT_GT(histogram[0], 300);
  EXPECT_GT(histogram.size(), 10u);
}

}  // namespace
}  // namespace stead::inplace
