#include "passes/cleanup/constant_fold.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

TEST(ConstantFold, FoldsChainsOfSmallConstants) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = s32[2] parameter(0)
      a = s32[] constant(5)
      one = s32[1] broadcast(a), dimensions={}
      b = s32[1] constant({7})
      pair = s32[2] concatenate(one, b), dimensions={0}
      three = s32[2] constant({3, 4})
      sum = s32[2] multiply(pair, three)
      ROOT r = s32[2] add(x, sum) })",
                            FoldConstants);
  const ir::Instruction& folded = Operand(module, Root(module), 1);
  EXPECT_EQ(folded.opcode, Opcode::kConstant);
  EXPECT_EQ(folded.As<ir::Literal>().AsInteger(1), 28);
  EXPECT_EQ(folded.name, "sum");
}

TEST(ConstantFold, WhatHasNoElementsIsKnown) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[0,3] parameter(0)
      call = (f32[0], s32[]) custom-call(x), custom_call_target="factorize", api_version=API_VERSION_TYPED_FFI
      values = f32[0] get-tuple-element(call), index=0
      ROOT both = f32[0] add(values, values) })");
  EXPECT_TRUE(RunPass(module, FoldConstants));
  EXPECT_EQ(Root(module).opcode, Opcode::kConstant);
  EXPECT_EQ(Count(module, Opcode::kCustomCall), 0);
}

TEST(ConstantFold, EffectsStayWhateverTheyGive) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[0] parameter(0)
      ROOT call = f32[0] custom-call(x), custom_call_target="report", custom_call_has_side_effect=true,
        api_version=API_VERSION_TYPED_FFI })");
  EXPECT_FALSE(RunPass(module, FoldConstants));
}

TEST(ConstantFold, LeavesFillsBarriersAndRandomBits) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { a = f32[] constant(5)
      fill = f32[1000] broadcast(a), dimensions={}
      ramp = s32[1000] iota(), iota_dimension=0
      behind = f32[] opt-barrier(a)
      double = f32[] add(behind, behind)
      low = f32[] constant(0)
      bits = f32[3] rng(low, a), distribution=rng_uniform
      ROOT r = (f32[1000], s32[1000], f32[], f32[3]) tuple(fill, ramp, double, bits) })");
  EXPECT_FALSE(RunPass(module, FoldConstants));
}

}  // namespace
}  // namespace stead::passes
