// Values typed by hand, most from the examples of the StableHLO specification.
#include "interp/ops/movement/shape_ops.h"

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

TEST(Broadcast, RepeatsAlongNewDimensions) {
  EXPECT_EQ(
      OneOp(Opcode::kBroadcast, Int({2, 3, 2}), ir::DimensionsAttributes{{2, 1}}).Numbers({Int({1, 3}, {1, 2, 3})}),
      (Values{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(OneOp(Opcode::kBroadcast, Int({2}), ir::DimensionsAttributes{}).Numbers({Int({}, {7})}), (Values{7, 7}));
}

TEST(Concatenate, PutsOperandsSideBySide) {
  EXPECT_EQ(OneOp(Opcode::kConcatenate, Int({2, 3}), ir::DimensionsAttributes{{1}})
                .Numbers({Int({2, 1}, {1, 4}), Int({2, 2}, {2, 3, 5, 6})}),
            (Values{1, 2, 3, 4, 5, 6}));
}

TEST(Pad, NegativeEdgesAndInteriorGaps) {
  // [1 2 3] with gaps is [1 0 2 0 3]; one cut off in front, two added behind.
  EXPECT_EQ(
      OneOp(Opcode::kPad, Int({6}), ir::PadAttributes{{-1}, {2}, {1}}).Numbers({Int({3}, {1, 2, 3}), Int({}, {0})}),
      (Values{0, 2, 0, 3, 0, 0}));
  // Everything is cut away.
  EXPECT_EQ(
      OneOp(Opcode::kPad, Int({1}), ir::PadAttributes{{-3}, {1}, {0}}).Numbers({Int({3}, {1, 2, 3}), Int({}, {9})}),
      (Values{9}));
  EXPECT_EQ(
      OneOp(Opcode::kPad, Int({2}), ir::PadAttributes{{0}, {-3}, {1}}).Numbers({Int({3}, {1, 2, 3}), Int({}, {9})}),
      (Values{1, 9}));
  // Of the example in the specification.
  EXPECT_EQ(OneOp(Opcode::kPad, Int({5, 9}), ir::PadAttributes{{0, 1}, {2, 1}, {1, 2}})
                .Numbers({Int({2, 3}, {1, 2, 3, 4, 5, 6}), Int({}, {0})}),
            (Values{0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5,
                    0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Reverse, TurnsTheNamedDimensions) {
  EXPECT_EQ(
      OneOp(Opcode::kReverse, Int({3, 2}), ir::DimensionsAttributes{{1}}).Numbers({Int({3, 2}, {1, 2, 3, 4, 5, 6})}),
      (Values{2, 1, 4, 3, 6, 5}));
}

TEST(Slice, TakesEveryStrideThElement) {
  EXPECT_EQ(OneOp(Opcode::kSlice, Int({2, 1}), ir::SliceAttributes{{0, 2}, {3, 4}, {2, 3}})
                .Numbers({Int({3, 4}, {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0})}),
            (Values{1, 2}));
}

TEST(Transpose, PermutesDimensions) {
  EXPECT_EQ(OneOp(Opcode::kTranspose, Int({2, 3, 2}), ir::DimensionsAttributes{{2, 1, 0}})
                .Numbers({Int({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}),
            (Values{1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12}));
}

TEST(Iota, CountsAlongOneDimension) {
  EXPECT_EQ(OneOp(Opcode::kIota, Shape::Array(ElementType::kBF16, {2, 3}), ir::DimensionsAttributes{{1}}).Numbers({}),
            (Values{0, 1, 2, 0, 1, 2}));
}

TEST(Bitcast, ReadsMemoryInTheOrderOfTheLayout) {
  Shape column_major = Int({2, 3});
  column_major.layout.minor_to_major = {0, 1};
  ir::Literal operand = Int({2, 3}, {1, 2, 3, 4, 5, 6}).WithShape(column_major);
  EXPECT_EQ(OneOp(Opcode::kBitcast, Int({3, 2})).Numbers({operand}), (Values{1, 4, 2, 5, 3, 6}));
}

TEST(BitcastConvert, PacksElementsBelowAByte) {
  ir::Literal nibbles = Numbers(ElementType::kU4, {4}, {13, 12, 11, 10});
  OneOp join(Opcode::kBitcastConvert, Shape::Array(ElementType::kU16, {}));
  EXPECT_EQ(ReadAll<uint64_t>(join.Run({nibbles}).value()), (std::vector<uint64_t>{0xABCD}));
  OneOp split(Opcode::kBitcastConvert, Shape::Array(ElementType::kS4, {2}));
  EXPECT_EQ(split.Numbers({Numbers(ElementType::kU8, {}, {0x7F})}), (Values{-1, 7}));
  OneOp words(Opcode::kBitcastConvert, Shape::Array(ElementType::kU32, {2}));
  EXPECT_EQ(ReadAll<uint64_t>(words.Run({Numbers(ElementType::kF64, {}, {1})}).value()),
            (std::vector<uint64_t>{0, 0x3FF00000}));
}

}  // namespace
}  // namespace stead::interp
