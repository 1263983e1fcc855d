#include "passes/cleanup/cse.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

TEST(Cse, MergesEqualInstructionsAndReducers) {
  ir::Module module = After(R"(HloModule m
    plus { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    sum { d = f32[] parameter(0)
      e = f32[] parameter(1)
      ROOT f = f32[] add(d, e) }
    ENTRY main { x = f32[4] parameter(0)
      y = f32[4] parameter(1)
      xy = f32[4] multiply(x, y)
      yx = f32[4] multiply(y, x)
      zero = f32[] constant(0)
      zero2 = f32[] constant(0)
      r1 = f32[] reduce(xy, zero), dimensions={0}, to_apply=plus
      r2 = f32[] reduce(yx, zero2), dimensions={0}, to_apply=sum
      ROOT r = (f32[], f32[]) tuple(r1, r2) })",
                            EliminateCommonSubexpressions);
  EXPECT_EQ(Count(module, Opcode::kReduce), 1);
  EXPECT_EQ(Count(module, Opcode::kMultiply), 1);
}

TEST(Cse, DoesNotMergeAcrossABarrier) {
  ir::Module module = Parse(R"(HloModule m
    less { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = pred[] compare(a, b), direction=LT }
    ENTRY main { x = f32[4] parameter(0)
      before = f32[4] sort(x), dimensions={0}, to_apply=less
      t = (f32[4], f32[4]) tuple(x, before)
      b = (f32[4], f32[4]) opt-barrier(t)
      x2 = f32[4] get-tuple-element(b), index=0
      s2 = f32[4] get-tuple-element(b), index=1
      after = f32[4] sort(x2), dimensions={0}, to_apply=less
      ROOT r = (f32[4], f32[4]) tuple(s2, after) })");
  EXPECT_FALSE(RunPass(module, EliminateCommonSubexpressions));
}

TEST(Cse, KeepsFillsApartButMergesWhatUsesThem) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)
      c = f32[] constant(2)
      fill1 = f32[4] broadcast(c), dimensions={}
      fill2 = f32[4] broadcast(c), dimensions={}
      a = f32[4] add(x, fill1)
      b = f32[4] add(x, fill2)
      ROOT r = (f32[4], f32[4], f32[4], f32[4]) tuple(a, b, fill1, fill2) })",
                            EliminateCommonSubexpressions);
  EXPECT_EQ(Count(module, Opcode::kAdd), 1);
  EXPECT_EQ(Count(module, Opcode::kBroadcast), 2);
}

TEST(Cse, KeepsRandomBitsEffectsAndControlEdges) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)
      low = f32[] constant(0)
      high = f32[] constant(1)
      r1 = f32[4] rng(low, high), distribution=rng_uniform
      r2 = f32[4] rng(low, high), distribution=rng_uniform
      n1 = f32[4] negate(x)
      n2 = f32[4] negate(x), control-predecessors={r1}
      ROOT r = (f32[4], f32[4], f32[4], f32[4]) tuple(r1, r2, n1, n2) })");
  EXPECT_FALSE(RunPass(module, EliminateCommonSubexpressions));
}

}  // namespace
}  // namespace stead::passes
