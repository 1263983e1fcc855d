// Random bits beside the interpreter, which makes them by code of its own.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

std::string GeneratorText(std::string_view state, std::string_view bits, std::string_view algorithm) {
  return fmt::format(R"(HloModule m
    ENTRY main {{ s = {0} parameter(0)
      ROOT r = ({0}, {1}) rng-bit-generator(s), algorithm={2} }})",
                     state, bits, algorithm);
}

TEST(RandomBitsOnTheMachine, EveryTypeAndOddSizes) {
  for (std::string_view algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (std::string_view bits :
         {"u32[]", "u32[1]", "u32[7]", "s32[3,5]", "u32[3,4,5]", "u32[3,5,70]", "u32[2000]", "u64[5]", "s64[2,3]",
          "u64[301]", "u16[9]", "s16[301]", "u8[6]", "s8[7,9,5]", "u32[0]", "u64[3,0]"})
      ExpectSame(GeneratorText("u64[2]", bits, algorithm));
  }
  for (std::string_view bits : {"u32[22]", "s64[9]", "u8[1000]"})
    ExpectSame(GeneratorText("u64[3]", bits, "rng_philox"));
}

TEST(RandomBitsOnTheMachine, TheUpperHalfOfPhiloxsCounterIsCarriedInto) {
  ExpectSame(R"(HloModule m
    ENTRY main { s = u64[3] constant({5, 18446744073709551613, 7})
      ROOT r = (u64[3], u32[22]) rng-bit-generator(s), algorithm=rng_philox })");
}

// The next state lies over the one that is given away, the bits are made where the result lies.
TEST(RandomBitsOnTheMachine, NeedNoMemoryBesideTheResult) {
  const ir::Module module = Parse(R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
    ENTRY main { s = u64[3] parameter(0)
      ROOT r = (u64[3], u32[1000]) rng-bit-generator(s), algorithm=rng_philox })");
  const Result<inplace::BufferPlan> plan = inplace::MakePlan(module, {});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().arena_bytes, 0);
  EXPECT_EQ(plan.value().placements[module.root(module.entry)].size(), 2u);
}

TEST(RandomBitsOnTheMachine, OthersAreRefusedByName) {
  for (const std::string& text :
       {GeneratorText("u64[2]", "f32[4]", "rng_default"), GeneratorText("u32[2]", "u32[4]", "rng_default"),
        GeneratorText("u64[3]", "u32[4]", "rng_three_fry")}) {
    const Result<std::unique_ptr<runtime::Executable>> executable = CompileModule(Parse(text));
    ASSERT_FALSE(executable.ok()) << text;
    EXPECT_NE(executable.error().what.find("op `rng-bit-generator` (`r`)"), std::string::npos);
  }
}

}  // namespace
}  // namespace stead::cpu
