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
