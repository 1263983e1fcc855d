#include "passes/cleanup/cse.h"

#include <fmt/format.h>

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

TEST(Cse, MergesEqualLoops) {
  constexpr std::string_view kLoop = R"(
    cond{0} {{ s{0} = (s32[], f32[3]) parameter(0)
      i{0} = s32[] get-tuple-element(s{0}), index=0
      n{0} = s32[] constant({1})
      ROOT more{0} = pred[] compare(i{0}, n{0}), direction=LT }}
    body{0} {{ t{0} = (s32[], f32[3]) parameter(0)
      j{0} = s32[] get-tuple-element(t{0}), index=0
      one{0} = s32[] constant(1)
      next{0} = s32[] add(j{0}, one{0})
      v{0} = f32[3] get-tuple-element(t{0}), index=1
      w{0} = f32[3] multiply(v{0}, v{0})
      ROOT y{0} = (s32[], f32[3]) tuple(next{0}, w{0}) }})";
  std::string text =
      "HloModule m" + fmt::format(kLoop, "a", 3) + fmt::format(kLoop, "b", 3) + fmt::format(kLoop, "c", 4) + R"(
    ENTRY main { x = f32[3] parameter(0)
      zero = s32[] constant(0)
      t1 = (s32[], f32[3]) tuple(zero, x)
      t2 = (s32[], f32[3]) tuple(zero, x)
      l1 = (s32[], f32[3]) while(t1), condition=conda, body=bodya
      l2 = (s32[], f32[3]) while(t2), condition=condb, body=bodyb
      l3 = (s32[], f32[3]) while(t2), condition=condc, body=bodyc
      a = f32[3] get-tuple-element(l1), index=1
      b = f32[3] get-tuple-element(l2), index=1
      c = f32[3] get-tuple-element(l3), index=1
      ROOT r = (f32[3], f32[3], f32[3]) tuple(a, b, c) })";
  EXPECT_EQ(Count(After(text, EliminateCommonSubexpressions), Opcode::kWhile), 2);
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
