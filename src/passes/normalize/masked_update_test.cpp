#include "passes/normalize/masked_update.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

TEST(MaskedUpdate, MovesTheSelectIntoTheWindow) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[5,3] parameter(0)
      u = f32[1,3] parameter(1)
      i = s32[] parameter(2)
      p = pred[5,3] parameter(3)
      zero = s32[] constant(0)
      d = f32[5,3] dynamic-update-slice(x, u, i, zero)
      ROOT s = f32[5,3] select(p, x, d) })",
                            NarrowMaskedUpdates);
  EXPECT_EQ(Root(module).opcode, Opcode::kDynamicUpdateSlice);
  EXPECT_EQ(Operand(module, Root(module), 1).shape.element_count(), 3);
}

TEST(MaskedUpdate, UsesTheScalarOfAFilledPredicate) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[5,3] parameter(0)
      u = f32[1,3] parameter(1)
      p = pred[] parameter(2)
      zero = s32[] constant(0)
      mask = pred[5,3] broadcast(p), dimensions={}
      d = f32[5,3] dynamic-update-slice(x, u, zero, zero)
      ROOT s = f32[5,3] select(mask, d, x) })",
                            NarrowMaskedUpdates);
  EXPECT_EQ(Count(module, Opcode::kBroadcast), 0);
  EXPECT_EQ(Root(module).opcode, Opcode::kDynamicUpdateSlice);
}

// What JAX makes of a batched loop whose body sets one element: nothing of the size of the array is read or written again.
TEST(MaskedUpdate, MovesTheSelectIntoTheWindowsOfAScatter) {
  ir::Module module = After(R"(HloModule m
    replace { a = f32[] parameter(0)
      ROOT b = f32[] parameter(1) }
    ENTRY main { x = f32[2,50] parameter(0)
      i = s32[2,1] parameter(1)
      u = f32[2] parameter(2)
      p = pred[2] parameter(3)
      mask = pred[2,50] broadcast(p), dimensions={0}
      d = f32[2,50] scatter(x, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1},
        input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=replace
      ROOT s = f32[2,50] select(mask, d, x) })",
                            NarrowMaskedUpdates);
  EXPECT_EQ(Root(module).opcode, Opcode::kScatter);
  EXPECT_EQ(Count(module, Opcode::kGather), 1);
  EXPECT_EQ(Count(module, Opcode::kSelect), 1);
  EXPECT_EQ(CountIf(module, [](const ir::Instruction& made) { return made.shape.element_count() == 100; }), 2);
}

TEST(MaskedUpdate, MovesTheSelectIntoUpdatesInARow) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[50] parameter(0)
      u = f32[1] parameter(1)
      i = s32[] parameter(2)
      p = pred[50] parameter(3)
      zero = s32[] constant(0)
      first = f32[50] dynamic-update-slice(x, u, zero)
      second = f32[50] dynamic-update-slice(first, u, i)
      ROOT s = f32[50] select(p, second, x) })",
                            NarrowMaskedUpdates);
  EXPECT_EQ(Root(module).opcode, Opcode::kDynamicUpdateSlice);
  EXPECT_EQ(Operand(module, Root(module), 0).opcode, Opcode::kDynamicUpdateSlice);
  EXPECT_EQ(Count(module, Opcode::kSelect), 2);
}

TEST(MaskedUpdate, LeavesAScatterThatNeitherReplacesNorAdds) {
  ir::Module module = Parse(R"(HloModule m
    larger { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] maximum(a, b) }
    ENTRY main { x = f32[5] parameter(0)
      i = s32[2,1] parameter(1)
      u = f32[2] parameter(2)
      p = pred[5] parameter(3)
      d = f32[5] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
        index_vector_dim=1, to_apply=larger
      ROOT s = f32[5] select(p, d, x) })");
  EXPECT_FALSE(RunPass(module, NarrowMaskedUpdates));
}

TEST(MaskedUpdate, LeavesAnUpdateThatIsUsedElsewhere) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[5] parameter(0)
      u = f32[1] parameter(1)
      p = pred[5] parameter(2)
      zero = s32[] constant(0)
      d = f32[5] dynamic-update-slice(x, u, zero)
      s = f32[5] select(p, d, x)
      ROOT r = (f32[5], f32[5]) tuple(s, d) })");
  EXPECT_FALSE(RunPass(module, NarrowMaskedUpdates));
}

}  // namespace
}  // namespace stead::passes
