#include "passes/normalize/row_major.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

bool AllRowMajor(const ir::Module& module) {
  return CountIf(module, [](const ir::Instruction& instruction) {
           return instruction.shape.is_array() && !instruction.shape.is_row_major();
         }) == 0;
}

TEST(RowMajor, ABitcastOfAnotherLayoutIsATranspose) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[2,3]{1,0} parameter(0)
      c = f32[2,3]{0,1} copy(x)
      ROOT b = f32[3,2]{1,0} bitcast(c) })");
  EXPECT_TRUE(RunPass(module, MakeRowMajor));
  EXPECT_TRUE(AllRowMajor(module));
  ir::Module transpose = Parse(R"(HloModule m
    ENTRY main { x = f32[2,3] parameter(0)
      ROOT t = f32[3,2] transpose(x), dimensions={1,0} })");
  ExpectSameMeaning(transpose, module);
}

TEST(RowMajor, ABitcastMaySplitAndMergeDimensions) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[4,6]{1,0} parameter(0)
      n = f32[4,6]{0,1} negate(x)
      b = f32[2,2,6]{1,0,2} bitcast(n)
      ROOT r = f32[2,2,6]{2,1,0} copy(b) })");
  EXPECT_TRUE(RunPass(module, MakeRowMajor));
  EXPECT_TRUE(AllRowMajor(module));
  // Physically n lies as [6][4], which is [6][2][2]: element (a, b, c) of the result is (2a + b, c) of n.
  ir::Module expected = Parse(R"(HloModule m
    ENTRY main { x = f32[4,6] parameter(0)
      n = f32[4,6] negate(x)
      ROOT r = f32[2,2,6] reshape(n) })");
  ExpectSameMeaning(expected, module);
}

TEST(RowMajor, ACustomCallKeepsTheLayoutsItAsksFor) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[4,4]{1,0} parameter(0)
      n = f32[4,4]{0,1} negate(x)
      c = (f32[4,4]{0,1}, s32[]) custom-call(n), custom_call_target="potrf", operand_layout_constraints={f32[4,4]{0,1}}
      e = f32[4,4]{0,1} get-tuple-element(c), index=0
      ROOT r = f32[4,4]{1,0} copy(e) })");
  EXPECT_TRUE(RunPass(module, MakeRowMajor));
  const ir::Instruction& operand = Operand(module, Named(module, "c"), 0);
  EXPECT_EQ(operand.opcode, Opcode::kBitcast);
  EXPECT_FALSE(operand.shape.is_row_major());
  EXPECT_EQ(Operand(module, operand, 0).opcode, Opcode::kTranspose);
  EXPECT_TRUE(Named(module, "n").shape.is_row_major());
  const ir::Instruction& result = Operand(module, Root(module), 0);
  EXPECT_EQ(result.opcode, Opcode::kTranspose);
  EXPECT_TRUE(result.shape.is_row_major());
  EXPECT_EQ(Operand(module, result, 0).opcode, Opcode::kBitcast);
}

TEST(RowMajor, TheEntryLayoutIsThatOfParametersAndResults) {
  const std::string program = R"(
    ENTRY main { x = f32[2,3,4] parameter(0)
      y = f32[4,3] parameter(1)
      n = f32[2,3,4] negate(x)
      ROOT r = (f32[2,3,4], f32[4,3]) tuple(n, y) })";
  ir::Module plain = Parse("HloModule m" + program);
  ir::Module module = Parse(
      "HloModule m, entry_computation_layout={(f32[2,3,4]{0,2,1}, f32[4,3]{1,0})->(f32[2,3,4]{2,0,1}, f32[4,3]{0,1})}" +
      program);
  EXPECT_TRUE(RunPass(module, MakeRowMajor));
  EXPECT_EQ(Named(module, "x").shape.ToString(), "f32[2,3,4]{0,2,1}");
  EXPECT_EQ(Named(module, "y").shape.ToString(), "f32[4,3]{1,0}");
  EXPECT_EQ(Root(module).shape.ToString(), "(f32[2,3,4]{2,0,1}, f32[4,3]{0,1})");
  // A result is the bytes of a transposed array.
  const ir::Instruction& result = Operand(module, Root(module), 0);
  EXPECT_EQ(result.opcode, Opcode::kBitcast);
  EXPECT_EQ(Operand(module, result, 0).opcode, Opcode::kTranspose);
  EXPECT_EQ(Operand(module, result, 0).shape.ToString(), "f32[3,2,4]{2,1,0}");
  ExpectSameMeaning(plain, module);
}

TEST(RowMajor, OneResultInAnotherLayout) {
  ir::Module module = Parse(R"(HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{0,1}}
    ENTRY main { x = f32[2,3] parameter(0)
      ROOT n = f32[2,3] negate(x) })");
  ir::Module plain = Parse(R"(HloModule m
    ENTRY main { x = f32[2,3] parameter(0)
      ROOT n = f32[2,3] negate(x) })");
  EXPECT_TRUE(RunPass(module, MakeRowMajor));
  EXPECT_EQ(Root(module).shape.ToString(), "f32[2,3]{0,1}");
  EXPECT_TRUE(Named(module, "n").shape.is_row_major());
  ExpectSameMeaning(plain, module);
}

TEST(RowMajor, LeavesModulesOfOtherMachines) {
  ir::Module tiled = Parse(R"(HloModule m
    ENTRY main { x = f32[16,128]{1,0:T(8,128)} parameter(0)
      ROOT n = f32[16,128]{0,1:T(8,128)} negate(x) })");
  EXPECT_FALSE(RunPass(tiled, MakeRowMajor));
  ir::Module other_entry = Parse(R"(HloModule m
    ENTRY main { x = f32[16,128]{0,1} parameter(0)
      ROOT n = f32[16,128]{0,1} negate(x) })");
  EXPECT_FALSE(RunPass(other_entry, MakeRowMajor));
}

}  // namespace
}  // namespace stead::passes
