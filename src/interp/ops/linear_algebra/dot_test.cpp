// Values typed by hand, most from the examples of the StableHLO specification.
#include "interp/ops/linear_algebra/dot.h"

#include <gtest/gtest.h>

#include "interp/testing.h"

namespace stead::interp {
namespace {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Values = std::vector<double>;

Shape Int(std::vector<int64_t> dimensions) { return Shape::Array(ElementType::kS32, std::move(dimensions)); }
ir::Literal Int(std::vector<int64_t> dimensions, const Values& values) {
  return Numbers(ElementType::kS32, std::move(dimensions), values);
}

TEST(Dot, BatchesAndContractsAnyDimensions) {
  ir::DotAttributes attributes{{0}, {0}, {2}, {1}};
  EXPECT_EQ(OneOp(Opcode::kDot, Int({2, 2, 2}), attributes)
                .Numbers({Int({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), Int({2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1})}),
            (Values{1, 2, 3, 4, 5, 6, 7, 8}));
  // Columns of the left against rows of the right.
  EXPECT_EQ(OneOp(Opcode::kDot, Int({2, 1}), ir::DotAttributes{{}, {}, {0}, {1}})
                .Numbers({Int({3, 2}, {1, 2, 3, 4, 5, 6}), Int({1, 3}, {1, 10, 100})}),
            (Values{531, 642}));
  EXPECT_EQ(OneOp(Opcode::kDot, Int({2, 2}), ir::DotAttributes{}).Numbers({Int({2}, {1, 2}), Int({2}, {3, 4})}),
            (Values{3, 4, 6, 8}));
}

TEST(Dot, WidensToTheResultType) {
  EXPECT_EQ(OneOp(Opcode::kDot, Int({}), ir::DotAttributes{{}, {}, {0}, {0}})
                .Numbers({Numbers(ElementType::kS8, {2}, {127, 127}), Numbers(ElementType::kS8, {2}, {127, 127})}),
            (Values{32258}));
  EXPECT_EQ(OneOp(Opcode::kDot, Shape::Array(ElementType::kS8, {}), ir::DotAttributes{{}, {}, {0}, {0}})
                .Numbers({Numbers(ElementType::kS8, {2}, {127, 127}), Numbers(ElementType::kS8, {2}, {127, 127})}),
            (Values{2}));
}

TEST(Dot, EmptyContractionGivesZeros) {
  EXPECT_EQ(
      OneOp(Opcode::kDot, Int({1, 2}), ir::DotAttributes{{}, {}, {1}, {0}}).Numbers({Int({1, 0}, {}), Int({0, 2}, {})}),
      (Values{0, 0}));
}

TEST(Dot, ScalesBelongToBlocks) {
  const auto numbers = [](ElementType type, std::vector<int64_t> dimensions, const Values& values) {
    return Numbers(type, std::move(dimensions), values);
  };
  constexpr ElementType kElement = ElementType::kF8E4M3FN, kScale = ElementType::kF8E8M0FNU;
  // 1*2 + 2*2 + 3*8 + 4*8, all halved by the scale of the right side.
  EXPECT_EQ(OneOp(Opcode::kScaledDot, Shape::Array(ElementType::kF32, {1, 1}), ir::DotAttributes{{}, {}, {1}, {0}})
                .Numbers({numbers(kElement, {1, 4}, {1, 2, 3, 4}), numbers(kElement, {4, 1}, {1, 1, 1, 1}),
                          numbers(kScale, {1, 2}, {2, 8}), numbers(kScale, {}, {0.5})}),
            (Values{31}));
  // 1.125 * 1.875 = 2.109375 has no place in bf16.
  EXPECT_EQ(OneOp(Opcode::kScaledDot, Shape::Array(ElementType::kF32, {}), ir::DotAttributes{{}, {}, {0}, {0}})
                .Numbers({numbers(kElement, {1}, {1.125}), numbers(kElement, {1}, {1}),
                          numbers(ElementType::kBF16, {1}, {1.8671875}), numbers(kScale, {}, {1})}),
            (Values{2.09375}));
}

ir::ConvolutionAttributes TwoDimensional(std::vector<ir::WindowDimension> window) {
  // NHWC input and output, HWIO kernel.
  ir::ConvolutionAttributes attributes;
  attributes.window = std::move(window);
  attributes.input_batch = attributes.output_batch = 0;
  attributes.input_feature = attributes.output_feature = 3;
  attributes.input_spatial = attributes.output_spatial = {1, 2};
  attributes.kernel_spatial = {0, 1};
  attributes.kernel_input_feature = 2;
  attributes.kernel_output_feature = 3;
  return attributes;
}

TEST(Convolution, TheExampleOfTheSpecification) {
  Values input = {1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17};
  // window strides 4, padding 0, lhs dilation 2, reversal off, 3x3 of ones
  ir::WindowDimension dimension{3, 4, 0, 0, 1, 2, false};
  EXPECT_EQ(OneOp(Opcode::kConvolution, Int({1, 2, 2, 1}), TwoDimensional({dimension, dimension}))
                .Numbers({Int({1, 4, 4, 1}, input), Int({3, 3, 1, 1}, Values(9, 1))}),
            (Values{10, 26, 46, 62}));
}

TEST(Convolution, ReversalTurnsTheKernel) {
  ir::WindowDimension row{1};
  ir::WindowDimension plain{2};
  ir::WindowDimension reversed{2, 1, 0, 0, 1, 1, true};
  ir::Literal input = Int({1, 1, 3, 1}, {1, 2, 4});
  ir::Literal kernel = Int({1, 2, 1, 1}, {1, 10});
  EXPECT_EQ(OneOp(Opcode::kConvolution, Int({1, 1, 2, 1}), TwoDimensional({row, plain})).Numbers({input, kernel}),
            (Values{21, 42}));
  EXPECT_EQ(OneOp(Opcode::kConvolution, Int({1, 1, 2, 1}), TwoDimensional({row, reversed})).Numbers({input, kernel}),
            (Values{12, 24}));
}

TEST(Convolution, FeatureAndBatchGroups) {
  ir::WindowDimension one{1};
  ir::ConvolutionAttributes depthwise = TwoDimensional({one, one});
  depthwise.feature_group_count = 2;
  EXPECT_EQ(OneOp(Opcode::kConvolution, Int({1, 1, 1, 2}), depthwise)
                .Numbers({Int({1, 1, 1, 2}, {3, 5}), Int({1, 1, 1, 2}, {10, 100})}),
            (Values{30, 500}));
  ir::ConvolutionAttributes batches = TwoDimensional({one, one});
  batches.batch_group_count = 2;
  EXPECT_EQ(OneOp(Opcode::kConvolution, Int({1, 1, 1, 2}), batches)
                .Numbers({Int({2, 1, 1, 1}, {3, 5}), Int({1, 1, 1, 2}, {10, 100})}),
            (Values{30, 500}));
}

}  // namespace
}  // namespace stead::interp
