#include "passes/cleanup/dead_code.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

TEST(DeadCode, KeepsEffectsAndParameters) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[3] parameter(0)
      unused = f32[3] parameter(1)
      dead = f32[3] negate(x)
      deader = f32[3] abs(dead)
      kept = f32[3] custom-call(x), custom_call_target="print", custom_call_has_side_effect=true
      ROOT r = f32[3] sine(x) })");
  EXPECT_TRUE(RunPass(module, RemoveDeadCode));
  EXPECT_EQ(Count(module, Opcode::kNegate) + Count(module, Opcode::kAbs), 0);
  EXPECT_EQ(Count(module, Opcode::kCustomCall), 1);
  EXPECT_EQ(module.entry_computation().parameters.size(), 2u);
  EXPECT_FALSE(RunPass(module, RemoveDeadCode));
}

TEST(DeadCode, DropsLoopStateThatOnlyFeedsItself) {
  ir::Module module = After(R"(HloModule m
    cond { s = (s32[], f32[3], f32[3], f32[3]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)
      ROOT more = pred[] compare(i, n), direction=LT }
    body { t = (s32[], f32[3], f32[3], f32[3]) parameter(0)
      j = s32[] get-tuple-element(t), index=0
      one = s32[] constant(1)
      next = s32[] add(j, one)
      dead = f32[3] get-tuple-element(t), index=1
      dead2 = f32[3] negate(dead)
      used = f32[3] get-tuple-element(t), index=2
      helper = f32[3] get-tuple-element(t), index=3
      sum = f32[3] add(used, helper)
      ROOT y = (s32[], f32[3], f32[3], f32[3]) tuple(next, dead2, sum, helper) }
    ENTRY main { x = f32[3] parameter(0)
      zero = s32[] constant(0)
      a = (s32[], f32[3], f32[3], f32[3]) tuple(zero, x, x, x)
      loop = (s32[], f32[3], f32[3], f32[3]) while(a), condition=cond, body=body
      unused = f32[3] get-tuple-element(loop), index=1
      ROOT r = f32[3] get-tuple-element(loop), index=2 })",
                            RemoveDeadCode);
  EXPECT_EQ(Named(module, "loop").shape.elements.size(), 3u);
  EXPECT_EQ(Count(module, Opcode::kNegate), 0);
  EXPECT_EQ(Root(module).As<ir::TupleElementAttributes>().index, 1);
}

TEST(DeadCode, ABarrierKeepsNothingAlive) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[3] parameter(0)
      dead = f32[3] negate(x)
      t = (f32[3], f32[3]) tuple(dead, x)
      b = (f32[3], f32[3]) opt-barrier(t)
      ROOT r = f32[3] get-tuple-element(b), index=1 })",
                            RemoveDeadCode);
  EXPECT_EQ(Count(module, Opcode::kNegate), 0);
  EXPECT_EQ(Named(module, "b").shape.elements.size(), 1u);
}

TEST(DeadCode, DropsUnusedResultsAndOperandsOfBranches) {
  ir::Module module = After(R"(HloModule m
    yes { p = (f32[3], f32[3]) parameter(0)
      a = f32[3] get-tuple-element(p), index=0
      b = f32[3] get-tuple-element(p), index=1
      n = f32[3] negate(b)
      ROOT y = (f32[3], f32[3]) tuple(a, n) }
    no { q = (f32[3], f32[3]) parameter(0)
      c = f32[3] get-tuple-element(q), index=0
      d = f32[3] sine(c)
      ROOT z = (f32[3], f32[3]) tuple(d, c) }
    ENTRY main { x = f32[3] parameter(0)
      s = s32[] parameter(1)
      k = s32[] constant(0)
      which = pred[] compare(s, k), direction=GT
      u = f32[3] abs(x)
      t = (f32[3], f32[3]) tuple(x, u)
      c1 = (f32[3], f32[3]) conditional(which, t, t), true_computation=yes, false_computation=no
      ROOT r = f32[3] get-tuple-element(c1), index=0 })",
                            RemoveDeadCode);
  EXPECT_EQ(Named(module, "c1").shape.elements.size(), 1u);
  EXPECT_EQ(Count(module, Opcode::kNegate) + Count(module, Opcode::kAbs), 0);
}

}  // namespace
}  // namespace stead::passes
