#include "passes/normalize/own_fills.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

TEST(OwnFills, EachStateAndEachUpdateHasItsFill) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { u = f32[1] parameter(0)
      i = s32[] parameter(1)
      zero = f32[] constant(0)
      fill = f32[8] broadcast(zero), dimensions={}
      d = f32[8] dynamic-update-slice(fill, u, i)
      n = f32[8] negate(fill)
      ROOT r = (f32[8], f32[8], f32[8], f32[8]) tuple(d, fill, fill, n) })",
                            GiveOwnFills);
  EXPECT_EQ(Count(module, ir::Opcode::kBroadcast), 3);
  EXPECT_NE(Root(module).operands[1], Root(module).operands[2]);
}

TEST(OwnFills, ReadersShare) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { zero = f32[] constant(0)
      fill = f32[8] broadcast(zero), dimensions={}
      n = f32[8] negate(fill)
      m = f32[8] sine(fill)
      ROOT r = (f32[8], f32[8], f32[8]) tuple(n, m, fill) })");
  EXPECT_FALSE(RunPass(module, GiveOwnFills));
}

TEST(OwnFills, AnOpThatReadsWhatItBuildsInReadsAnotherFill) {
  ir::Module module = After(R"(HloModule m
    second { a = s32[] parameter(0)
      ROOT b = s32[] parameter(1) }
    ENTRY main { places = s32[8,1] parameter(0)
      fill = s32[8] iota(), iota_dimension=0
      ROOT s = s32[8] scatter(fill, places, fill), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second })",
                            GiveOwnFills);
  EXPECT_EQ(Count(module, ir::Opcode::kIota), 2);
  EXPECT_NE(Root(module).operands[0], Root(module).operands[2]);
}

TEST(OwnFills, AConstantThatIsReadIsNoLoopsState) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { u = f32[1] parameter(0)
      x = f32[8] parameter(1)
      zero = s32[] constant(0)
      d = f32[8] dynamic-update-slice(x, u, zero)
      ROOT r = (f32[8], s32[], s32[]) tuple(d, zero, zero) })",
                            GiveOwnFills);
  EXPECT_EQ(Count(module, ir::Opcode::kConstant), 3);
  EXPECT_NE(Root(module).operands[1], Root(module).operands[2]);
}

}  // namespace
}  // namespace stead::passes
