#include "passes/packed/packed_border.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// The same program with the layouts of its border packed; its meaning is that of the program without.
std::string WithPackedBorder(std::string_view border, std::string_view rest) {
  return "HloModule m, entry_computation_layout={" + std::string(border) + "}\n" + std::string(rest);
}

TEST(PackedBorder, ParametersAndResultsAreBytesInside) {
  constexpr std::string_view kProgram = R"(
    ENTRY main { x = s4[2,6] parameter(0)
      ROOT n = s4[2,6] negate(x) })";
  ir::Module module = Parse(WithPackedBorder("(s4[2,6]{1,0:E(4)})->s4[2,6]{1,0:E(4)}", kProgram));
  const ir::Module before = Parse(WithPackedBorder("(s4[2,6]{1,0})->s4[2,6]{1,0}", kProgram));
  EXPECT_TRUE(RunPass(module, PackBorder));
  EXPECT_TRUE(Named(module, "x").shape.is_packed());
  EXPECT_EQ(Named(module, "x").shape.byte_size(), 6);
  EXPECT_EQ(Root(module).opcode, Opcode::kBitcast);
  EXPECT_TRUE(Root(module).shape.is_packed());
  EXPECT_EQ(Operand(module, Root(module), 0).shape.ToString(false), "u8[2,3]");
  EXPECT_FALSE(Named(module, "n").shape.is_packed());
  ExpectSameMeaning(before, module);
}

TEST(PackedBorder, CountsThatDoNotFillBytesLieInOneLine) {
  constexpr std::string_view kProgram = R"(
    ENTRY main { x = u2[3,3] parameter(0)
      ROOT n = u2[3,3] not(x) })";
  ir::Module module = Parse(WithPackedBorder("(u2[3,3]{1,0:E(2)})->u2[3,3]{1,0:E(2)}", kProgram));
  const ir::Module before = Parse(WithPackedBorder("(u2[3,3]{1,0})->u2[3,3]{1,0}", kProgram));
  EXPECT_TRUE(RunPass(module, PackBorder));
  EXPECT_EQ(Operand(module, Root(module), 0).shape.ToString(false), "u8[3]");
  ExpectSameMeaning(before, module);
}

TEST(PackedBorder, AnotherOrderOfDimensionsIsKept) {
  constexpr std::string_view kProgram = R"(
    ENTRY main { x = s4[2,6] parameter(0)
      n = s4[2,6] negate(x)
      ROOT r = (s4[2,6], s4[2,6]) tuple(n, x) })";
  ir::Module module = Parse(WithPackedBorder("(s4[2,6]{0,1:E(4)})->(s4[2,6]{0,1:E(4)}, s4[2,6]{1,0:E(4)})", kProgram));
  const ir::Module before = Parse(WithPackedBorder("(s4[2,6]{1,0})->(s4[2,6]{1,0}, s4[2,6]{1,0})", kProgram));
  EXPECT_TRUE(RunPass(module, PackBorder));
  EXPECT_EQ(Operand(module, Operand(module, Root(module), 0), 0).shape.ToString(false), "u8[6,1]");
  EXPECT_EQ(Operand(module, Operand(module, Root(module), 1), 0).shape.ToString(false), "u8[2,3]");
  ExpectSameMeaning(before, module);
}

TEST(PackedBorder, AParameterMayBeTheResult) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { ROOT x = s4[4]{0:E(4)} parameter(0) })");
  EXPECT_TRUE(RunPass(module, PackBorder));
  EXPECT_TRUE(Root(module).shape.is_packed());
  EXPECT_EQ(Count(module, Opcode::kBitcastConvert), 0);
}

TEST(PackedBorder, PackedLayoutsInsideAreDropped) {
  ir::Module module = Parse(R"(HloModule m, entry_computation_layout={(s8[4]{0})->s8[4]{0}}
    ENTRY main { x = s8[4] parameter(0)
      c = s4[4]{0:E(4)} convert(x)
      ROOT r = s8[4] convert(c) })");
  EXPECT_TRUE(RunPass(module, PackBorder));
  EXPECT_FALSE(Named(module, "c").shape.is_packed());
}

TEST(PackedBorder, MemoryThatIsReinterpretedIsLeftAlone) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = s4[4]{0:E(4)} parameter(0)
      ROOT b = u8[2] bitcast(x) })");
  EXPECT_FALSE(RunPass(module, PackBorder));
}

}  // namespace
}  // namespace stead::passes
