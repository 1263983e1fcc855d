// Hand-made plans: right ones are accepted, and each kind of wrong one is refused for the right reason.
#include <string>

#include "inplace/check/check_testing.h"

namespace stead::inplace {
namespace {

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

}  // namespace
}  // namespace stead::inplace
