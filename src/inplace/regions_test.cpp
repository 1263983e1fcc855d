// Plans whose scopes agree on pointers: what the search over regions finds, and that the checker proves all that it tries.
#include "inplace/regions.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "frontend/hlo_text/parser.h"
#include "inplace/cost.h"
#include "inplace/plan.h"

namespace stead::inplace {
namespace {

BufferPlan PlanOf(const std::string& text) {
  Result<ir::Module> module = frontend::ParseHloText(text, "test.hlo");
  if (!module.ok()) throw std::runtime_error(module.error().ToString());
  Result<BufferPlan> plan = MakePlan(std::move(*module), {});
  if (!plan.ok()) throw std::runtime_error(plan.error().ToString());
  Status checked = CheckPlan(*plan);
  EXPECT_TRUE(checked.ok()) << checked.error().ToString();
  for (const PlanRemark& remark : plan->remarks) EXPECT_NE(remark.code, "P001") << remark.why;
  return std::move(*plan);
}

// `old` starts in the array that `now` overwrites, and then takes over its slot. What `old` leads to is not used for anything else.
constexpr char kStateHandedOn[] = R"(HloModule m, buffer_donor={ (0, {}), (1, {}) }
condition {
  p = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  now = f32[8] get-tuple-element(p), index=1
  old = f32[8] get-tuple-element(p), index=2
  sum = f32[8] get-tuple-element(p), index=3
  next = f32[8] reverse(now), dimensions={0}
  more = f32[8] add(sum, old)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[8], f32[8], f32[8]) tuple(j, next, now, more)
}
ENTRY main {
  x = f32[8] parameter(0)
  sum = f32[8] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], f32[8], f32[8], f32[8]) tuple(zero, x, x, sum)
  loop = (s32[], f32[8], f32[8], f32[8]) while(start), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(loop), index=3
})";

TEST(Regions, StateThatIsHandedOnTakesItsSlotAlong) {
  BufferPlan plan = PlanOf(kStateHandedOn);
  EXPECT_EQ(CopiedBytes(plan), 0);
}

// Each move of a pointer is needed, and goes where it has to.
TEST(Regions, PointersThatAreMovedWronglyAreRefused) {
  const BufferPlan plan = PlanOf(kStateHandedOn);
  ASSERT_EQ(plan.loops.size(), 1u);
  const LoopPlan& right = plan.loops.begin()->second;
  auto is_refused = [&](const LoopPlan& moves) {
    BufferPlan wrong = plan;
    wrong.loops.begin()->second = moves;
    return !CheckPlan(wrong).ok();
  };
  ASSERT_FALSE(is_refused(right));
  ASSERT_GT(right.back_edge.size(), 2u);
  for (size_t move = 0; move < right.back_edge.size(); ++move) {
    LoopPlan without = right;
    without.back_edge.erase(without.back_edge.begin() + static_cast<std::ptrdiff_t>(move));
    EXPECT_TRUE(is_refused(without)) << "without move " << move;
    for (size_t other = 0; other < move; ++other) {
      if (right.back_edge[move].source == right.back_edge[other].source) continue;
      LoopPlan swapped = right;
      std::swap(swapped.back_edge[move].source, swapped.back_edge[other].source);
      EXPECT_TRUE(is_refused(swapped)) << "moves " << other << " and " << move << " swapped";
    }
  }
  for (size_t pointer = 0; pointer < right.pointers.size(); ++pointer) {
    LoopPlan without = right;
    without.pointers.erase(without.pointers.begin() + static_cast<std::ptrdiff_t>(pointer));
    EXPECT_TRUE(is_refused(without)) << "without pointer " << pointer;
  }
}

// The inner loop hands out x or what it made of it, as the run wants. An update of that, handed on to the next iteration, would leave the
// other of the two arrays to nobody: it is copied.
TEST(Regions, WhatIsUpdatedWhereAPointerLeadsIsNotHandedOn) {
  BufferPlan plan = PlanOf(R"(HloModule m, buffer_donor={ (0, {}) }
inner_condition {
  p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT
}
inner_body {
  p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[8] get-tuple-element(p), index=1
  b = f32[8] get-tuple-element(p), index=2
  next = f32[8] add(a, b)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[8], f32[8]) tuple(j, next, next)
}
condition {
  p = (s32[], f32[8], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[8], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  k = s32[] get-tuple-element(p), index=2
  start = (s32[], f32[8], f32[8]) tuple(k, x, x)
  loop = (s32[], f32[8], f32[8]) while(start), condition=inner_condition, body=inner_body
  y = f32[8] get-tuple-element(loop), index=1
  z = f32[8] get-tuple-element(loop), index=2
  row = f32[1] slice(y), slice={[3:4]}
  new = f32[8] dynamic-update-slice(z, row, i)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[8], s32[]) tuple(j, new, k)
}
ENTRY main {
  x = f32[8] parameter(0)
  k = s32[] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], f32[8], s32[]) tuple(zero, x, k)
  loop = (s32[], f32[8], s32[]) while(start), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(loop), index=1
})");
  // In each of four iterations.
  EXPECT_EQ(CopiedBytes(plan), 4 * 32);
}

// Row 2 is overwritten before the branch reads row 0 of the old array: which row that is, only the caller knows.
TEST(Regions, BranchesReadRowsThatTheirCallerNames) {
  BufferPlan plan = PlanOf(R"(HloModule m, buffer_donor={ (0, {}) }
one {
  p = (s32[], f32[4,8], f32[4,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  old = f32[4,8] get-tuple-element(p), index=1
  zero = s32[] constant(0)
  ROOT row = f32[1,8] dynamic-slice(old, i, zero), dynamic_slice_sizes={1,8}
}
other {
  p = (s32[], f32[4,8], f32[4,8]) parameter(0)
  new = f32[4,8] get-tuple-element(p), index=2
  ROOT row = f32[1,8] slice(new), slice={[1:2], [0:8]}
}
ENTRY main {
  x = f32[4,8] parameter(0)
  choice = pred[] parameter(1)
  zero = s32[] constant(0)
  two = s32[] constant(2)
  row = f32[1,8] constant({ { 1, 2, 3, 4, 5, 6, 7, 8 } })
  new = f32[4,8] dynamic-update-slice(x, row, two, zero)
  given = (s32[], f32[4,8], f32[4,8]) tuple(zero, x, new)
  read = f32[1,8] conditional(choice, given, given), true_computation=one, false_computation=other
  ROOT t = (f32[4,8], f32[1,8]) tuple(new, read)
})");
  EXPECT_EQ(CopiedBytes(plan), 0);
}

// The loop never looks at what `first` starts with: x may be overwritten before it, whatever lies there then.
TEST(Regions, StateThatIsOverwrittenUnseenNeedsNoInitialValue) {
  BufferPlan plan = PlanOf(R"(HloModule m, buffer_donor={ (0, {}) }
condition {
  p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  second = f32[8] get-tuple-element(p), index=2
  turned = f32[8] reverse(second), dimensions={0}
  twice = f32[8] add(second, second)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[8], f32[8]) tuple(j, turned, twice)
}
ENTRY main {
  x = f32[8] parameter(0)
  row = f32[1] constant({ 1 })
  zero = s32[] constant(0)
  new = f32[8] dynamic-update-slice(x, row, zero)
  start = (s32[], f32[8], f32[8]) tuple(zero, x, new)
  loop = (s32[], f32[8], f32[8]) while(start), condition=condition, body=body
  one = f32[8] get-tuple-element(loop), index=1
  other = f32[8] get-tuple-element(loop), index=2
  ROOT r = (f32[8], f32[8]) tuple(one, other)
})");
  EXPECT_EQ(CopiedBytes(plan), 0);
}

// The loop reads row READ of x, and is given what becomes of row 0 as well: it runs after that was overwritten.
constexpr char kLoopReadsARow[] = R"(HloModule m, buffer_donor={ (0, {}) }
condition {
  p = (s32[], f32[4,8], f32[1,8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[4,8], f32[1,8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4,8] get-tuple-element(p), index=1
  given = f32[1,8] get-tuple-element(p), index=2
  sum = f32[8] get-tuple-element(p), index=3
  row = f32[1,8] slice(x), slice={READ, [0:8]}
  both = f32[1,8] add(row, given)
  flat = f32[8] reshape(both)
  more = f32[8] add(sum, flat)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[4,8], f32[1,8], f32[8]) tuple(j, x, given, more)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  sum = f32[8] parameter(1)
  ones = f32[1,8] constant({ { 1, 1, 1, 1, 1, 1, 1, 1 } })
  zero = s32[] constant(0)
  new = f32[4,8] dynamic-update-slice(x, ones, zero, zero)
  row = f32[1,8] slice(new), slice={[0:1], [0:8]}
  start = (s32[], f32[4,8], f32[1,8], f32[8]) tuple(zero, x, row, sum)
  loop = (s32[], f32[4,8], f32[1,8], f32[8]) while(start), condition=condition, body=body
  total = f32[8] get-tuple-element(loop), index=3
  ROOT r = (f32[4,8], f32[8]) tuple(new, total)
})";

std::string LoopReadsRow(const std::string& rows) {
  std::string text = kLoopReadsARow;
  return text.replace(text.find("READ"), 4, rows);
}

TEST(Regions, ALoopThatReadsARowMayRunAfterAnotherWasOverwritten) {
  BufferPlan plan = PlanOf(LoopReadsRow("[1:2]"));
  // The state that the caller keeps; x is updated in place.
  EXPECT_EQ(CopiedBytes(plan), 0);
  // The row that the loop reads is the one that is overwritten: x has to be copied.
  EXPECT_EQ(CopiedBytes(PlanOf(LoopReadsRow("[0:1]"))), 4 * 8 * 4);
}

// The same plan with another row read inside: the checker sees that it is gone.
TEST(Regions, ALoopThatReadsAnOverwrittenRowIsRefused) {
  BufferPlan plan = PlanOf(LoopReadsRow("[1:2]"));
  for (size_t number = 0; number < plan.module.instruction_count(); ++number) {
    ir::InstrId id(number);
    const ir::Instruction& instruction = plan.module.instruction(id);
    if (instruction.opcode != ir::Opcode::kSlice || instruction.computation == plan.module.entry) continue;
    plan.module.SetAttributes(id, ir::SliceAttributes{{0, 0}, {1, 8}, {1, 1}});
    for (Slice& place : plan.placements[id]) place.offset = 0;
  }
  Status checked = CheckPlan(plan);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().why, "it reads a value that is no longer where the plan says");
}

// A branch updates row 0 and hands out the array as it was as well; only rows READ of that are looked at, which are still there.
constexpr char kRowsOfABranchResult[] = R"(HloModule m, buffer_donor={ (0, {}) }
updated {
  p = (f32[4,8], f32[1,8]) parameter(0)
  x = f32[4,8] get-tuple-element(p), index=0
  row = f32[1,8] get-tuple-element(p), index=1
  zero = s32[] constant(0)
  new = f32[4,8] dynamic-update-slice(x, row, zero, zero)
  ROOT t = (f32[4,8], f32[4,8]) tuple(new, x)
}
kept {
  x = f32[4,8] parameter(0)
  ROOT t = (f32[4,8], f32[4,8]) tuple(x, x)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  row = f32[1,8] parameter(1)
  choice = pred[] parameter(2)
  given = (f32[4,8], f32[1,8]) tuple(x, row)
  both = (f32[4,8], f32[4,8]) conditional(choice, given, x), true_computation=updated, false_computation=kept
  new = f32[4,8] get-tuple-element(both), index=0
  old = f32[4,8] get-tuple-element(both), index=1
  rows = f32[1,8] slice(old), slice={READ, [0:8]}
  ROOT r = (f32[4,8], f32[1,8]) tuple(new, rows)
})";

TEST(Regions, OfABranchResultOnlyWhatIsReadLaterIsKept) {
  std::string text = kRowsOfABranchResult;
  BufferPlan plan = PlanOf(text.replace(text.find("READ"), 4, "[2:3]"));
  EXPECT_EQ(CopiedBytes(plan), 0);
  EXPECT_TRUE(plan.exact);
  text = kRowsOfABranchResult;
  // The row that is overwritten is read: it is set aside in each branch, or the array is copied.
  BufferPlan copied = PlanOf(text.replace(text.find("READ"), 4, "[0:1]"));
  EXPECT_EQ(CopiedBytes(copied), 4 * 8 * 4);
}

// The same plan with another row read afterwards: the checker sees that it is gone.
TEST(Regions, ARowOfABranchResultThatIsOverwrittenIsRefused) {
  std::string text = kRowsOfABranchResult;
  BufferPlan plan = PlanOf(text.replace(text.find("READ"), 4, "[2:3]"));
  for (ir::InstrId id : plan.module.entry_computation().instructions) {
    if (plan.module.instruction(id).opcode != ir::Opcode::kSlice) continue;
    plan.module.SetAttributes(id, ir::SliceAttributes{{0, 0}, {1, 8}, {1, 1}});
  }
  Status checked = CheckPlan(plan);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().why, "it reads a value that is no longer where the plan says");
}

// One branch updates x where it is, the other makes a new array: the result is a pointer. What was not updated of x is read afterwards.
TEST(Regions, ABranchUpdatesThroughAPointerWhileAnotherRowIsReadLater) {
  BufferPlan plan = PlanOf(R"(HloModule m, buffer_donor={ (0, {}) }
updated {
  p = (f32[4,8], f32[1,8]) parameter(0)
  x = f32[4,8] get-tuple-element(p), index=0
  row = f32[1,8] get-tuple-element(p), index=1
  zero = s32[] constant(0)
  ROOT new = f32[4,8] dynamic-update-slice(x, row, zero, zero)
}
negated {
  x = f32[4,8] parameter(0)
  ROOT new = f32[4,8] negate(x)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  row = f32[1,8] parameter(1)
  choice = pred[] parameter(2)
  given = (f32[4,8], f32[1,8]) tuple(x, row)
  new = f32[4,8] conditional(choice, given, x), true_computation=updated, false_computation=negated
  pair = (f32[4,8], f32[4,8]) tuple(new, x)
  behind = (f32[4,8], f32[4,8]) opt-barrier(pair)
  result = f32[4,8] get-tuple-element(behind), index=0
  old = f32[4,8] get-tuple-element(behind), index=1
  kept = f32[1,8] slice(old), slice={[3:4], [0:8]}
  ROOT r = (f32[4,8], f32[1,8]) tuple(result, kept)
})");
  EXPECT_EQ(CopiedBytes(plan), 0);
  EXPECT_TRUE(plan.exact);
}

// `before` starts in the array that `now` starts in after an update, and is found where `now` lies from then on. Of its start only a row
// is read that the update leaves alone.
TEST(Regions, StateThatFollowsMayStartInItsLeadersMemory) {
  BufferPlan plan = PlanOf(R"(HloModule m, buffer_donor={ (0, {}) }
condition {
  p = (s32[], f32[4,8], f32[4,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  zero = s32[] constant(0)
  ROOT r = pred[] compare(i, zero), direction=GT
}
body {
  p = (s32[], f32[4,8], f32[4,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  before = f32[4,8] get-tuple-element(p), index=1
  now = f32[4,8] get-tuple-element(p), index=2
  row = f32[1,8] slice(before), slice={[0:1], [0:8]}
  rows = f32[3,8] slice(now), slice={[1:4], [0:8]}
  next = f32[4,8] concatenate(rows, row), dimensions={0}
  minus = s32[] constant(-1)
  j = s32[] add(i, minus)
  ROOT t = (s32[], f32[4,8], f32[4,8]) tuple(j, next, next)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  ones = f32[1,8] constant({ { 1, 1, 1, 1, 1, 1, 1, 1 } })
  zero = s32[] constant(0)
  two = s32[] constant(2)
  new = f32[4,8] dynamic-update-slice(x, ones, two, zero)
  start = (s32[], f32[4,8], f32[4,8]) tuple(two, x, new)
  loop = (s32[], f32[4,8], f32[4,8]) while(start), condition=condition, body=body
  ROOT r = f32[4,8] get-tuple-element(loop), index=2
})");
  EXPECT_EQ(CopiedBytes(plan), 0);
}

// A copy before the update serves both: the branches may hand out the caller's array, and the select reads the old one.
TEST(Regions, ACopyForAnUpdateIsNotCountedAtTheBranchesToo) {
  BufferPlan plan = PlanOf(R"(HloModule m
one { ROOT p = f32[8] parameter(0) }
other { ROOT p = f32[8] parameter(0) }
ENTRY main {
  x = f32[8] parameter(0)
  choice = pred[] parameter(1)
  row = f32[1] parameter(2)
  i = s32[] parameter(3)
  y = f32[8] conditional(choice, x, x), true_computation=one, false_computation=other
  new = f32[8] dynamic-update-slice(y, row, i)
  every = pred[8] broadcast(choice), dimensions={}
  ROOT r = f32[8] select(every, y, new)
})");
  EXPECT_EQ(CopiedBytes(plan), 32);
  EXPECT_TRUE(plan.exact);
}

}  // namespace
}  // namespace stead::inplace
