#include "passes/cleanup/tuple_simplify.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

TEST(TupleSimplify, SeesThroughNestedTuples) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[3] parameter(0)
      y = f32[3] negate(x)
      inner = (f32[3], f32[3]) tuple(x, y)
      outer = ((f32[3], f32[3]), f32[3]) tuple(inner, x)
      e = (f32[3], f32[3]) get-tuple-element(outer), index=0
      ROOT r = f32[3] get-tuple-element(e), index=1 })",
                            SimplifyTuples);
  EXPECT_EQ(Root(module).name, "y");
  EXPECT_EQ(Count(module, ir::Opcode::kTuple), 0);
}

TEST(TupleSimplify, StopsAtBarriers) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[3] parameter(0)
      t = (f32[3]) tuple(x)
      b = (f32[3]) opt-barrier(t)
      ROOT r = f32[3] get-tuple-element(b), index=0 })");
  EXPECT_FALSE(RunPass(module, SimplifyTuples));
}

}  // namespace
}  // namespace stead::passes
