#include "passes/expand/scaled_dot.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

// The pass writes the product out, and the interpreter, which has a meaning of its own for the op, agrees to the last bit.
void ExpectPlainProduct(std::string_view operands, std::string_view dot) {
  const std::string text = fmt::format("HloModule m\nENTRY main {{ {}\n ROOT r = {} }}", operands, dot);
  const ir::Module before = Parse(text);
  ir::Module after = Parse(text);
  EXPECT_TRUE(RunPass(after, ExpandScaledDots));
  EXPECT_EQ(Count(after, ir::Opcode::kScaledDot), 0);
  const std::vector<ir::Literal> arguments = Arguments(before, 1);
  EXPECT_EQ(interp::Evaluate(before, arguments).value(), interp::Evaluate(after, arguments).value());
}

TEST(ScaledDot, ScalesAreSpreadOverTheirBlocks) {
  ExpectPlainProduct(R"(x = f8e4m3fn[3,8] parameter(0)
      y = f8e4m3fn[8,5] parameter(1)
      s = f32[3,2] parameter(2)
      t = f8e8m0fnu[4,5] parameter(3))",
                     "f32[3,5] scaled-dot(x, y, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
}

TEST(ScaledDot, BatchesScalarsAndScalesOfOne) {
  ExpectPlainProduct(R"(x = bf16[2,3,8] parameter(0)
      y = f8e5m2[2,8,5] parameter(1)
      s = bf16[] parameter(2)
      t = bf16[1,1,1] parameter(3))",
                     "bf16[2,3,5] scaled-dot(x, y, s, t), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
                     "rhs_batch_dims={0}, rhs_contracting_dims={1}");
}

TEST(ScaledDot, OtherLayoutsPassThrough) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = bf16[4,2]{0,1} parameter(0)
      s = bf16[] parameter(1)
      ROOT r = f32[4,4] scaled-dot(x, x, s, s), lhs_contracting_dims={1}, rhs_contracting_dims={1} })");
  EXPECT_FALSE(RunPass(module, ExpandScaledDots));
}

}  // namespace
}  // namespace stead::passes
