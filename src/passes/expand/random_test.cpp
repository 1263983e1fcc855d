#include "passes/expand/random.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

std::string NextState(std::string_view state, std::string_view bits, std::string_view algorithm) {
  return fmt::format(R"(HloModule m
    ENTRY main {{ s = {0} constant({1})
      both = ({0}, {2}) rng-bit-generator(s), algorithm={3}
      ROOT next = {0} get-tuple-element(both), index=0 }})",
                     state, state == "u64[2]" ? "{5, 18446744073709551613}" : "{5, 18446744073709551613, 7}", bits,
                     algorithm);
}

// The interpreter counts the blocks as it makes them.
TEST(ExpandRandom, WithoutBitsTheCounterMovesOn) {
  for (std::string_view bits : {"u32[]", "u32[1]", "u32[7]", "s32[3,5]", "u32[3,4,5]", "u64[5]", "s64[2,3]", "u16[9]",
                                "u8[6]", "u32[0]", "u64[3,0]"}) {
    for (const std::string& text : {NextState("u64[2]", bits, "rng_three_fry"), NextState("u64[2]", bits, "rng_philox"),
                                    NextState("u64[3]", bits, "rng_default")}) {
      const ir::Module before = Parse(text);
      ir::Module module = Parse(text);
      EXPECT_TRUE(RunPass(module, ExpandRandom));
      EXPECT_EQ(Count(module, Opcode::kRngBitGenerator), 0) << text;
      EXPECT_TRUE(interp::Evaluate(module, {}).value().SameBits(interp::Evaluate(before, {}).value())) << text;
    }
  }
}

TEST(ExpandRandom, BitsThatAreReadStay) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { s = u64[2] parameter(0)
      both = (u64[2], u32[9]) rng-bit-generator(s), algorithm=rng_philox
      ROOT bits = u32[9] get-tuple-element(both), index=1 })");
  EXPECT_FALSE(RunPass(module, ExpandRandom));
}

}  // namespace
}  // namespace stead::passes
