#include "passes/normalize/single_window.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// x.at[start].add(u) for one row of x, with the start written as `indices`.
std::string ScatterRow(std::string_view indices, std::string_view combine) {
  return fmt::format(R"(HloModule m
    combiner {{ old = f32[] parameter(0)
      new = f32[] parameter(1)
      ROOT c = f32[] {} }}
    ENTRY main {{ x = f32[5,3] parameter(0)
      u = f32[3] parameter(1)
      i = s32[] parameter(2)
      {}
      ROOT s = f32[5,3] scatter(x, at, u), update_window_dims={{0}}, inserted_window_dims={{0}},
        scatter_dims_to_operand_dims={{0}}, index_vector_dim=0, to_apply=combiner }})",
                     combine, indices);
}

TEST(SingleWindow, AKnownScatterIsAnUpdateOfABox) {
  ir::Module module = After(ScatterRow("at = s32[1] constant({4})", "add(old, new)"), SimplifySingleWindows);
  EXPECT_EQ(Root(module).opcode, Opcode::kDynamicUpdateSlice);
  EXPECT_EQ(Root(module).name, "s");
  EXPECT_EQ(Count(module, Opcode::kSlice), 1);
  EXPECT_EQ(Count(module, Opcode::kSelect), 0);
}

TEST(SingleWindow, AScatterOutsideWritesNothing) {
  ir::Module module = After(ScatterRow("at = s32[1] constant({5})", "add(old, new)"), SimplifySingleWindows);
  EXPECT_EQ(Root(module).opcode, Opcode::kParameter);
}

TEST(SingleWindow, AnUnknownScatterKeepsTheOldWindowWhenOutside) {
  std::string text = ScatterRow("at = s32[1] reshape(i)", "multiply(new, old)");
  ir::Module module = After(text, SimplifySingleWindows);
  EXPECT_EQ(Count(module, Opcode::kScatter), 0);
  EXPECT_EQ(Count(module, Opcode::kSelect), 1);
  // The random index is inside for some seeds and outside for others.
  for (unsigned seed = 2; seed < 20; ++seed) ExpectSameMeaning(Parse(text), module, seed);
}

TEST(SingleWindow, ReplacingReadsNothingWhenTheIndexIsKnown) {
  ir::Module module = After(ScatterRow("at = s32[1] constant({0})", "copy(new)"), SimplifySingleWindows);
  EXPECT_EQ(Count(module, Opcode::kScatter), 1) << "a copy is no elementwise expression";
}

TEST(SingleWindow, AGatherOfOneRowIsASlice) {
  std::string text = R"(HloModule m
    ENTRY main { x = f32[5,3] parameter(0)
      i = s32[] parameter(1)
      one = s32[1] reshape(i)
      zero = s32[1] constant({1})
      at = s32[2] concatenate(one, zero), dimensions={0}
      ROOT g = f32[2] gather(x, at), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0,1},
        index_vector_dim=0, slice_sizes={1,2} })";
  ir::Module module = After(text, SimplifySingleWindows);
  EXPECT_EQ(Count(module, Opcode::kDynamicSlice), 1);
  EXPECT_EQ(Count(module, Opcode::kConcatenate), 0);
  for (unsigned seed = 2; seed < 20; ++seed) ExpectSameMeaning(Parse(text), module, seed);
}

TEST(SingleWindow, AWindowThatStandsHalfOutsideWritesNothing) {
  std::string text = R"(HloModule m
    combiner { old = f32[] parameter(0)
      new = f32[] parameter(1)
      ROOT c = f32[] add(old, new) }
    ENTRY main { x = f32[5] parameter(0)
      u = f32[3] parameter(1)
      at = s32[1] parameter(2)
      ROOT s = f32[5] scatter(x, at, u), update_window_dims={0}, inserted_window_dims={},
        scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=combiner })";
  ir::Module module = After(text, SimplifySingleWindows);
  EXPECT_EQ(Count(module, Opcode::kScatter), 0);
  for (unsigned seed = 2; seed < 20; ++seed) ExpectSameMeaning(Parse(text), module, seed);
}

TEST(SingleWindow, LeavesManyWindows) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[5,3] parameter(0)
      at = s32[2,1] parameter(1)
      ROOT g = f32[2,3] gather(x, at), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
        index_vector_dim=1, slice_sizes={1,3} })");
  EXPECT_FALSE(RunPass(module, SimplifySingleWindows));
}

}  // namespace
}  // namespace stead::passes
