#include "passes/fusion/multi_output.h"

#include "passes/fusion/fusion.h"
#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// The text after fusion and output fusion, with the same meaning.
ir::Module Fused(std::string_view text) {
  ir::Module module = Parse(text);
  RunPass(module, Fuse);
  RunPass(module, FuseOutputs);
  ExpectSameMeaning(Parse(text), module);
  return module;
}

TEST(MultiOutput, ResultsFromTheSameArraysAreOneLoop) {
  ir::Module module = Fused(R"(HloModule m
    ENTRY main { a = f32[8] parameter(0)
      b = f32[8] parameter(1)
      sum = f32[8] add(a, b)
      difference = f32[8] subtract(a, b)
      n = f32[8] negate(b)
      e = f32[8] exponential(n)
      ROOT r = (f32[8], f32[8], f32[8]) tuple(e, difference, sum) })");
  EXPECT_EQ(Count(module, Opcode::kFusion), 1);
}

// What an optimizer does: one result is made from another one.
TEST(MultiOutput, AResultMayBeMadeFromAnotherOne) {
  ir::Module module = Fused(R"(HloModule m
    ENTRY main { m = f32[8] parameter(0)
      p = f32[8] parameter(1)
      g = f32[8] parameter(2)
      mean = f32[8] add(m, g)
      step = f32[8] exponential(mean)
      next = f32[8] subtract(p, step)
      ROOT r = (f32[8], f32[8]) tuple(mean, next) })");
  EXPECT_EQ(Count(module, Opcode::kFusion), 1);
  EXPECT_EQ(Count(module, Opcode::kExponential), 1);
}

TEST(MultiOutput, LeavesValuesThatOthersWaitFor) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { a = f32[4,4] parameter(0)
      b = f32[4,4] parameter(1)
      sum = f32[4,4] add(a, b)
      product = f32[4,4] dot(sum, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      next = f32[4,4] subtract(b, product)
      ROOT r = (f32[4,4], f32[4,4]) tuple(sum, next) })");
  EXPECT_FALSE(RunPass(module, FuseOutputs));
}

TEST(MultiOutput, LeavesReadersOfWhatIsUpdatedInPlace) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[8] parameter(0)
      y = f32[8] parameter(1)
      u = f32[1] constant({2})
      i = s32[] constant(3)
      before = f32[8] add(x, y)
      updated = f32[8] dynamic-update-slice(x, u, i)
      after = f32[8] multiply(updated, y)
      ROOT r = (f32[8], f32[8], f32[8]) tuple(before, after, updated) })");
  EXPECT_FALSE(RunPass(module, FuseOutputs));
}

TEST(MultiOutput, LeavesOtherShapes) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { a = f32[8] parameter(0)
      b = f32[2,4] reshape(a)
      n = f32[8] negate(a)
      e = f32[2,4] exponential(b)
      ROOT r = (f32[8], f32[2,4]) tuple(n, e) })");
  EXPECT_FALSE(RunPass(module, FuseOutputs));
}

}  // namespace
}  // namespace stead::passes
