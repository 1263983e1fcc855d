#include "interp/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "interp/small_float.h"
#include "interp/testing.h"

namespace stead::interp {
namespace {

using ir::ElementType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

double RoundTo(const SmallFloat& format, double value) {
  return DecodeSmallFloat(format, EncodeSmallFloat(format, value));
}

TEST(SmallFloat, EveryCodeIsTheCodeOfItsValue) {
  const SmallFloat formats[] = {kHalf,           kBFloat16,      kFloat8E5M2,        kFloat8E4M3,
                                kFloat8E3M4,     kFloat8E4M3Fn,  kFloat8E4M3B11Fnuz, kFloat8E5M2Fnuz,
                                kFloat8E4M3Fnuz, kFloat8E8M0Fnu, kFloat4E2M1Fn};
  for (const SmallFloat& format : formats) {
    for (uint32_t code = 0; code < 2u << format.sign_shift(); ++code) {
      float value = DecodeSmallFloat(format, code);
      if (std::isnan(value) || (format.ends == FloatEnds::kPowersOfTwo && code > 255)) continue;
      EXPECT_EQ(EncodeSmallFloat(format, value), code) << format.exponent_bits << "," << format.mantissa_bits;
    }
  }
}

TEST(SmallFloat, RoundsToNearestEvenAndOverflowsAsEachFormatSays) {
  EXPECT_EQ(RoundTo(kHalf, 65519), 65504);
  EXPECT_EQ(RoundTo(kHalf, 65520), kInfinity);
  EXPECT_EQ(RoundTo(kHalf, 0x1p-24), 0x1p-24);
  EXPECT_EQ(RoundTo(kHalf, 0x1p-25), 0);
  EXPECT_EQ(RoundTo(kHalf, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(RoundTo(kBFloat16, 3.4e38), kInfinity);
  EXPECT_EQ(RoundTo(kFloat8E4M3Fn, 464), 448);
  EXPECT_TRUE(std::isnan(RoundTo(kFloat8E4M3Fn, 465)));
  EXPECT_TRUE(std::isnan(RoundTo(kFloat8E4M3Fn, kInfinity)));
  EXPECT_EQ(RoundTo(kFloat8E5M2, 1e6), kInfinity);
  EXPECT_EQ(RoundTo(kFloat8E4M3B11Fnuz, 30), 30);
  EXPECT_TRUE(std::isnan(RoundTo(kFloat8E4M3B11Fnuz, 31)));
  EXPECT_FALSE(std::signbit(RoundTo(kFloat8E5M2Fnuz, -0.0)));
  EXPECT_EQ(RoundTo(kFloat4E2M1Fn, 100), 6);
  EXPECT_EQ(RoundTo(kFloat4E2M1Fn, 0.25), 0);
}

TEST(SmallFloat, RoundsOnce) {
  // Just above the tie between 1 and the next bf16; rounding to f32 first would land on the tie and then on 1.
  EXPECT_EQ(RoundTo(kBFloat16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  std::vector<int64_t> numbers = {(int64_t{1} << 62) + (int64_t{1} << 54) + 1};
  ir::Literal rounded = WriteAll(ir::Shape::Array(ElementType::kBF16, {1}), numbers);
  EXPECT_EQ(NumbersOf(rounded)[0], 0x1p62 + 0x1p55);
}

std::vector<double> Converted(ElementType from, ElementType to, const std::vector<double>& numbers) {
  std::vector<int64_t> dimensions = {static_cast<int64_t>(numbers.size())};
  OneOp convert(ir::Opcode::kConvert, ir::Shape::Array(to, dimensions));
  ir::Literal result = convert.Run({Numbers(from, dimensions, numbers)}).value();
  std::vector<double> elements;
  for (int64_t position = 0; position < dimensions[0]; ++position) elements.push_back(result.AsDouble(position));
  return elements;
}

TEST(Convert, FloatToIntegerCutsOffAndSaturates) {
  EXPECT_EQ(Converted(ElementType::kF32, ElementType::kS8, {1.9, -1.9, 300, -300, kNan}),
            (std::vector<double>{1, -1, 127, -128, 0}));
  EXPECT_EQ(Converted(ElementType::kF64, ElementType::kU8, {-1, 255.9, 256, kInfinity}),
            (std::vector<double>{0, 255, 255, 255}));
  EXPECT_EQ(Converted(ElementType::kF64, ElementType::kS64, {1e30, -1e30, kNan}),
            (std::vector<double>{0x1p63, -0x1p63, 0}));
  EXPECT_EQ(Converted(ElementType::kF32, ElementType::kPred, {0, -0.0, 0.5, kNan}), (std::vector<double>{0, 0, 1, 1}));
}

TEST(Convert, IntegersWrap) {
  EXPECT_EQ(Converted(ElementType::kS32, ElementType::kS8, {129, -129, 7}), (std::vector<double>{-127, 127, 7}));
  EXPECT_EQ(Converted(ElementType::kS32, ElementType::kU4, {17, -1}), (std::vector<double>{1, 15}));
  EXPECT_EQ(Converted(ElementType::kS8, ElementType::kS4, {9, 7}), (std::vector<double>{-7, 7}));
}

}  // namespace
}  // namespace stead::interp
