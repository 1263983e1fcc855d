// Values typed by hand, most from the examples of the StableHLO specification.
#include "interp/ops/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "interp/testing.h"

namespace stead::interp {
namespace {

using ir::ElementType;
using ir::Opcode;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

Values Binary(Opcode opcode, ElementType type, const Values& left, const Values& right) {
  std::vector<int64_t> dimensions = {static_cast<int64_t>(left.size())};
  return OneOp(opcode, ir::Shape::Array(type, dimensions))
      .Numbers({Numbers(type, dimensions, left), Numbers(type, dimensions, right)});
}

Values Unary(Opcode opcode, ElementType type, const Values& operand, ir::Attributes attributes = {}) {
  std::vector<int64_t> dimensions = {static_cast<int64_t>(operand.size())};
  return OneOp(opcode, ir::Shape::Array(type, dimensions), attributes).Numbers({Numbers(type, dimensions, operand)});
}

TEST(Elementwise, IntegersWrapAndDivideWithoutTraps) {
  EXPECT_EQ(Binary(Opcode::kAdd, ElementType::kS8, {127, -128, 3}, {1, -1, 4}), (Values{-128, 127, 7}));
  EXPECT_EQ(Binary(Opcode::kDivide, ElementType::kS32, {17, -17, 17, -17}, {3, 3, -3, -3}), (Values{5, -5, -5, 5}));
  EXPECT_EQ(Binary(Opcode::kDivide, ElementType::kS8, {5, -128}, {0, -1}), (Values{-1, -128}));
  EXPECT_EQ(Binary(Opcode::kDivide, ElementType::kU8, {5, 200}, {0, 3}), (Values{255, 66}));
  EXPECT_EQ(Binary(Opcode::kRemainder, ElementType::kS32, {17, -17, 17, -17}, {3, 3, -3, -3}), (Values{2, -2, 2, -2}));
  EXPECT_EQ(Binary(Opcode::kRemainder, ElementType::kS8, {5, -128}, {0, -1}), (Values{5, 0}));
  EXPECT_EQ(Binary(Opcode::kPower, ElementType::kS32, {-2, 2, 1, -1, 3}, {3, -1, -5, -5, 0}),
            (Values{-8, 0, 1, -1, 1}));
}

TEST(Elementwise, ShiftsByTheWidthLeaveNothing) {
  EXPECT_EQ(Binary(Opcode::kShiftLeft, ElementType::kS8, {-1, 1, 1, 1}, {1, 7, 8, -1}), (Values{-2, -128, 0, 0}));
  EXPECT_EQ(Binary(Opcode::kShiftRightLogical, ElementType::kS8, {-1, -128, -1}, {1, 7, 8}), (Values{127, 1, 0}));
  EXPECT_EQ(Binary(Opcode::kShiftRightArithmetic, ElementType::kS8, {-128, -128, 64}, {1, 9, 9}), (Values{-64, -1, 0}));
  EXPECT_EQ(Binary(Opcode::kShiftRightArithmetic, ElementType::kU8, {128}, {1}), (Values{192}));
}

TEST(Elementwise, CountsOnlyTheBitsOfTheType) {
  EXPECT_EQ(Unary(Opcode::kCountLeadingZeros, ElementType::kS16, {0, 1, -1, 128}), (Values{16, 15, 0, 8}));
  EXPECT_EQ(Unary(Opcode::kPopulationCount, ElementType::kS8, {0, 127, -1}), (Values{0, 7, 8}));
  EXPECT_EQ(Unary(Opcode::kNot, ElementType::kU8, {0, 255}), (Values{255, 0}));
  EXPECT_EQ(Unary(Opcode::kAbs, ElementType::kS8, {-128, -3}), (Values{-128, 3}));
}

TEST(Elementwise, MaximumAndMinimumKeepNanAndOrderZeros) {
  Values maxima = Binary(Opcode::kMaximum, ElementType::kF32, {1, kNan, -0.0, 0.0}, {kNan, 1, 0.0, -0.0});
  EXPECT_TRUE(std::isnan(maxima[0]) && std::isnan(maxima[1]));
  EXPECT_FALSE(std::signbit(maxima[2]) || std::signbit(maxima[3]));
  Values minima = Binary(Opcode::kMinimum, ElementType::kF32, {1, kNan, -0.0, 0.0}, {kNan, 1, 0.0, -0.0});
  EXPECT_TRUE(std::isnan(minima[0]) && std::isnan(minima[1]));
  EXPECT_TRUE(std::signbit(minima[2]) && std::signbit(minima[3]));
}

TEST(Elementwise, Bfloat16RoundsAfterEveryOp) {
  double close_to_one = 1.0078125;
  Values square = Binary(Opcode::kMultiply, ElementType::kBF16, {close_to_one}, {close_to_one});
  EXPECT_EQ(Binary(Opcode::kSubtract, ElementType::kBF16, square, {1.015625}), (Values{0}));
}

TEST(Elementwise, PowerAtItsSpecialPoints) {
  Values powers = Binary(Opcode::kPower, ElementType::kF32, {0, 1, -1, -2, 0, -8}, {0, kNan, kInfinity, 3, -1, 0.5});
  EXPECT_EQ((Values{powers.begin(), powers.begin() + 5}), (Values{1, 1, 1, -8, kInfinity}));
  EXPECT_TRUE(std::isnan(powers[5]));
}

TEST(Elementwise, RoundingToIntegers) {
  EXPECT_EQ(Unary(Opcode::kRoundNearestEven, ElementType::kF64, {-2.5, 0.5, 1.5, 2.5}), (Values{-2, 0, 2, 2}));
  EXPECT_EQ(Unary(Opcode::kRoundNearestAfz, ElementType::kF64, {-2.5, 0.4, 0.5, 2.5}), (Values{-3, 0, 1, 3}));
  Values signs = Unary(Opcode::kSign, ElementType::kF64, {kNan, -1, -0.0, 0.0, 4});
  EXPECT_TRUE(std::isnan(signs[0]) && std::signbit(signs[2]));
  EXPECT_EQ((Values{signs.begin() + 1, signs.end()}), (Values{-1, 0, 0, 1}));
}

TEST(Elementwise, ReducePrecisionOverflowsToInfinityAndFlushesBelowNormal) {
  Values reduced = Unary(Opcode::kReducePrecision, ElementType::kF64,
                         {kInfinity, 0, 1000, 1000000, 0x1p-15, 1.0009765625}, ir::ReducePrecisionAttributes{5, 10});
  EXPECT_EQ(reduced, (Values{kInfinity, 0, 1000, kInfinity, 0, 1.0009765625}));
}

TEST(Elementwise, CompareOrdersNanOnlyInTotalOrder) {
  using Direction = ir::CompareAttributes::Direction;
  using Type = ir::CompareAttributes::Type;
  std::vector<ir::Literal> operands = {Numbers(ElementType::kF32, {4}, {-kNan, -0.0, kNan, 1}),
                                       Numbers(ElementType::kF32, {4}, {-1, 0, kNan, 2})};
  auto compare = [&](Direction direction, Type type) {
    ir::Literal result =
        OneOp(Opcode::kCompare, ir::Shape::Array(ElementType::kPred, {4}), ir::CompareAttributes{direction, type})
            .Run(operands)
            .value();
    return ReadAll<uint64_t>(result);
  };
  EXPECT_EQ(compare(Direction::kLt, Type::kFloat), (std::vector<uint64_t>{0, 0, 0, 1}));
  EXPECT_EQ(compare(Direction::kLt, Type::kTotalOrder), (std::vector<uint64_t>{1, 1, 0, 1}));
  EXPECT_EQ(compare(Direction::kEq, Type::kFloat), (std::vector<uint64_t>{0, 1, 0, 0}));
  EXPECT_EQ(compare(Direction::kNe, Type::kFloat), (std::vector<uint64_t>{1, 0, 1, 1}));
}

TEST(Elementwise, SelectAndClampTakeScalars) {
  ir::Literal yes = WriteAll(ir::Shape::Array(ElementType::kPred, {}), std::vector<uint64_t>{1});
  EXPECT_EQ(OneOp(Opcode::kSelect, ir::Shape::Array(ElementType::kF32, {2}))
                .Numbers({yes, Numbers(ElementType::kF32, {2}, {1, 2}), Numbers(ElementType::kF32, {2}, {3, 4})}),
            (Values{1, 2}));
  EXPECT_EQ(OneOp(Opcode::kClamp, ir::Shape::Array(ElementType::kS32, {3}))
                .Numbers({Numbers(ElementType::kS32, {}, {5}), Numbers(ElementType::kS32, {3}, {3, 13, 23}),
                          Numbers(ElementType::kS32, {}, {20})}),
            (Values{5, 13, 20}));
}

TEST(Elementwise, ComplexDivisionDoesNotOverflow) {
  std::vector<Complex128> left = {{1e300, 1e300}, {1, 2}};
  std::vector<Complex128> right = {{1e300, 1e300}, {3, -4}};
  ir::Shape shape = ir::Shape::Array(ElementType::kC128, {2});
  ir::Literal quotient = OneOp(Opcode::kDivide, shape).Run({WriteAll(shape, left), WriteAll(shape, right)}).value();
  std::vector<Complex128> values = ReadAll<Complex128>(quotient);
  EXPECT_EQ(values[0], Complex128(1, 0));
  EXPECT_NEAR(values[1].real(), -0.2, 1e-16);
  EXPECT_NEAR(values[1].imag(), 0.4, 1e-16);
}

TEST(Elementwise, AnOpWithoutMeaningNamesItself) {
  Result<ir::Literal> result =
      OneOp(Opcode::kAnd, ir::Shape::Array(ElementType::kF8E4M3, {1}))
          .Run({Numbers(ElementType::kF8E4M3, {1}, {1}), Numbers(ElementType::kF8E4M3, {1}, {1})});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnimplemented);
  EXPECT_NE(result.error().what.find("op `and` on f8e4m3[1]"), std::string::npos) << result.error().what;
}

}  // namespace
}  // namespace stead::interp
