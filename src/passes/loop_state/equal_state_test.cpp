#include "passes/loop_state/equal_state.h"

#include <fmt/format.h>

#include <string>

#include "passes/cleanup/dead_code.h"
#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

// A loop with two counters: `second_start` and `second_step` say what the second one does.
std::string TwoCounters(std::string_view second_start, std::string_view second_step) {
  return fmt::format(R"(HloModule m
cond {{ s = (s32[], s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT }}
body {{ s = (s32[], s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  j = s32[] get-tuple-element(s), index=1
  x = f32[3] get-tuple-element(s), index=2
  one = s32[] constant(1)
  also = s32[] constant(1)
  two = s32[] constant(2)
  next_i = s32[] add(i, one)
  next_j = s32[] {}
  number = f32[] convert(j)
  fill = f32[3] broadcast(number), dimensions={{}}
  next_x = f32[3] add(x, fill)
  ROOT r = (s32[], s32[], f32[3]) tuple(next_i, next_j, next_x) }}
ENTRY main {{ x = f32[3] parameter(0)
  zero = s32[] constant(0)
  start = s32[] constant({})
  init = (s32[], s32[], f32[3]) tuple(zero, start, x)
  w = (s32[], s32[], f32[3]) while(init), condition=cond, body=body
  j = s32[] get-tuple-element(w), index=1
  y = f32[3] get-tuple-element(w), index=2
  ROOT r = (s32[], f32[3]) tuple(j, y) }})",
                     second_step, second_start);
}

TEST(EqualState, ASecondCounterGoes) {
  ir::Module module = After(TwoCounters("0", "add(j, also)"), MergeEqualState);
  RunPass(module, RemoveDeadCode);
  EXPECT_EQ(Named(module, "w").shape.elements.size(), 2u);
  ExpectSameMeaning(Parse(TwoCounters("0", "add(j, also)")), module);
}

TEST(EqualState, CountersThatDifferStay) {
  for (auto [start, step] : {std::pair("1", "add(j, also)"), std::pair("0", "add(j, two)"), std::pair("0", "add(j, i)"),
                             std::pair("0", "subtract(j, also)"), std::pair("0", "add(i, two)")}) {
    ir::Module module = Parse(TwoCounters(start, step));
    EXPECT_FALSE(RunPass(module, MergeEqualState)) << start << " " << step;
  }
}

// Three arrays that start equal: two change places, the third takes after one of them.
TEST(EqualState, EqualArraysThatChangePlacesAreOne) {
  constexpr char kText[] = R"(HloModule m
cond { s = (s32[], f32[3], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[3], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  y = f32[3] get-tuple-element(s), index=2
  z = f32[3] get-tuple-element(s), index=3
  one = s32[] constant(1)
  next_i = s32[] add(i, one)
  ROOT r = (s32[], f32[3], f32[3], f32[3]) tuple(next_i, y, x, x) }
ENTRY main { x = f32[3] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[3], f32[3], f32[3]) tuple(zero, x, x, x)
  w = (s32[], f32[3], f32[3], f32[3]) while(init), condition=cond, body=body
  y = f32[3] get-tuple-element(w), index=2
  z = f32[3] get-tuple-element(w), index=3
  ROOT r = (f32[3], f32[3]) tuple(y, z) })";
  ir::Module module = After(kText, MergeEqualState);
  RunPass(module, RemoveDeadCode);
  EXPECT_EQ(Named(module, "w").shape.elements.size(), 2u);
  ExpectSameMeaning(Parse(kText), module);
}

// Whatever the second array was, after an iteration it is the first.
TEST(EqualState, ArraysThatAreHandedOnAsOneAreOneAfterwards) {
  constexpr char kText[] = R"(HloModule m
cond { s = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next_i = s32[] add(i, one)
  ROOT r = (s32[], f32[3], f32[3]) tuple(next_i, x, x) }
ENTRY main { x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  zero = s32[] constant(START)
  init = (s32[], f32[3], f32[3]) tuple(zero, x, y)
  w = (s32[], f32[3], f32[3]) while(init), condition=cond, body=body
  x1 = f32[3] get-tuple-element(w), index=1
  y1 = f32[3] get-tuple-element(w), index=2
  ROOT r = (f32[3], f32[3]) tuple(x1, y1) })";
  const std::string text = kText;
  auto starting_at = [&](const char* start) { return std::string(text).replace(text.find("START"), 5, start); };
  ir::Module module = After(starting_at("0"), MergeEqualState);
  RunPass(module, RemoveDeadCode);
  EXPECT_EQ(Named(module, "w").shape.elements.size(), 2u);
  ExpectSameMeaning(Parse(starting_at("0")), module);
  module = Parse(starting_at("4"));
  EXPECT_FALSE(RunPass(module, MergeEqualState)) << "the loop does not run, so that the results are the initial values";
}

// The arrays start equal, but one is changed on the way.
TEST(EqualState, ArraysThatBecomeDifferentStay) {
  constexpr char kText[] = R"(HloModule m
cond { s = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  y = f32[3] get-tuple-element(s), index=2
  twice = f32[3] add(x, y)
  one = s32[] constant(1)
  next_i = s32[] add(i, one)
  ROOT r = (s32[], f32[3], f32[3]) tuple(next_i, y, twice) }
ENTRY main { x = f32[3] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[3], f32[3]) tuple(zero, x, x)
  w = (s32[], f32[3], f32[3]) while(init), condition=cond, body=body
  x1 = f32[3] get-tuple-element(w), index=1
  y1 = f32[3] get-tuple-element(w), index=2
  ROOT r = (f32[3], f32[3]) tuple(x1, y1) })";
  ir::Module module = Parse(kText);
  EXPECT_FALSE(RunPass(module, MergeEqualState));
}

// A branch that is given x twice. `users`: who calls it.
std::string GivenTwice(std::string_view users) {
  return fmt::format(R"(HloModule m
twice {{ s = (f32[3], f32[3]) parameter(0)
  x = f32[3] get-tuple-element(s), index=0
  y = f32[3] get-tuple-element(s), index=1
  ROOT r = f32[3] subtract(x, y) }}
once {{ ROOT x = f32[3] parameter(0) }}
ENTRY main {{ x = f32[3] parameter(0)
  z = f32[3] parameter(1)
  p = pred[] parameter(2)
  both = (f32[3], f32[3]) tuple(x, x)
  {} }})",
                     users);
}

TEST(EqualState, WhatABranchIsGivenTwiceIsReadOnce) {
  ir::Module module =
      After(GivenTwice("ROOT r = f32[3] conditional(p, both, x), true_computation=twice, false_computation=once"),
            MergeEqualState);
  const ir::Instruction& root = module.instruction(module.root(module.entry));
  const ir::Instruction& difference = module.instruction(module.root(root.called[0]));
  for (ir::InstrId operand : difference.operands) {
    EXPECT_EQ(module.instruction(operand).As<ir::TupleElementAttributes>().index, 0);
  }
}

TEST(EqualState, ABranchThatAnotherCallerGivesTwoValuesStays) {
  ir::Module module = Parse(GivenTwice(R"(other = (f32[3], f32[3]) tuple(x, z)
  a = f32[3] conditional(p, both, x), true_computation=twice, false_computation=once
  ROOT b = f32[3] conditional(p, other, a), true_computation=twice, false_computation=once)"));
  EXPECT_FALSE(RunPass(module, MergeEqualState));
}

}  // namespace
}  // namespace stead::passes
