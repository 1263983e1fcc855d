// Hand-made plans with loops and branches: right ones are accepted, and each kind of damage inside and around them is refused for the
// right reason.
#include <string>

#include "inplace/check/check_testing.h"

namespace stead::inplace {
namespace {

// A counted loop whose body swaps two arrays and negates one: (i, a, b) -> (i + 1, b, -a).
constexpr char kSwapLoop[] = R"(HloModule m
cond {
  cp = (s32[], f32[16], f32[16]) parameter(0)
  ci = s32[] get-tuple-element(cp), index=0
  seven = s32[] constant(7)
  ROOT less = pred[] compare(ci, seven), direction=LT
}
body {
  bp = (s32[], f32[16], f32[16]) parameter(0)
  bi = s32[] get-tuple-element(bp), index=0
  ba = f32[16] get-tuple-element(bp), index=1
  bb = f32[16] get-tuple-element(bp), index=2
  one = s32[] constant(1)
  next = s32[] add(bi, one)
  minus = f32[16] negate(ba)
  ROOT state = (s32[], f32[16], f32[16]) tuple(next, bb, minus)
}
ENTRY e {
  zero = s32[] constant(0)
  start = s32[] add(zero, zero)
  a = f32[16] parameter(0)
  b = f32[16] parameter(1)
  init = (s32[], f32[16], f32[16]) tuple(start, a, b)
  loop = (s32[], f32[16], f32[16]) while(init), condition=cond, body=body
  ra = f32[16] get-tuple-element(loop), index=1
  rb = f32[16] get-tuple-element(loop), index=2
  ROOT out = (f32[16], f32[16]) tuple(ra, rb)
})";

struct SwapLoop {
  HandMade hand{kSwapLoop};
  BufferId a, b, counter, slot_a, slot_b, less;
  SwapLoop() {
    a = hand.Parameter(0, kArray, true);
    b = hand.Parameter(1, kArray, true);
    counter = hand.Scratch(0, 4);
    less = hand.Scratch(64, 1);
    slot_a = hand.Owned(kArray);
    slot_b = hand.Owned(kArray);
    for (const char* name : {"seven", "one", "zero"}) hand.Place(name, {{hand.Constant(name, 4)}});
    hand.Place("a", {{a}}).Place("b", {{b}}).Place("start", {{counter}}).Place("init", {{counter}, {a}, {b}});
    std::vector<Slice> state = {{counter}, {slot_a}, {slot_b}};
    for (const char* name : {"cp", "bp", "loop"}) hand.Place(name, state);
    hand.Place("ci", {{counter}})
        .Place("less", {{less}})
        .Place("bi", {{counter}})
        .Place("ba", {{slot_a}})
        .Place("bb", {{slot_b}});
    hand.Place("next", {{counter}}).Place("minus", {{slot_a}}).Place("state", {{counter}, {slot_b}, {slot_a}});
    hand.Place("ra", {{slot_a}})
        .Place("rb", {{slot_b}})
        .Place("out", {{slot_a}, {slot_b}})
        .Results({{slot_a}, {slot_b}});
    loop().entry = {{slot_a, a}, {slot_b, b}};
    loop().back_edge = {{slot_a, slot_b}, {slot_b, slot_a}};
  }
  LoopPlan& loop() { return hand.plan().loops[hand.Named("loop")]; }
};

TEST(PlanChecker, AcceptsASwapByPointers) { EXPECT_EQ(SwapLoop().hand.Verdict(), ""); }

TEST(PlanChecker, RefusesABackEdgeThatIsNoExchange) {
  SwapLoop swap;
  swap.loop().back_edge = {{swap.slot_a, swap.slot_b}};
  ExpectRefused(swap.hand, "not an exchange");
}

TEST(PlanChecker, RefusesStateThatIsNotHandedOn) {
  SwapLoop swap;
  swap.loop().back_edge.clear();
  ExpectRefused(swap.hand, "not handed to the next iteration");
}

TEST(PlanChecker, RefusesALoopThatStartsElsewhere) {
  SwapLoop swap;
  swap.loop().entry = {{swap.slot_a, swap.b}, {swap.slot_b, swap.a}};
  ExpectRefused(swap.hand, "does not start where");
}

TEST(PlanChecker, RefusesExchangedBuffersThatOverlap) {
  SwapLoop swap;
  swap.hand.Place("init", {{swap.counter}, {swap.a}, {swap.a}});
  swap.loop().entry = {{swap.slot_a, swap.a}, {swap.slot_b, swap.a}};
  EXPECT_NE(swap.hand.Verdict(), "");
}

TEST(PlanChecker, RefusesToReturnTheInitialValueThatTheLoopOverwrote) {
  SwapLoop swap;
  ir::Module& module = swap.hand.plan().module;
  module.SetOperands(swap.hand.Named("out"), {swap.hand.Named("ra"), swap.hand.Named("b")});
  swap.hand.Place("out", {{swap.slot_a}, {swap.b}}).Results({{swap.slot_a}, {swap.b}});
  ExpectRefused(swap.hand, "no longer where");
}

TEST(PlanChecker, RefusesALoopOverMemoryThatIsNotGivenAway) {
  SwapLoop swap;
  swap.hand.plan().buffers[swap.b].donated = false;
  ExpectRefused(swap.hand, "not donated as the module says");
  swap.hand.plan().module.buffer_donors = {{0, {}}};
  ExpectRefused(swap.hand, "the caller's or constant");
}

// The body makes its array anew, so it does not miss what the condition overwrote; whoever comes after the last test does.
TEST(PlanChecker, RefusesAConditionThatOverwritesState) {
  HandMade hand(R"(HloModule m
cond {
  cp = (s32[], f32[16]) parameter(0)
  ci = s32[] get-tuple-element(cp), index=0
  seven = s32[] constant(7)
  ROOT less = pred[] compare(ci, seven), direction=LT
}
body {
  bp = (s32[], f32[16]) parameter(0)
  bi = s32[] get-tuple-element(bp), index=0
  one = s32[] constant(1)
  next = s32[] add(bi, one)
  fresh = f32[16] iota(), iota_dimension=0
  ROOT state = (s32[], f32[16]) tuple(next, fresh)
}
ENTRY e {
  x = f32[16] parameter(0)
  start = s32[] constant(0)
  init = (s32[], f32[16]) tuple(start, x)
  loop = (s32[], f32[16]) while(init), condition=cond, body=body
  ROOT rx = f32[16] get-tuple-element(loop), index=1
})");
  BufferId x = hand.Parameter(0, kArray, true), counter = hand.Scratch(0, 4), less = hand.Scratch(64, 1);
  for (const char* name : {"seven", "one"}) hand.Place(name, {{hand.Constant(name, 4)}});
  for (const char* name : {"start", "ci", "bi", "next"}) hand.Place(name, {{counter}});
  for (const char* name : {"init", "cp", "bp", "loop", "state"}) hand.Place(name, {{counter}, {x}});
  hand.Place("less", {{less}}).Place("x", {{x}}).Place("fresh", {{x}}).Place("rx", {{x}}).Results({{x}});
  hand.plan().loops[hand.Named("loop")] = {};
  EXPECT_EQ(hand.Verdict(), "");
  hand.Place("less", {{x}});
  ExpectRefused(hand, "no longer where");
}

TEST(PlanChecker, RefusesAConstantWhosePointerWasExchanged) {
  SwapLoop swap;
  BufferId seven = swap.hand.plan().placements[swap.hand.Named("seven")][0].buffer;
  BufferId one = swap.hand.plan().placements[swap.hand.Named("one")][0].buffer;
  swap.loop().back_edge.push_back({seven, one});
  swap.loop().back_edge.push_back({one, seven});
  ExpectRefused(swap.hand, "the pointer to the constant has moved");
}

TEST(PlanChecker, RefusesParametersInEachOthersBuffers) {
  SwapLoop swap;
  swap.hand.Place("a", {{swap.b}}).Place("b", {{swap.a}});
  ExpectRefused(swap.hand, "not in the caller's buffer");
}

// The caller keeps x: the loop reads it in the first iteration and overwrites a slot of its own.
std::string BorrowingLoop(const std::string& start, const std::string& op) {
  return R"(HloModule m
cond {
  cp = (s32[], f32[16]) parameter(0)
  ci = s32[] get-tuple-element(cp), index=0
  seven = s32[] constant(7)
  ROOT less = pred[] compare(ci, seven), direction=LT
}
body {
  bp = (s32[], f32[16]) parameter(0)
  bi = s32[] get-tuple-element(bp), index=0
  bx = f32[16] get-tuple-element(bp), index=1
  one = s32[] constant(1)
  next = s32[] add(bi, one)
  minus = f32[16] )" +
         op + R"(
  ROOT state = (s32[], f32[16]) tuple(next, minus)
}
ENTRY e {
  start = s32[] )" +
         start + R"(
  x = f32[16] parameter(0)
  init = (s32[], f32[16]) tuple(start, x)
  loop = (s32[], f32[16]) while(init), condition=cond, body=body
  ROOT rx = f32[16] get-tuple-element(loop), index=1
})";
}

struct BorrowTest {
  HandMade hand;
  BufferId x, pointer, slot, counter, less;
  explicit BorrowTest(const std::string& start = "constant(0)", const std::string& op = "negate(bx)")
      : hand(BorrowingLoop(start, op)) {
    x = hand.Parameter(0, kArray, false);
    pointer = hand.plan().buffers.Add({.kind = Buffer::Kind::kPointer, .bytes = kArray});
    slot = hand.Owned(kArray);
    counter = hand.Scratch(0, 4);
    less = hand.Scratch(64, 1);
    for (const char* name : {"seven", "one"}) hand.Place(name, {{hand.Constant(name, 4)}});
    for (const char* name : {"start", "ci", "bi", "next"}) hand.Place(name, {{counter}});
    for (const char* name : {"cp", "bp"}) hand.Place(name, {{counter}, {pointer}});
    hand.Place("x", {{x}}).Place("init", {{counter}, {x}}).Place("loop", {{counter}, {slot}});
    hand.Place("less", {{less}}).Place("bx", {{pointer}}).Place("minus", {{slot}}).Place("state", {{counter}, {slot}});
    hand.Place("rx", {{slot}}).Results({{slot}});
    loop().entry = {{pointer, x}};
    loop().back_edge = {{pointer, slot}};
    loop().pointers = {{pointer, slot}};
  }
  LoopPlan& loop() { return hand.plan().loops[hand.Named("loop")]; }
};

TEST(PlanChecker, AcceptsALoopThatBorrowsItsInitialValue) { EXPECT_EQ(BorrowTest().hand.Verdict(), ""); }

TEST(PlanChecker, RefusesToBorrowWhenTheLoopMayNotRun) {
  ExpectRefused(BorrowTest("constant(7)").hand, "not the initial value");
}

TEST(PlanChecker, RefusesToOverwriteASlotOutOfStep) {
  ExpectRefused(BorrowTest("constant(0)", "reverse(bx), dimensions={0}").hand, "while reading it");
}

TEST(PlanChecker, RefusesAPointerThatDoesNotFollowItsSlot) {
  BorrowTest test;
  test.loop().back_edge.clear();
  ExpectRefused(test.hand, "not handed to the next iteration");
}

TEST(PlanChecker, RefusesASlotThatIsTheInitialValue) {
  BorrowTest test;
  test.hand.Place("loop", {{test.counter}, {test.x}}).Place("minus", {{test.x}}).Place("rx", {{test.x}});
  test.hand.Place("state", {{test.counter}, {test.x}}).Results({{test.x}});
  test.loop().back_edge = {{test.pointer, test.x}};
  test.loop().pointers = {{test.pointer, test.x}};
  ExpectRefused(test.hand, "the caller's");
}

constexpr char kBranches[] = R"(HloModule m
yes {
  yp = f32[16] parameter(0)
  ROOT minus = f32[16] negate(yp)
}
no {
  np = f32[16] parameter(0)
  ROOT power = f32[16] exponential(np)
}
ENTRY e {
  p = pred[] parameter(0)
  x = f32[16] parameter(1)
  choice = f32[16] conditional(p, x, x), true_computation=yes, false_computation=no
  ROOT sum = f32[16] add(choice, x)
})";

struct BranchPlanTest {
  HandMade hand{kBranches};
  BufferId p, x, result, one, other;
  explicit BranchPlanTest(bool in_place) {
    p = hand.Parameter(0, 1, false);
    x = hand.Parameter(1, kArray, true);
    result = hand.Owned(kArray);
    one = hand.Owned(kArray);
    other = in_place ? x : hand.Owned(kArray);
    hand.Place("p", {{p}})
        .Place("x", {{x}})
        .Place("yp", {{x}})
        .Place("np", {{x}})
        .Place("minus", {{one}})
        .Place("power", {{other}});
    hand.Place("choice", {{result}}).Place("sum", {{result}}).Results({{result}});
    hand.plan().branches[hand.Named("choice")].ends = {{{result, one}}, {{result, other}}};
  }
};

TEST(PlanChecker, AcceptsBranchesThatHandOverPointers) { EXPECT_EQ(BranchPlanTest(false).hand.Verdict(), ""); }

TEST(PlanChecker, RefusesAReadOfWhatOneBranchOverwrote) { ExpectRefused(BranchPlanTest(true).hand, "no longer where"); }

TEST(PlanChecker, RefusesABranchResultThatIsNotHandedOver) {
  BranchPlanTest branches(false);
  branches.hand.plan().branches[branches.hand.Named("choice")].ends[1] = {{branches.result, branches.one}};
  ExpectRefused(branches.hand, "not handed over");
}

// --- damage inside a body

TEST(PlanChecker, RefusesResultsOfALoopInEachOthersPlaces) {
  SwapLoop swap;
  swap.hand.Place("loop", {{swap.counter}, {swap.slot_b}, {swap.slot_a}}).Place("ra", {{swap.slot_b}});
  swap.hand.Place("rb", {{swap.slot_a}}).Place("out", {{swap.slot_b}, {swap.slot_a}});
  swap.hand.Results({{swap.slot_b}, {swap.slot_a}});
  ExpectRefused(swap.hand, "its result is not where its state is");
}

TEST(PlanChecker, RefusesCarriesThatAreExchangedThoughTheModuleKeepsThem) {
  SwapLoop swap;
  ir::Module& module = swap.hand.plan().module;
  module.SetOperands(swap.hand.Named("state"),
                     {swap.hand.Named("next"), swap.hand.Named("minus"), swap.hand.Named("bb")});
  swap.hand.Place("state", {{swap.counter}, {swap.slot_a}, {swap.slot_b}});
  ExpectRefused(swap.hand, "state 1 is not handed to the next iteration");
  swap.loop().back_edge.clear();
  EXPECT_EQ(swap.hand.Verdict(), "");
}

TEST(PlanChecker, RefusesANewStateInTheSlotOfAnother) {
  SwapLoop swap;
  swap.hand.Place("minus", {{swap.slot_b}}).Place("state", {{swap.counter}, {swap.slot_b}, {swap.slot_b}});
  ExpectRefused(swap.hand, "state 2 is not handed to the next iteration");
}

TEST(PlanChecker, RefusesPointersThatAreSetTwiceOrToTooLittle) {
  SwapLoop twice, middle, small;
  twice.loop().entry.push_back({twice.slot_a, twice.b});
  ExpectRefused(twice.hand, "a pointer is set twice at once");
  middle.loop().back_edge[0].source_offset = 4;
  ExpectRefused(middle.hand, "into the middle of a buffer");
  small.loop().entry[0].source_offset = 4;
  ExpectRefused(small.hand, "memory that is too small for it");
}

TEST(PlanChecker, RefusesLoopsAndBranchesWithoutAPlan) {
  SwapLoop swap;
  swap.hand.plan().loops.clear();
  ExpectRefused(swap.hand, "the loop has no plan");
  BranchPlanTest branches(false);
  branches.hand.plan().branches.clear();
  ExpectRefused(branches.hand, "the branches have no plan");
}

TEST(PlanChecker, RefusesStateThatIsNotFoundWhereThePlanSays) {
  BorrowTest small, owned, elsewhere;
  const BufferId half = small.hand.Owned(kArray / 2), other = elsewhere.hand.Owned(kArray);
  small.loop().pointers = {{small.pointer, half}};
  ExpectRefused(small.hand, "a slot is too small for its state");
  owned.loop().pointers = {{owned.slot, std::nullopt}};
  owned.loop().back_edge.clear();
  ExpectRefused(owned.hand, "is not a pointer either");
  elsewhere.hand.Place("loop", {{elsewhere.counter}, {other}}).Place("rx", {{other}}).Results({{other}});
  ExpectRefused(elsewhere.hand, "its result is not in the slot that it is said to be in");
}

// A loop that sums up an element of its array, and overwrites it: (i, x, s) -> (i + 1, x with 1 at 3, s + x[3]).
HandMade SumLoop(bool reads_late) {
  const std::string read = "  sum = f32[1] add(bs, old)\n",
                    write = "  new = f32[16] dynamic-update-slice(bx, unit, three)\n";
  HandMade hand(R"(HloModule m
cond {
  cp = (s32[], f32[16], f32[1]) parameter(0)
  ci = s32[] get-tuple-element(cp), index=0
  seven = s32[] constant(7)
  ROOT less = pred[] compare(ci, seven), direction=LT
}
body {
  bp = (s32[], f32[16], f32[1]) parameter(0)
  bi = s32[] get-tuple-element(bp), index=0
  bx = f32[16] get-tuple-element(bp), index=1
  bs = f32[1] get-tuple-element(bp), index=2
  one = s32[] constant(1)
  next = s32[] add(bi, one)
  unit = f32[1] constant({1})
  three = s32[] constant(3)
  old = f32[1] slice(bx), slice={[3:4]}
)" + (reads_late ? write + read : read + write) +
                R"(  ROOT state = (s32[], f32[16], f32[1]) tuple(next, new, sum)
}
ENTRY e {
  x = f32[16] parameter(0)
  s = f32[1] parameter(1)
  start = s32[] constant(0)
  init = (s32[], f32[16], f32[1]) tuple(start, x, s)
  loop = (s32[], f32[16], f32[1]) while(init), condition=cond, body=body
  rx = f32[16] get-tuple-element(loop), index=1
  rs = f32[1] get-tuple-element(loop), index=2
  ROOT out = (f32[16], f32[1]) tuple(rx, rs)
})");
  BufferId x = hand.Parameter(0, kArray, true), s = hand.Parameter(1, 4, true), counter = hand.Scratch(0, 4),
           less = hand.Scratch(64, 1);
  for (const char* name : {"seven", "one", "unit", "three"}) hand.Place(name, {{hand.Constant(name, 4)}});
  for (const char* name : {"start", "ci", "bi", "next"}) hand.Place(name, {{counter}});
  for (const char* name : {"init", "cp", "bp", "state", "loop"}) hand.Place(name, {{counter}, {x}, {s}});
  for (const char* name : {"x", "bx", "new", "rx"}) hand.Place(name, {{x}});
  for (const char* name : {"s", "bs", "sum", "rs"}) hand.Place(name, {{s}});
  hand.Place("less", {{less}}).Place("old", {{x, 12}}).Place("out", {{x}, {s}}).Results({{x}, {s}});
  hand.plan().loops[hand.Named("loop")] = {};
  return hand;
}

TEST(PlanChecker, RefusesAReadAfterTheUpdateInABody) {
  EXPECT_EQ(SumLoop(false).Verdict(), "");
  HandMade late = SumLoop(true);
  ExpectRefused(late, "the plan is wrong at `sum`: it reads a value that is no longer where");
}

TEST(PlanChecker, RefusesAnUpdateInABodyThatIsBuiltElsewhere) {
  HandMade hidden = SumLoop(false);
  BufferId x = hidden.plan().placements[hidden.Named("x")][0].buffer,
           s = hidden.plan().placements[hidden.Named("s")][0].buffer;
  BufferId counter = hidden.plan().placements[hidden.Named("start")][0].buffer, other = hidden.Owned(kArray);
  hidden.Place("new", {{other}}).Place("state", {{counter}, {other}, {s}});
  hidden.plan().loops[hidden.Named("loop")].back_edge = {{x, other}, {other, x}};
  ExpectRefused(hidden,
                "the plan is wrong at `new`: it changes its operand in part but is placed elsewhere: a hidden copy");
}

TEST(PlanChecker, RefusesAStateThatTheBodyOverwritesWithAnother) {
  HandMade same = SumLoop(false);
  // The sum is built on the element that the next iteration reads.
  same.Place("sum", {{same.plan().placements[same.Named("x")][0].buffer, 12}});
  ExpectRefused(same, "the plan is wrong at `new`: it reads a value that is no longer where");
}

// The body updates its array and hands the old one on: (i, x, y) -> (i + 1, x with 1 at 3, x), which takes a copy.
struct KeepOldLoop {
  HandMade hand;
  BufferId x, y, counter;
  explicit KeepOldLoop(bool copies)
      : hand(std::string(R"(HloModule m
cond {
  cp = (s32[], f32[16], f32[16]) parameter(0)
  ci = s32[] get-tuple-element(cp), index=0
  seven = s32[] constant(7)
  ROOT less = pred[] compare(ci, seven), direction=LT
}
body {
  bp = (s32[], f32[16], f32[16]) parameter(0)
  bi = s32[] get-tuple-element(bp), index=0
  bx = f32[16] get-tuple-element(bp), index=1
  one = s32[] constant(1)
  next = s32[] add(bi, one)
  unit = f32[1] constant({1})
  three = s32[] constant(3)
)") + (copies ? "  old = f32[16] copy(bx)\n" : "  old = f32[16] reshape(bx)\n") +
             R"(  new = f32[16] dynamic-update-slice(bx, unit, three)
  ROOT state = (s32[], f32[16], f32[16]) tuple(next, new, old)
}
ENTRY e {
  x = f32[16] parameter(0)
  y = f32[16] parameter(1)
  start = s32[] constant(0)
  init = (s32[], f32[16], f32[16]) tuple(start, x, y)
  loop = (s32[], f32[16], f32[16]) while(init), condition=cond, body=body
  rx = f32[16] get-tuple-element(loop), index=1
  ry = f32[16] get-tuple-element(loop), index=2
  ROOT out = (f32[16], f32[16]) tuple(rx, ry)
})") {
    x = hand.Parameter(0, kArray, true);
    y = hand.Parameter(1, kArray, true);
    counter = hand.Scratch(0, 4);
    BufferId less = hand.Scratch(64, 1);
    for (const char* name : {"seven", "one", "unit", "three"}) hand.Place(name, {{hand.Constant(name, 4)}});
    for (const char* name : {"start", "ci", "bi", "next"}) hand.Place(name, {{counter}});
    for (const char* name : {"init", "cp", "bp", "state", "loop"}) hand.Place(name, {{counter}, {x}, {y}});
    for (const char* name : {"x", "bx", "new", "rx"}) hand.Place(name, {{x}});
    for (const char* name : {"y", "old", "ry"}) hand.Place(name, {{y}});
    hand.Place("less", {{less}}).Place("out", {{x}, {y}}).Results({{x}, {y}});
    hand.plan().loops[hand.Named("loop")] = {};
    if (!copies) return;
    hand.Record("old");
    hand.plan().copies[0].executions = 7;
    hand.plan().lower_bound_bytes *= 7;
  }
};

TEST(PlanChecker, RefusesABodyThatLostItsCopy) {
  EXPECT_EQ(KeepOldLoop(true).hand.Verdict(), "");
  KeepOldLoop elsewhere(false), in_place(false), exchanged(false);
  ExpectRefused(elsewhere.hand, "the plan is wrong at `old`: it forwards its operand, but is placed elsewhere");
  in_place.hand.Place("old", {{in_place.x}}).Place("state", {{in_place.counter}, {in_place.x}, {in_place.x}});
  ExpectRefused(in_place.hand, "state 2 is not handed to the next iteration");
  exchanged.hand.Place("old", {{exchanged.x}}).Place("state", {{exchanged.counter}, {exchanged.x}, {exchanged.x}});
  exchanged.hand.plan().loops[exchanged.hand.Named("loop")].back_edge = {{exchanged.y, exchanged.x}};
  ExpectRefused(exchanged.hand, "the back edge is not an exchange of pointers");
}

TEST(PlanChecker, RefusesACopyInABodyThatIsCountedOnce) {
  KeepOldLoop once(true);
  once.hand.plan().copies[0].executions = 1;
  ExpectRefused(once.hand, "its record has another frequency");
}

// --- damage inside a branch

// One branch reads an element before it updates its operand, the other hands its operand on.
HandMade UpdatingBranch(bool reads_late) {
  const std::string read = "  minus = f32[1] negate(old)\n",
                    write = "  new = f32[16] dynamic-update-slice(yp, unit, three)\n";
  HandMade hand(R"(HloModule m
yes {
  yp = f32[16] parameter(0)
  unit = f32[1] constant({1})
  three = s32[] constant(3)
  old = f32[1] slice(yp), slice={[3:4]}
)" + (reads_late ? write + read : read + write) +
                R"(  ROOT both = (f32[16], f32[1]) tuple(new, minus)
}
no {
  np = f32[16] parameter(0)
  none = f32[1] constant({2})
  power = f32[1] exponential(none)
  ROOT neither = (f32[16], f32[1]) tuple(np, power)
}
ENTRY e {
  p = pred[] parameter(0)
  x = f32[16] parameter(1)
  choice = (f32[16], f32[1]) conditional(p, x, x), true_computation=yes, false_computation=no
  rx = f32[16] get-tuple-element(choice), index=0
  rm = f32[1] get-tuple-element(choice), index=1
  ROOT out = (f32[16], f32[1]) tuple(rx, rm)
})");
  BufferId p = hand.Parameter(0, 1, false), x = hand.Parameter(1, kArray, true), m = hand.Owned(4);
  for (const char* name : {"unit", "three", "none"}) hand.Place(name, {{hand.Constant(name, 4)}});
  for (const char* name : {"x", "yp", "np", "new", "rx"}) hand.Place(name, {{x}});
  for (const char* name : {"minus", "power", "rm"}) hand.Place(name, {{m}});
  for (const char* name : {"both", "neither", "choice", "out"}) hand.Place(name, {{x}, {m}});
  hand.Place("p", {{p}}).Place("old", {{x, 12}}).Results({{x}, {m}});
  hand.plan().branches[hand.Named("choice")].ends = {{}, {}};
  return hand;
}

TEST(PlanChecker, RefusesAReadAfterTheUpdateInABranch) {
  EXPECT_EQ(UpdatingBranch(false).Verdict(), "");
  HandMade late = UpdatingBranch(true);
  ExpectRefused(late, "the plan is wrong at `minus`: it reads a value that is no longer where");
}

TEST(PlanChecker, RefusesABranchThatStartsElsewhere) {
  HandMade elsewhere = UpdatingBranch(false);
  elsewhere.Place("np", {{elsewhere.Owned(kArray)}});
  ExpectRefused(elsewhere, "the plan is wrong at `np`: the parameter is not placed where its value lies");
}

TEST(PlanChecker, RefusesBranchResultsInEachOthersPlaces) {
  BranchPlanTest branches(false);
  BranchPlan& plan = branches.hand.plan().branches[branches.hand.Named("choice")];
  std::swap(plan.ends[0], plan.ends[1]);
  ExpectRefused(branches.hand, "the plan is wrong at `minus`: result 0 is not handed over");
}

TEST(PlanChecker, RefusesABranchThatUpdatesTheCallersMemory) {
  HandMade kept = UpdatingBranch(false);
  kept.plan().module.buffer_donors.clear();
  kept.plan().buffers[kept.plan().placements[kept.Named("x")][0].buffer].donated = false;
  ExpectRefused(kept, "the plan is wrong at `new`: it writes memory that is the caller's or constant");
}

TEST(PlanChecker, RefusesABranchResultThatAnotherOneOverwrites) {
  HandMade shared = UpdatingBranch(false);
  BufferId x = shared.plan().placements[shared.Named("x")][0].buffer;
  shared.Place("minus", {{x, 16}}).Place("both", {{x}, {x, 16}});
  shared.plan().branches[shared.Named("choice")].ends[0] = {
      {shared.plan().placements[shared.Named("rm")][0].buffer, x, 16}};
  ExpectRefused(shared, "the plan is wrong at `new`: it reads a value that is no longer where");
}

}  // namespace
}  // namespace stead::inplace
