#include "passes/normalize/nested_update.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// A token written into one layer of a cache, which is read afterwards.
constexpr char kToken[] = R"(HloModule m
  ENTRY main { cache = f32[4,6,3] parameter(0)
    token = f32[1,3] parameter(1)
    layer = s32[] parameter(2)
    position = s32[] parameter(3)
    zero = s32[] constant(0)
    window = f32[1,6,3] dynamic-slice(cache, layer, zero, zero), dynamic_slice_sizes={1,6,3}
    row = f32[6,3] reshape(window)
    new = f32[6,3] dynamic-update-slice(row, token, position, zero)
    twice = f32[6,3] add(new, new)
    back = f32[1,6,3] reshape(new)
    made = f32[4,6,3] dynamic-update-slice(cache, back, layer, zero, zero)
    ROOT r = (f32[4,6,3], f32[6,3]) tuple(made, twice) })";

TEST(NestedUpdate, WritesTheElementOfTheWholeArray) {
  // Seeds with positions and layers inside and outside of the array: both ways clamp them alike.
  for (unsigned seed = 1; seed < 20; ++seed) {
    ir::Module module = Parse(kToken);
    ASSERT_TRUE(RunPass(module, FlattenNestedUpdates));
    ExpectSameMeaning(Parse(kToken), module, seed);
    const ir::Instruction& made = Operand(module, Root(module), 0);
    EXPECT_EQ(made.opcode, Opcode::kDynamicUpdateSlice);
    EXPECT_EQ(Operand(module, made, 1).shape.dimensions, (ir::Dimensions{1, 1, 3}));
    EXPECT_EQ(Count(module, Opcode::kDynamicUpdateSlice), 1);
  }
}

TEST(NestedUpdate, LeavesAWindowThatCouldBeClampedDifferently) {
  ir::Module module = Parse(R"(HloModule m
  ENTRY main { x = f32[8] parameter(0)
    u = f32[1] parameter(1)
    i = s32[] parameter(2)
    j = s32[] parameter(3)
    window = f32[5] dynamic-slice(x, i), dynamic_slice_sizes={5}
    new = f32[5] dynamic-update-slice(window, u, j)
    ROOT made = f32[8] dynamic-update-slice(x, new, i) })");
  EXPECT_FALSE(RunPass(module, FlattenNestedUpdates));
}

TEST(NestedUpdate, LeavesARowThatGoesToAnotherPlace) {
  ir::Module module = Parse(R"(HloModule m
  ENTRY main { x = f32[8,4] parameter(0)
    u = f32[1,1] parameter(1)
    i = s32[] parameter(2)
    j = s32[] parameter(3)
    row = f32[1,4] dynamic-slice(x, i, j), dynamic_slice_sizes={1,4}
    new = f32[1,4] dynamic-update-slice(row, u, i, j)
    ROOT made = f32[8,4] dynamic-update-slice(x, new, j, j) })");
  EXPECT_FALSE(RunPass(module, FlattenNestedUpdates));
}

}  // namespace
}  // namespace stead::passes
