// Hand-made plans: right ones are accepted, and each kind of wrong one is refused for the right reason.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "frontend/hlo_text/parser.h"
#include "inplace/plan.h"

namespace stead::inplace {
namespace {

using ::testing::Test;

// A plan written by hand over a module given as text, whose order is the order of the text.
class HandMade {
 public:
  explicit HandMade(const std::string& text) {
    auto module = frontend::ParseHloText(text, "test.hlo");
    if (!module.ok()) throw std::runtime_error(module.error().ToString());
    plan_.module = std::move(*module);
    plan_.placements.resize(plan_.module.instruction_count());
    for (size_t number = 0; number < plan_.module.instruction_count(); ++number) {
      ids_[plan_.module.instruction(ir::InstrId(number)).name] = ir::InstrId(number);
    }
  }

  BufferId Parameter(int64_t number, int64_t bytes, bool donated) {
    if (donated) plan_.module.buffer_donors.push_back({number, {}});
    return plan_.buffers.Add({Buffer::Kind::kParameter, bytes, number, donated, {}, 0});
  }
  BufferId Owned(int64_t bytes) { return plan_.buffers.Add({Buffer::Kind::kOwned, bytes, -1, false, {}, 0}); }
  BufferId Scratch(int64_t offset, int64_t bytes) {
    plan_.arena_bytes = std::max(plan_.arena_bytes, offset + bytes);
    return plan_.buffers.Add({Buffer::Kind::kScratch, bytes, -1, false, {}, offset});
  }
  BufferId Constant(const std::string& name, int64_t bytes) {
    return plan_.buffers.Add({Buffer::Kind::kConstant, bytes, -1, false, Named(name), 0});
  }
  HandMade& Place(const std::string& name, std::vector<Slice> slices) {
    plan_.placements[Named(name)] = std::move(slices);
    return *this;
  }
  void Results(std::vector<Slice> results) { plan_.results = std::move(results); }
  void Record(const std::string& copy) {
    CopyRecord record;
    record.copy = Named(copy);
    record.reason = ir::CopyReason::kWritten;
    record.bytes = plan_.module.shape(record.copy).byte_size();
    plan_.lower_bound_bytes += record.bytes;
    plan_.copies.push_back(record);
  }
  ir::InstrId Named(const std::string& name) const { return ids_.at(name); }
  BufferPlan& plan() { return plan_; }
  // Empty when the plan is accepted, else the checker's reason.
  std::string Verdict() const {
    Status status = CheckPlan(plan_);
    return status.ok() ? "" : status.error().what + ": " + status.error().why;
  }

 private:
  BufferPlan plan_;
  std::map<std::string, ir::InstrId> ids_;
};

void ExpectRefused(const HandMade& plan, const std::string& reason) {
  std::string verdict = plan.Verdict();
  EXPECT_NE(verdict.find(reason), std::string::npos)
      << "expected a refusal that says `" << reason << "`, got: `" << verdict << "`";
}

constexpr int64_t kArray = 64;  // f32[16]

constexpr char kReadFirst[] = R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  u = f32[1] parameter(1)
  i = s32[] constant(3)
  y = f32[1] slice(x), slice={[3:4]}
  n = f32[1] negate(y)
  z = f32[16] dynamic-update-slice(x, u, i)
  ROOT t = (f32[16], f32[1]) tuple(z, n)
})";

// x is donated and updated in place, after `n` was computed from it.
HandMade ReadFirst(const char* text = kReadFirst, bool donated = true) {
  HandMade hand(text);
  BufferId x = hand.Parameter(0, kArray, donated), u = hand.Parameter(1, 4, false), i = hand.Constant("i", 4);
  BufferId n = hand.Owned(4);
  hand.Place("x", {{x}}).Place("u", {{u}}).Place("i", {{i}}).Place("y", {{x, 12}}).Place("n", {{n}});
  hand.Place("z", {{x}}).Place("t", {{x}, {n}}).Results({{x}, {n}});
  return hand;
}

TEST(PlanChecker, AcceptsReadingFirst) { EXPECT_EQ(ReadFirst().Verdict(), ""); }

TEST(PlanChecker, RefusesAReadAfterTheUpdate) {
  HandMade late = ReadFirst(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  u = f32[1] parameter(1)
  i = s32[] constant(3)
  z = f32[16] dynamic-update-slice(x, u, i)
  y = f32[1] slice(x), slice={[3:4]}
  n = f32[1] negate(y)
  ROOT t = (f32[16], f32[1]) tuple(z, n)
})");
  ExpectRefused(late, "no longer where");
}

TEST(PlanChecker, AcceptsALateReadOfElementsThatStay) {
  HandMade late = ReadFirst(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  u = f32[1] parameter(1)
  i = s32[] constant(3)
  z = f32[16] dynamic-update-slice(x, u, i)
  y = f32[1] slice(x), slice={[5:6]}
  n = f32[1] negate(y)
  ROOT t = (f32[16], f32[1]) tuple(z, n)
})");
  ExpectRefused(late, "does not start where the slice starts");
  BufferId x = late.plan().placements[late.Named("x")][0].buffer;
  late.Place("y", {{x, 20}});
  EXPECT_EQ(late.Verdict(), "");
}

// A row that a dynamic-slice only points to, read before or after the row is overwritten.
HandMade RowByPointer(bool read_late) {
  const std::string read = "  n = f32[1,16] negate(w)\n";
  const std::string write = "  z = f32[4,16] dynamic-update-slice(x, u, i, zero)\n";
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[4,16] parameter(0)
  u = f32[1,16] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  w = f32[1,16] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,16}
)" + (read_late ? write + read : read + write) +
                "  ROOT t = (f32[4,16], f32[1,16]) tuple(z, n)\n}");
  BufferId x = plan.Parameter(0, 4 * kArray, true), u = plan.Parameter(1, kArray, false),
           i = plan.Parameter(2, 4, false), zero = plan.Constant("zero", 4), n = plan.Owned(kArray);
  BufferId w = plan.plan().buffers.Add({.kind = Buffer::Kind::kPointer, .bytes = kArray});
  plan.plan().windows[plan.Named("w")] = {x, 0};
  plan.Place("x", {{x}}).Place("u", {{u}}).Place("i", {{i}}).Place("zero", {{zero}}).Place("w", {{w}});
  plan.Place("n", {{n}}).Place("z", {{x}}).Place("t", {{x}, {n}}).Results({{x}, {n}});
  return plan;
}

TEST(PlanChecker, FollowsAPointerToARow) {
  EXPECT_EQ(RowByPointer(false).Verdict(), "");
  HandMade late = RowByPointer(true);
  ExpectRefused(late, "no longer where");
  HandMade elsewhere = RowByPointer(false);
  elsewhere.plan().windows[elsewhere.Named("w")].offset = 64;
  ExpectRefused(elsewhere, "not taken from where its operand lies");
}

TEST(PlanChecker, RefusesAPointerToARowWhoseNumberIsGone) {
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[4,16] parameter(0)
  i = s32[] parameter(1)
  j = s32[] add(i, i)
  zero = s32[] subtract(i, i)
  w = f32[1,16] dynamic-slice(x, j, zero), dynamic_slice_sizes={1,16}
  ROOT n = f32[1,16] negate(w)
})");
  BufferId x = plan.Parameter(0, 4 * kArray, false), i = plan.Parameter(1, 4, false), j = plan.Scratch(0, 4),
           zero = plan.Scratch(64, 4), n = plan.Owned(kArray);
  BufferId w = plan.plan().buffers.Add({.kind = Buffer::Kind::kPointer, .bytes = kArray});
  plan.plan().windows[plan.Named("w")] = {x, 0};
  plan.Place("x", {{x}}).Place("i", {{i}}).Place("j", {{j}}).Place("zero", {{zero}}).Place("w", {{w}});
  plan.Place("n", {{n}}).Results({{n}});
  EXPECT_EQ(plan.Verdict(), "");
  plan.Place("zero", {{j}});
  ExpectRefused(plan, "no longer where");
}

TEST(PlanChecker, RefusesToWriteOverTheArrayThatARowIsReadFrom) {
  HandMade plan = RowByPointer(false);
  plan.Place("n", {{plan.plan().placements[plan.Named("x")][0].buffer, 64}});
  ExpectRefused(plan, "while reading it");
}

TEST(PlanChecker, FollowsViewsOfViews) {
  constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  u = f32[1] parameter(1)
  i = s32[] constant(3)
  s = f32[4] slice(x), slice={[2:6]}
  r = f32[2,2] reshape(s)
  y = f32[1,2] slice(r), slice={[1:2], [0:2]}
  n = f32[1,2] negate(y)
  z = f32[16] dynamic-update-slice(x, u, i)
  ROOT t = (f32[16], f32[1,2]) tuple(z, n)
})";
  HandMade views(kText);
  BufferId x = views.Parameter(0, kArray, true), u = views.Parameter(1, 4, false), i = views.Constant("i", 4),
           n = views.Owned(8);
  views.Place("x", {{x}})
      .Place("u", {{u}})
      .Place("i", {{i}})
      .Place("s", {{x, 8}})
      .Place("r", {{x, 8}})
      .Place("y", {{x, 16}});
  views.Place("n", {{n}}).Place("z", {{x}}).Place("t", {{x}, {n}}).Results({{x}, {n}});
  EXPECT_EQ(views.Verdict(), "");
  views.Place("y", {{x, 20}});
  ExpectRefused(views, "does not start where the slice starts");
}

TEST(PlanChecker, RefusesAHiddenCopy) {
  HandMade hidden = ReadFirst();
  BufferId other = hidden.Owned(kArray), n = hidden.plan().placements[hidden.Named("n")][0].buffer;
  hidden.Place("z", {{other}}).Place("t", {{other}, {n}}).Results({{other}, {n}});
  ExpectRefused(hidden, "hidden copy");
}

TEST(PlanChecker, RefusesToWriteTheCallersMemory) {
  ExpectRefused(ReadFirst(kReadFirst, false), "the caller's or constant");
}

TEST(PlanChecker, RefusesAPlaceThatDoesNotFit) {
  HandMade tight = ReadFirst();
  BufferId n = tight.Owned(2), x = tight.plan().placements[tight.Named("x")][0].buffer;
  tight.Place("n", {{n}}).Place("t", {{x}, {n}}).Results({{x}, {n}});
  ExpectRefused(tight, "does not fit");
}

TEST(PlanChecker, RefusesAResultInTheArena) {
  HandMade arena = ReadFirst();
  BufferId n = arena.Scratch(0, 4), x = arena.plan().placements[arena.Named("x")][0].buffer;
  arena.Place("n", {{n}}).Place("t", {{x}, {n}}).Results({{x}, {n}});
  ExpectRefused(arena, "cannot be handed to the caller");
}

TEST(PlanChecker, RefusesTheSameResultTwice) {
  HandMade twice = ReadFirst(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  u = f32[1] parameter(1)
  i = s32[] constant(3)
  y = f32[1] slice(x), slice={[3:4]}
  n = f32[1] negate(y)
  z = f32[16] dynamic-update-slice(x, u, i)
  ROOT t = (f32[16], f32[16]) tuple(z, z)
})");
  BufferId x = twice.plan().placements[twice.Named("x")][0].buffer;
  twice.Place("t", {{x}, {x}}).Results({{x}, {x}});
  ExpectRefused(twice, "two results share memory");
}

TEST(PlanChecker, RefusesAForwardedValuePlacedElsewhere) {
  HandMade elsewhere = ReadFirst();
  BufferId x = elsewhere.plan().placements[elsewhere.Named("x")][0].buffer, other = elsewhere.Owned(4);
  elsewhere.Place("t", {{x}, {other}}).Results({{x}, {other}});
  ExpectRefused(elsewhere, "a copy that is not an instruction");
}

TEST(PlanChecker, RefusesAnOrderAgainstControlEdges) {
  HandMade disobedient = ReadFirst();
  disobedient.plan().module.SetControlPredecessors(disobedient.Named("n"), {disobedient.Named("z")});
  ExpectRefused(disobedient, "runs before `z`");
}

TEST(PlanChecker, RefusesACopyWithoutAReason) {
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  ROOT c = f32[16] copy(x)
})");
  BufferId x = plan.Parameter(0, kArray, false), c = plan.Owned(kArray);
  plan.Place("x", {{x}}).Place("c", {{c}}).Results({{c}});
  ExpectRefused(plan, "has no reason");
  plan.Record("c");
  EXPECT_EQ(plan.Verdict(), "");
}

// A plan with one copy, made once, whose books are right.
HandMade OneCopy() {
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  ROOT c = f32[16] copy(x)
})");
  BufferId x = plan.Parameter(0, kArray, false), c = plan.Owned(kArray);
  plan.Place("x", {{x}}).Place("c", {{c}}).Results({{c}});
  plan.Record("c");
  return plan;
}

TEST(PlanChecker, RefusesRecordsThatAreNotTrue) {
  EXPECT_EQ(OneCopy().Verdict(), "");
  HandMade reason = OneCopy(), bytes = OneCopy(), frequency = OneCopy(), twice = OneCopy();
  reason.plan().copies[0].reason = ir::CopyReason::kNotDonated;
  ExpectRefused(reason, "another reason");
  bytes.plan().copies[0].bytes = 4;
  ExpectRefused(bytes, "another size");
  frequency.plan().copies[0].executions = 2;
  ExpectRefused(frequency, "another frequency");
  twice.plan().copies.push_back(CopyRecord(twice.plan().copies[0]));
  ExpectRefused(twice, "two records");
}

TEST(PlanChecker, RefusesACertificateThatDoesNotFit) {
  HandMade below = OneCopy(), above = OneCopy();
  below.plan().lower_bound_bytes = 4;
  ExpectRefused(below, "copies more than its lower bound");
  below.plan().exact = false;
  EXPECT_EQ(below.Verdict(), "");
  above.plan().lower_bound_bytes = 128;
  ExpectRefused(above, "less than it says is possible");
}

TEST(PlanChecker, RefusesADonationThatIsNotWhereItIsSaidToBe) {
  HandMade donated = ReadFirst();
  donated.plan().donations = {{0, 0}};
  donated.plan().module.input_output_aliases = {{.output_index = {0}, .parameter = 0, .parameter_index = {}}};
  EXPECT_EQ(donated.Verdict(), "");
  donated.plan().donations = {{1, 0}};
  ExpectRefused(donated, "not in the parameter that it is said to be in");
}

TEST(PlanChecker, RefusesScratchBuffersThatOverlapWhileBothAreNeeded) {
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  a = f32[16] negate(x)
  b = f32[16] exponential(x)
  ROOT c = f32[16] add(a, b)
})");
  BufferId x = plan.Parameter(0, kArray, false), a = plan.Scratch(0, kArray), b = plan.Scratch(32, kArray),
           c = plan.Owned(kArray);
  plan.Place("x", {{x}}).Place("a", {{a}}).Place("b", {{b}}).Place("c", {{c}}).Results({{c}});
  ExpectRefused(plan, "no longer where");
  plan.plan().buffers[b].scratch_offset = 64;
  ExpectRefused(plan, "ends after the memory that it lies in");
  plan.plan().arena_bytes = 128;
  EXPECT_EQ(plan.Verdict(), "");
}

TEST(PlanChecker, RefusesToTransposeInPlace) {
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[2,8] parameter(0)
  ROOT c = f32[8,2] transpose(x), dimensions={1,0}
})");
  BufferId x = plan.Parameter(0, kArray, true);
  plan.Place("x", {{x}}).Place("c", {{x}}).Results({{x}});
  ExpectRefused(plan, "while reading it");
}

TEST(PlanChecker, AcceptsASquareTransposedInPlace) {
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0)
  ROOT c = f32[4,4] transpose(x), dimensions={1,0}
})");
  BufferId x = plan.Parameter(0, kArray, true);
  plan.Place("x", {{x}}).Place("c", {{x}}).Results({{x}});
  EXPECT_EQ(plan.Verdict(), "");
}

TEST(PlanChecker, AcceptsElementwiseInPlace) {
  HandMade plan(R"(HloModule m
ENTRY e {
  x = f32[16] parameter(0)
  ROOT c = f32[16] negate(x)
})");
  BufferId x = plan.Parameter(0, kArray, true);
  plan.Place("x", {{x}}).Place("c", {{x}}).Results({{x}});
  EXPECT_EQ(plan.Verdict(), "");
}

TEST(PlanChecker, RefusesToWriteAConstant) {
  HandMade plan(R"(HloModule m
ENTRY e {
  k = f32[] constant(1)
  ROOT c = f32[] negate(k)
})");
  BufferId k = plan.Constant("k", 4);
  plan.Place("k", {{k}}).Place("c", {{k}}).Results({{k}});
  ExpectRefused(plan, "the caller's or constant");
}

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

}  // namespace
}  // namespace stead::inplace
