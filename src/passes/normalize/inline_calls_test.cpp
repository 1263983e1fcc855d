#include "passes/normalize/inline_calls.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

TEST(InlineCalls, TakesTheInstructionsOfTheLastCallerAndCopiesForOthers) {
  ir::Module module = After(R"(HloModule m
    twice { p = f32[3] parameter(0)
      ROOT doubled = f32[3] add(p, p) }
    ENTRY main { x = f32[3] parameter(0)
      one = f32[3] call(x), to_apply=twice
      ROOT two = f32[3] call(one), to_apply=twice })",
                            InlineCalls);
  EXPECT_EQ(Count(module, Opcode::kCall), 0);
  EXPECT_EQ(Count(module, Opcode::kAdd), 2);
  EXPECT_EQ(Root(module).name, "doubled");
}

TEST(InlineCalls, OpensForeignFusionsAndKeepsPlaces) {
  ir::Module module = After(R"(HloModule m, is_scheduled=true
    inner { q = f32[3] parameter(0)
      ROOT negated = f32[3] negate(q) }
    __ynn_fusion { p = f32[3] parameter(0)
      n = f32[3] fusion(p), kind=kLoop, calls=inner
      ROOT sum = f32[3] add(n, p), metadata={op_name="sum" source_file="a.py" source_line=7} }
    ENTRY main { x = f32[3] parameter(0)
      ROOT f = f32[3] fusion(x), kind=kCustom, calls=__ynn_fusion })",
                            InlineCalls);
  EXPECT_FALSE(module.is_scheduled);
  EXPECT_EQ(Count(module, Opcode::kFusion), 0);
  EXPECT_EQ(module.SourceOf(module.entry_computation().root).line, 7);
}

TEST(InlineCalls, WhatACallWaitedForItsInstructionsWaitFor) {
  ir::Module module = After(R"(HloModule m
    inner { q = f32[3] parameter(0)
      negated = f32[3] negate(q)
      ROOT sum = f32[3] add(negated, q) }
    ENTRY main { x = f32[3] parameter(0)
      first = f32[3] abs(x)
      f = f32[3] fusion(x), kind=kLoop, calls=inner, control-predecessors={first}
      after = f32[3] sine(x), control-predecessors={f}
      ROOT r = (f32[3], f32[3], f32[3]) tuple(first, f, after) })",
                            InlineCalls);
  EXPECT_EQ(Named(module, "negated").control_predecessors, std::vector{Find(module, "first")});
  EXPECT_TRUE(Named(module, "sum").control_predecessors.empty());
  EXPECT_EQ(Named(module, "after").control_predecessors, std::vector{Find(module, "sum")});
}

TEST(InlineCalls, GivesEachLoopItsOwnBody) {
  ir::Module module = After(R"(HloModule m
    cond { s = (s32[]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)
      ROOT more = pred[] compare(i, n), direction=LT }
    body { t = (s32[]) parameter(0)
      j = s32[] get-tuple-element(t), index=0
      k = s32[] constant(2)
      next = s32[] add(j, k)
      ROOT y = (s32[]) tuple(next) }
    ENTRY main { x = s32[] parameter(0)
      a = (s32[]) tuple(x)
      one = (s32[]) while(a), condition=cond, body=body
      two = (s32[]) while(a), condition=cond, body=body
      ROOT r = ((s32[]), (s32[])) tuple(one, two) })",
                            InlineCalls);
  EXPECT_NE(Named(module, "one").called, Named(module, "two").called);
}

TEST(InlineCalls, LeavesComputationsThatRunElsewhere) {
  ir::Module module = Parse(R"(HloModule m
    inner { q = f32[3] parameter(0)
      ROOT negated = f32[3] negate(q) }
    wrapped { p = f32[3] parameter(0)
      ROOT f = f32[3] fusion(p), kind=kLoop, calls=inner }
    ENTRY main { x = f32[3] parameter(0)
      s = ((f32[3]), f32[3], u32[]) async-start(x), calls=wrapped
      ROOT d = f32[3] async-done(s) })");
  EXPECT_FALSE(RunPass(module, InlineCalls));
}

}  // namespace
}  // namespace stead::passes
