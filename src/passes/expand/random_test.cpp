#include "passes/expand/random.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

std::string Generate(std::string_view state, std::string_view bits, std::string_view algorithm) {
  return fmt::format(R"(HloModule m
    ENTRY main {{ s = {0} parameter(0)
      ROOT r = ({0}, {1}) rng-bit-generator(s), algorithm={2} }})",
                     state, bits, algorithm);
}

// The interpreter makes the bits by code of its own, whose values are XLA's.
TEST(ExpandRandom, EveryTypeAndOddSizes) {
  for (std::string_view algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (std::string_view bits : {"u32[]", "u32[1]", "u32[7]", "s32[3,5]", "u32[3,4,5]", "u64[5]", "s64[2,3]", "u16[9]",
                                  "u8[6]", "u32[0]", "u64[3,0]"}) {
      std::string text = Generate("u64[2]", bits, algorithm);
      ir::Module module = After(text, ExpandRandom);
      EXPECT_EQ(Count(module, Opcode::kRngBitGenerator), 0) << text;
      EXPECT_EQ(Root(module).opcode, Opcode::kTuple);
      EXPECT_EQ(Root(module).name, "r");
    }
  }
}

TEST(ExpandRandom, TheUpperHalfOfPhiloxsCounterIsCarriedInto) {
  std::string text = R"(HloModule m
    ENTRY main { s = u64[3] constant({5, 18446744073709551613, 7})
      ROOT r = (u64[3], u32[22]) rng-bit-generator(s), algorithm=rng_philox })";
  ir::Module module = After(text, ExpandRandom);
  EXPECT_EQ(Count(module, Opcode::kRngBitGenerator), 0);
}

TEST(ExpandRandom, FloatsAreLeftAlone) {
  ir::Module module = Parse(Generate("u64[2]", "f32[4]", "rng_default"));
  EXPECT_FALSE(RunPass(module, ExpandRandom));
}

}  // namespace
}  // namespace stead::passes
