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

// As JAX writes x[[1, -1]]: negative indices count from the end.
TEST(ConstantFold, IndicesAreSpelledOut) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[100,2] parameter(0)
      at = s32[2] constant({1, -1})
      zero = s32[] constant(0)
      zeros = s32[2] broadcast(zero), dimensions={}
      extent = s32[] constant(100)
      extents = s32[2] broadcast(extent), dimensions={}
      negative = pred[2] compare(at, zeros), direction=LT
      from_end = s32[2] add(at, extents)
      index = s32[2] select(negative, from_end, at)
      indices = s32[2,1] reshape(index)
      rows = f32[2,2] gather(x, indices), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
        index_vector_dim=1, slice_sizes={1,2}
      ramp = s32[40] iota(), iota_dimension=0
      two = s32[] constant(2)
      twos = s32[40] broadcast(two), dimensions={}
      even = s32[40] multiply(ramp, twos)
      others = f32[40,2] gather(x, even), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
        index_vector_dim=1, slice_sizes={1,2}
      ROOT r = (f32[2,2], f32[40,2]) tuple(rows, others) })");
  EXPECT_TRUE(RunPass(module, FoldConstants));
  const ir::Instruction& indices = module.instruction(Named(module, "rows").operands[1]);
  ASSERT_EQ(indices.opcode, Opcode::kConstant);
  EXPECT_EQ(indices.As<ir::Literal>().AsInteger(0), 1);
  EXPECT_EQ(indices.As<ir::Literal>().AsInteger(1), 99);
  const ir::Instruction& even = module.instruction(Named(module, "others").operands[1]);
  ASSERT_EQ(even.opcode, Opcode::kConstant);
  EXPECT_EQ(even.As<ir::Literal>().AsInteger(39), 78);
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
