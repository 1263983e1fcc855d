#include "ir/text/printer.h"

#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"
#include "ir/verify.h"

namespace stead::ir {
namespace {

Module Parse(std::string_view text) {
  Result<Module> module = frontend::ParseHloText(text, "test.hlo");
  if (!module.ok()) throw std::runtime_error(module.error().ToString());
  return std::move(module).value();
}

// Written as the printer writes it: every line must come back as it stands.
constexpr std::string_view kPrinted =
    R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, must-alias) }, buffer_donor={ (2, {}) }, entry_computation_layout={(f32[4]{0}, f32[8,6]{0,1}, s32[])->(f32[4]{0}, f32[8,6]{0,1})}, replica_count=1

FileNames
1 "a \"b\".py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=2 column=3 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}, execution_thread="host"

ENTRY e {
  x = f32[4]{0} parameter(0), metadata={op_name="x\n" stack_frame_id=1}
  y = f32[8,6]{0,1} parameter(1), sharding={replicated}
  i = s32[] parameter(2)
  %nan = f32[] constant(-0.0)
  k = f32[2,3]{1,0} constant({ {1, 2.5, nan}, {-inf, 1e-45, 3} })
  p = pred[2]{0} constant({1, 0})
  r = f32[2]{0} reduce(k, %nan), dimensions={1}, to_apply=sum
  s = f32[2]{0} slice(x), slice={[0:4:2]}, control-predecessors={i, r}
  d = f32[8,8]{1,0} dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}, operand_precision={highest,highest}
  g = f32[10]{0} pad(x, %nan), padding=0_3_1
  q = (f32[4]{0}, s32[]) custom-call(x), custom_call_target="t", output_to_operand_aliasing={{0}: (0, {})}, backend_config={"a": [1, "}"]}
  w = f32[2]{0} copy(s), frontend_attributes={stead_copy_reason="C02",other="1"}
  ROOT t = (f32[4]{0}, f32[8,6]{0,1}) tuple(x, y)
}
)";

TEST(PrinterTest, WhatIsReadIsPrinted) {
  Module module = Parse(kPrinted);
  Status verified = VerifyModule(module);
  ASSERT_TRUE(verified.ok()) << verified.error().ToString();
  EXPECT_EQ(PrintModule(module), kPrinted);
}

TEST(PrinterTest, TheReasonOfACopyTravelsAmongItsFrontendAttributes) {
  Module module = Parse(
      "HloModule m\nENTRY e { x = f32[4] parameter(0), frontend_attributes={a=\"b\"}\n ROOT y = f32[4] negate(x) }");
  InstrId root = module.entry_computation().root;
  InstrId copy = module.AddCopyBefore(root, module.operand(root, 0), CopyReason::kConstant);
  EXPECT_EQ(PrintInstruction(module, copy),
            "copy = f32[4]{0} copy(x), frontend_attributes={stead_copy_reason=\"C04\"}");
  Module again = Parse(PrintModule(module));
  InstrId read = again.entry_computation().instructions[1];
  EXPECT_EQ(again.instruction(read).As<CopyAttributes>().reason, CopyReason::kConstant);
  EXPECT_TRUE(again.instruction(read).extra.empty());
}

TEST(PrinterTest, AWrittenCopyHasNoReason) {
  Module module =
      Parse("HloModule m\nENTRY e { x = f32[] parameter(0)\n ROOT y = f32[] copy(x), frontend_attributes={a=\"b\"} }");
  EXPECT_EQ(PrintInstruction(module, module.entry_computation().root),
            "ROOT y = f32[] copy(x), frontend_attributes={a=\"b\"}");
}

TEST(PrinterTest, TheNameOfAModuleIsMadeReadable) {
  Module module = Parse("HloModule m\nENTRY e { x = f32[] parameter(0) }");
  module.name = "1<lambda> f";
  EXPECT_TRUE(PrintModule(module).starts_with("HloModule __lambda__f,"));
}

TEST(PrinterTest, NamesThatReadAsSomethingElseHaveAPercentSign) {
  Module module =
      Parse("HloModule m\nENTRY e { %s1 = f32[] parameter(0)\n x = f32[] negate(%s1)\n ROOT %inf = f32[] negate(x) }");
  std::string text = PrintModule(module);
  EXPECT_NE(text.find("x = f32[] negate(%s1)"), std::string::npos) << text;
  EXPECT_NE(text.find("ROOT %inf = f32[] negate(x)"), std::string::npos) << text;
}

TEST(PrinterTest, EntryLayoutIsDerivedWhenItWasNotGiven) {
  Module module = Parse("HloModule m\nENTRY e { x = f32[2,3]{0,1} parameter(0)\n ROOT y = f32[2,3]{0,1} negate(x) }");
  EXPECT_TRUE(
      PrintModule(module).starts_with("HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}\n"));
}

TEST(PrinterTest, CalleesStandBeforeTheirCallersInTheOrderOfTheText) {
  Module module = Parse(R"(HloModule m
b { p = f32[] parameter(0) }
a { q = f32[] parameter(0)
  ROOT c = f32[] call(q), to_apply=b }
ENTRY e { x = f32[] parameter(0)
  y = f32[] call(x), to_apply=a
  ROOT z = f32[] call(y), to_apply=b }
)");
  std::string text = PrintModule(module);
  EXPECT_LT(text.find("\nb {"), text.find("\na {"));
  EXPECT_LT(text.find("\na {"), text.find("\nENTRY e {"));
}

}  // namespace
}  // namespace stead::ir
