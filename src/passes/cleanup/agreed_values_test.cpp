#include "passes/cleanup/agreed_values.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

constexpr const char* kAgreed = R"(, custom_call_target="stead.agreed_value")";

TEST(AgreedValues, WhatIsMadeInTheSameWayAgrees) {
  ir::Module module = Parse(std::string(R"(HloModule m
    ENTRY main { x = f32[4] parameter(0)
      a = f32[2] slice(x), slice={[0:2]}
      b = f32[2] slice(x), slice={[0:2]}
      na = f32[2] negate(a)
      nb = f32[2] negate(b)
      ROOT v = f32[2] custom-call(na, nb))") +
                            kAgreed + "}");
  EXPECT_TRUE(RunPass(module, TakeAgreedValues));
  EXPECT_EQ(Root(module).name, "na");
}

TEST(AgreedValues, LoopsWithBodiesOfTheirOwnThatSayTheSame) {
  ir::Module module = Parse(std::string(R"(HloModule m
    body1 { p = f32[2] parameter(0)
      ROOT n = f32[2] negate(p) }
    body2 { p = f32[2] parameter(0)
      ROOT n = f32[2] negate(p) }
    no { p = f32[2] parameter(0)
      ROOT f = pred[] constant(false) }
    ENTRY main { x = f32[2] parameter(0)
      a = f32[2] while(x), condition=no, body=body1
      b = f32[2] while(x), condition=no, body=body2
      ROOT v = f32[2] custom-call(a, b))") +
                            kAgreed + "}");
  EXPECT_TRUE(RunPass(module, TakeAgreedValues));
  EXPECT_EQ(Root(module).name, "a");
}

void ExpectRefused(const std::string& made) {
  ir::Module module = Parse("HloModule m\n ENTRY main { x = f32[4] parameter(0)\n" + made +
                            "ROOT v = f32[2] custom-call(a, b)" + kAgreed + "}");
  const Result<PassReport> report = TakeAgreedValues(module);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kUnimplemented);
}

TEST(AgreedValues, PartsOfAnArrayMayDiffer) {
  ExpectRefused("a = f32[2] slice(x), slice={[0:2]}\n b = f32[2] slice(x), slice={[2:4]}\n");
}

TEST(AgreedValues, AnswersFromOutsideMayDiffer) {
  ExpectRefused(R"(a = f32[2] custom-call(), custom_call_target="ask", custom_call_has_side_effect=true
    b = f32[2] custom-call(), custom_call_target="ask", custom_call_has_side_effect=true
  )");
}

}  // namespace
}  // namespace stead::passes
