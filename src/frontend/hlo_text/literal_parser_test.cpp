// Constants: read, and printed so that the same bits are read back.
#include "frontend/hlo_text/literal_parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "ir/number/small_float.h"
#include "ir/text/printer.h"

namespace stead::frontend {
namespace {

using ir::ElementType;
using ir::Literal;
using ir::Shape;

Literal Read(const Shape& shape, std::string_view text) {
  SourceText source(text, "test.hlo");
  Cursor cursor(source);
  Result<Literal> literal = ReadLiteral(cursor, shape);
  if (!literal.ok()) throw std::runtime_error(literal.error().ToString());
  return std::move(literal).value();
}

Shape Array(ElementType type, std::vector<int64_t> dimensions) { return Shape::Array(type, std::move(dimensions)); }

TEST(LiteralParserTest, NestedBracesFillRowMajor) {
  Literal literal = Read(Array(ElementType::kS32, {2, 3}), "{ /*i0=0*/ {1, -2, 3}, {4, 5, 6} }");
  EXPECT_EQ(std::vector<int32_t>(literal.data<int32_t>().begin(), literal.data<int32_t>().end()),
            (std::vector<int32_t>{1, -2, 3, 4, 5, 6}));
}

TEST(LiteralParserTest, BooleansInBothSpellings) {
  Literal literal = Read(Array(ElementType::kPred, {4}), "{1, 0, true, false}");
  EXPECT_EQ(std::vector<uint8_t>(literal.data<uint8_t>().begin(), literal.data<uint8_t>().end()),
            (std::vector<uint8_t>{1, 0, 1, 0}));
}

TEST(LiteralParserTest, FloatsInEverySpelling) {
  Literal literal = Read(Array(ElementType::kF32, {8}), "{1.5, -inf, nan, -0, 1e+20, 0x1.8p3, 7, 1e-46}");
  std::span<const float> values = literal.data<float>();
  EXPECT_EQ(values[0], 1.5f);
  EXPECT_TRUE(std::isinf(values[1]) && values[1] < 0);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_TRUE(values[3] == 0 && std::signbit(values[3]));
  EXPECT_EQ(values[4], 1e20f);
  EXPECT_EQ(values[5], 12.0f);
  EXPECT_EQ(values[6], 7.0f);
  EXPECT_EQ(values[7], 0.0f);
}

TEST(LiteralParserTest, ComplexTuplesElidedAndEmpty) {
  Literal complex = Read(Array(ElementType::kC64, {2}), "{(1, -2.5), 3}");
  EXPECT_EQ(ir::PrintLiteral(complex), "{(1, -2.5), (3, 0)}");
  Literal tuple = Read(Shape::Tuple({Array(ElementType::kF32, {}), Array(ElementType::kS32, {2})}), "(1, {2, 3})");
  EXPECT_EQ(ir::PrintLiteral(tuple), "(1, {2, 3})");
  EXPECT_TRUE(Read(Array(ElementType::kF32, {1000}), "{...}").elided());
  EXPECT_TRUE(Read(tuple.shape(), "{...}").elided());
  EXPECT_FALSE(Read(Array(ElementType::kF32, {2, 0}), "{ {}, {} }").elided());
}

TEST(LiteralParserTest, AnOldTextRepeatsTheShape) {
  EXPECT_EQ(ir::PrintLiteral(Read(Array(ElementType::kF32, {2}), "f32[2]{0} {1, 2}")), "{1, 2}");
}

// As XLA's own parser does.
TEST(LiteralParserTest, ANumberAloneIsTheFirstElement) {
  EXPECT_EQ(ir::PrintLiteral(Read(Array(ElementType::kS8, {3}), "7  ")), "{7, 0, 0}");
}

// Every bit pattern of a type of at most 16 bits survives printing and reading.
class EveryPatternTest : public testing::TestWithParam<ElementType> {};

TEST_P(EveryPatternTest, SurvivesPrintingAndReading) {
  ElementType type = GetParam();
  int64_t patterns = int64_t{1} << ir::ElementBits(type);
  Literal literal = Literal::Zeros(Array(type, {patterns}));
  size_t width = static_cast<size_t>(ir::ElementBytes(type));
  for (int64_t pattern = 0; pattern < patterns; ++pattern) {
    // Signed types below 8 bits lie sign-extended in their byte.
    int64_t value = ir::IsSigned(type) && ir::ElementBits(type) < 8 ? pattern - patterns / 2 : pattern;
    std::memcpy(literal.mutable_bytes().data() + static_cast<size_t>(pattern) * width, &value, width);
  }
  std::string printed = ir::PrintLiteral(literal);
  EXPECT_TRUE(Read(literal.shape(), printed).SameBits(literal)) << printed.substr(0, 2000);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryPatternTest,
                         testing::Values(ElementType::kF16, ElementType::kBF16, ElementType::kF8E5M2,
                                         ElementType::kF8E4M3, ElementType::kF8E3M4, ElementType::kF8E4M3FN,
                                         ElementType::kF8E4M3B11FNUZ, ElementType::kF8E5M2FNUZ,
                                         ElementType::kF8E4M3FNUZ, ElementType::kF8E8M0FNU, ElementType::kF4E2M1FN,
                                         ElementType::kS2, ElementType::kU2, ElementType::kS4, ElementType::kU4,
                                         ElementType::kS8, ElementType::kU8, ElementType::kS16, ElementType::kU16),
                         [](const auto& info) { return std::string(ir::ElementTypeName(info.param)); });

// A spread of patterns of the wide types, the ends of their ranges included.
template <typename Bits>
void ExpectPatternsSurvive(ElementType type, size_t per_element) {
  constexpr size_t kCount = 4096;
  Literal literal = Literal::Zeros(Array(type, {static_cast<int64_t>(kCount / per_element)}));
  std::span<std::byte> bytes = literal.mutable_bytes();
  uint64_t state = 88172645463325252u;
  for (size_t index = 0; index < kCount; ++index) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    Bits pattern = static_cast<Bits>(index < 64    ? uint64_t{1} << index
                                     : index < 128 ? ~(uint64_t{1} << (index - 64))
                                                   : state);
    std::memcpy(bytes.data() + index * sizeof(Bits), &pattern, sizeof(Bits));
  }
  EXPECT_TRUE(Read(literal.shape(), ir::PrintLiteral(literal)).SameBits(literal));
}

TEST(LiteralParserTest, PatternsOfWideTypesSurvive) {
  ExpectPatternsSurvive<uint32_t>(ElementType::kF32, 1);
  ExpectPatternsSurvive<uint64_t>(ElementType::kF64, 1);
  ExpectPatternsSurvive<uint32_t>(ElementType::kC64, 2);
  ExpectPatternsSurvive<uint64_t>(ElementType::kC128, 2);
  ExpectPatternsSurvive<uint32_t>(ElementType::kS32, 1);
  ExpectPatternsSurvive<uint32_t>(ElementType::kU32, 1);
  ExpectPatternsSurvive<uint64_t>(ElementType::kS64, 1);
  ExpectPatternsSurvive<uint64_t>(ElementType::kU64, 1);
}

TEST(SmallFloatTest, RoundsToNearestEvenAndKnowsItsEnds) {
  EXPECT_EQ(ir::DoubleToSmallFloat(ElementType::kF8E4M3FN, 448), 0x7E);
  EXPECT_EQ(ir::DoubleToSmallFloat(ElementType::kF8E4M3FN, 464), 0x7E);
  EXPECT_EQ(ir::DoubleToSmallFloat(ElementType::kF8E4M3FN, 465), 0x7F);
  EXPECT_EQ(ir::DoubleToSmallFloat(ElementType::kF8E5M2, 1e9), 0x7C);
  EXPECT_EQ(ir::DoubleToSmallFloat(ElementType::kF8E5M2FNUZ, -0.0), 0x00);
  EXPECT_EQ(ir::DoubleToSmallFloat(ElementType::kF4E2M1FN, 100), 0x7);
  EXPECT_EQ(ir::DoubleToSmallFloat(ElementType::kF8E8M0FNU, 3), 0x81);
  EXPECT_EQ(ir::SmallFloatToDouble(ElementType::kF8E8M0FNU, 0x80), 2.0);
  EXPECT_EQ(ir::SmallFloatToDouble(ElementType::kF8E4M3, 1), std::ldexp(1.0, -9));
}

}  // namespace
}  // namespace stead::frontend
