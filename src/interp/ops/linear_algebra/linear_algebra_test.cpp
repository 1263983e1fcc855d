// Values typed by hand, most from the examples of the StableHLO specification.
#include "interp/ops/linear_algebra/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>

#include "interp/testing.h"

namespace stead::interp {
namespace {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Values = std::vector<double>;

Shape Float(std::vector<int64_t> dimensions) { return Shape::Array(ElementType::kF32, std::move(dimensions)); }
ir::Literal Float(std::vector<int64_t> dimensions, const Values& values) {
  return Numbers(ElementType::kF32, std::move(dimensions), values);
}

TEST(Fft, AnImpulseHasAFlatSpectrumAndBack) {
  Shape complex = Shape::Array(ElementType::kC64, {4});
  ir::Literal impulse = WriteAll(complex, std::vector<Complex128>{1, 0, 0, 0});
  ir::Literal spectrum = OneOp(Opcode::kFft, complex, ir::FftAttributes{"FFT", {4}}).Run({impulse}).value();
  EXPECT_EQ(ReadAll<Complex128>(spectrum), (std::vector<Complex128>{1, 1, 1, 1}));
  EXPECT_TRUE(OneOp(Opcode::kFft, complex, ir::FftAttributes{"IFFT", {4}}).Run({spectrum}).value().SameBits(impulse));
}

TEST(Fft, RealTransformsKeepHalfOfTheSpectrum) {
  Shape half = Shape::Array(ElementType::kC64, {2});
  ir::Literal signal = Float({3}, {1, 2, 6});
  ir::Literal spectrum = OneOp(Opcode::kFft, half, ir::FftAttributes{"RFFT", {3}}).Run({signal}).value();
  std::vector<Complex128> values = ReadAll<Complex128>(spectrum);
  EXPECT_EQ(values[0], Complex128(9));
  // 1 + 2 w + 6 w^2 with w = exp(-2 pi i / 3)
  EXPECT_NEAR(values[1].real(), -3, 1e-6);
  EXPECT_NEAR(values[1].imag(), 2 * std::sqrt(3), 1e-6);
  Values back = OneOp(Opcode::kFft, Float({3}), ir::FftAttributes{"IRFFT", {3}}).Numbers({spectrum});
  for (int position = 0; position < 3; ++position) EXPECT_NEAR(back[position], (Values{1, 2, 6})[position], 1e-6);
}

TEST(Cholesky, LowerAndUpperFactors) {
  ir::Literal matrix = Float({3, 3}, {1, 2, 3, 2, 20, 26, 3, 26, 70});
  EXPECT_EQ(OneOp(Opcode::kCholesky, Float({3, 3}), ir::CholeskyAttributes{true}).Numbers({matrix}),
            (Values{1, 0, 0, 2, 4, 0, 3, 5, 6}));
  EXPECT_EQ(OneOp(Opcode::kCholesky, Float({3, 3}), ir::CholeskyAttributes{false}).Numbers({matrix}),
            (Values{1, 2, 3, 0, 4, 5, 0, 0, 6}));
}

TEST(Cholesky, AMatrixThatIsNotPositiveGivesNan) {
  Values factor =
      OneOp(Opcode::kCholesky, Float({2, 2}), ir::CholeskyAttributes{true}).Numbers({Float({2, 2}, {1, 2, 2, 1})});
  for (double element : factor) EXPECT_TRUE(std::isnan(element));
}

TEST(TriangularSolve, FromTheLeftAndFromTheRight) {
  ir::Literal matrix = Float({3, 3}, {1, 0, 0, 2, 4, 0, 3, 5, 6});
  ir::Literal right = Float({3, 3}, {2, 0, 0, 4, 8, 0, 6, 10, 12});
  ir::TriangularSolveAttributes attributes{true, true, false, "NO_TRANSPOSE"};
  EXPECT_EQ(OneOp(Opcode::kTriangularSolve, Float({3, 3}), attributes).Numbers({matrix, right}),
            (Values{2, 0, 0, 0, 2, 0, 0, 0, 2}));
  attributes.left_side = false;
  EXPECT_EQ(OneOp(Opcode::kTriangularSolve, Float({1, 3}), attributes).Numbers({matrix, Float({1, 3}, {6, 9, 6})}),
            (Values{1, 1, 1}));
}

// The first block of each generator for key 0 and counter 0, from its authors' test vectors.
TEST(RngBitGenerator, KnownBlocks) {
  auto bits = [](const char* algorithm, int64_t state_size, int64_t count) {
    Shape state = Shape::Array(ElementType::kU64, {state_size});
    Shape result = Shape::Tuple({state, Shape::Array(ElementType::kU32, {count})});
    OneOp generate(Opcode::kRngBitGenerator, result, ir::RngBitGeneratorAttributes{algorithm});
    return generate.Run({ir::Literal::Zeros(state)}).value();
  };
  ir::Literal three_fry = bits("rng_three_fry", 2, 2);
  EXPECT_EQ(ReadAll<uint64_t>(three_fry.elements()[1]), (std::vector<uint64_t>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(ReadAll<uint64_t>(three_fry.elements()[0]), (std::vector<uint64_t>{0, 1}));
  ir::Literal philox = bits("rng_philox", 3, 5);
  std::vector<uint64_t> words = ReadAll<uint64_t>(philox.elements()[1]);
  words.resize(4);
  EXPECT_EQ(words, (std::vector<uint64_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(ReadAll<uint64_t>(philox.elements()[0]), (std::vector<uint64_t>{0, 2, 0}));
}

}  // namespace
}  // namespace stead::interp
