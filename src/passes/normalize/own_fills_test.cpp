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

}  // namespace
}  // namespace stead::passes
