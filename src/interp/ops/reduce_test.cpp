// Values typed by hand, most from the examples of the StableHLO specification.
#include "interp/ops/reduce.h"

#include <gtest/gtest.h>

#include <limits>

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

OneOp Fold(Opcode opcode, Opcode body, ElementType type, std::vector<int64_t> result, ir::Attributes attributes) {
  OneOp op(opcode, Shape::Array(type, std::move(result)), std::move(attributes));
  op.Calls(body, {type, type}, type);
  return op;
}

TEST(Reduce, CombinesAlongDimensionsStartingFromTheInitialValue) {
  ir::Literal operand = Int({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(Fold(Opcode::kReduce, Opcode::kAdd, ElementType::kS32, {2}, ir::DimensionsAttributes{{1}})
                .Numbers({operand, Int({}, {10})}),
            (Values{13, 22}));
  EXPECT_EQ(Fold(Opcode::kReduce, Opcode::kAdd, ElementType::kS32, {}, ir::DimensionsAttributes{{1, 0}})
                .Numbers({operand, Int({}, {0})}),
            (Values{15}));
  EXPECT_EQ(Fold(Opcode::kReduce, Opcode::kAdd, ElementType::kS32, {3}, ir::DimensionsAttributes{{0}})
                .Numbers({Int({0, 3}, {}), Int({}, {7})}),
            (Values{7, 7, 7}));
}

TEST(Reduce, KeepsTheOrderOfElements) {
  // Subtraction shows the tree: 0 - ((1 - 2) - (3 - 4) - 5)... with a last element without a partner.
  EXPECT_EQ(Fold(Opcode::kReduce, Opcode::kSubtract, ElementType::kS32, {}, ir::DimensionsAttributes{{0}})
                .Numbers({Int({5}, {1, 2, 3, 4, 5}), Int({}, {0})}),
            (Values{-(((1 - 2) - (3 - 4)) - 5)}));
}

TEST(Reduce, ManyBfloat16OnesDoNotGetStuck) {
  Values ones(10000, 1);
  double sum = Fold(Opcode::kReduce, Opcode::kAdd, ElementType::kBF16, {}, ir::DimensionsAttributes{{0}})
                   .Numbers({Numbers(ElementType::kBF16, {10000}, ones), Numbers(ElementType::kBF16, {}, {0})})[0];
  EXPECT_NEAR(sum, 10000, 64);
}

TEST(ReduceWindow, SumsWindowsWithDilationAndPadding) {
  ir::Literal operand = Int({3, 2}, {1, 2, 3, 4, 5, 6});
  ir::WindowAttributes attributes;
  attributes.window = {{2, 4, 2, 1, 3, 2}, {1, 1, 0, 0, 1, 1}};
  EXPECT_EQ(
      Fold(Opcode::kReduceWindow, Opcode::kAdd, ElementType::kS32, {2, 2}, attributes).Numbers({operand, Int({}, {0})}),
      (Values{0, 0, 3, 4}));
  attributes.window = {{2, 1, 0, 1}, {1}};
  EXPECT_EQ(Fold(Opcode::kReduceWindow, Opcode::kMaximum, ElementType::kS32, {3, 2}, attributes)
                .Numbers({operand, Int({}, {0})}),
            (Values{3, 4, 5, 6, 5, 6}));
}

TEST(ReduceWindow, RunningReductionsGoFromEitherEnd) {
  ir::Literal operand = Int({3, 2}, {1, 10, 2, 20, 4, 40});
  ir::WindowAttributes attributes;
  attributes.window = {{3, 1, 2, 0}, {1}};
  auto running = [&](Opcode body) {
    return Fold(Opcode::kReduceWindow, body, ElementType::kS32, {3, 2}, attributes).Numbers({operand, Int({}, {100})});
  };
  EXPECT_EQ(running(Opcode::kSubtract), (Values{99, 90, 97, 70, 93, 30}));
  attributes.window = {{3, 1, 0, 2}, {1}};
  EXPECT_EQ(running(Opcode::kAdd), (Values{107, 170, 106, 160, 104, 140}));
  // The same window two wide is no running reduction.
  attributes.window = {{2, 1, 0, 1}, {1}};
  EXPECT_EQ(running(Opcode::kAdd), (Values{103, 130, 106, 160, 104, 140}));
}

TEST(SelectAndScatter, AddsWhereTheLargestOfEachWindowStands) {
  ir::WindowAttributes attributes;
  attributes.window = {{3, 2, 0, 1}, {1}};
  OneOp op(Opcode::kSelectAndScatter, Int({4, 2}), attributes);
  op.Calls(Opcode::kCompare, {ElementType::kS32, ElementType::kS32}, ElementType::kPred,
           ir::CompareAttributes{ir::CompareAttributes::Direction::kGe});
  op.Calls(Opcode::kAdd, {ElementType::kS32, ElementType::kS32}, ElementType::kS32);
  EXPECT_EQ(op.Numbers({Int({4, 2}, {1, 5, 2, 5, 3, 6, 4, 4}), Int({2, 2}, {5, 6, 7, 8}), Int({}, {0})}),
            (Values{0, 0, 0, 0, 5, 14, 7, 0}));
}

TEST(Map, AppliesTheComputationToEachElement) {
  EXPECT_EQ(Fold(Opcode::kMap, Opcode::kMultiply, ElementType::kS32, {2, 2}, ir::DimensionsAttributes{{0, 1}})
                .Numbers({Int({2, 2}, {0, 1, 2, 3}), Int({2, 2}, {4, 5, 6, 7})}),
            (Values{0, 5, 12, 21}));
}

TEST(Sort, IsStableAndCarriesPayloads) {
  ir::Shape pair = Shape::Tuple({Int({2, 5}), Int({2, 5})});
  OneOp sort(Opcode::kSort, pair, ir::SortAttributes{1, true});
  sort.Calls(Opcode::kCompare, {ElementType::kS32, ElementType::kS32}, ElementType::kPred,
             ir::CompareAttributes{ir::CompareAttributes::Direction::kLt});
  // The comparator of one operand has two parameters; sort by keys alone.
  OneOp keys(Opcode::kSort, Int({2, 5}), ir::SortAttributes{1, true});
  keys.Calls(Opcode::kCompare, {ElementType::kS32, ElementType::kS32}, ElementType::kPred,
             ir::CompareAttributes{ir::CompareAttributes::Direction::kGt});
  EXPECT_EQ(keys.Numbers({Int({2, 5}, {3, 1, 2, 5, 4, 1, 1, 0, 9, 8})}), (Values{5, 4, 3, 2, 1, 9, 8, 1, 1, 0}));
  OneOp columns(Opcode::kSort, Int({3, 2}), ir::SortAttributes{0, true});
  columns.Calls(Opcode::kCompare, {ElementType::kS32, ElementType::kS32}, ElementType::kPred,
                ir::CompareAttributes{ir::CompareAttributes::Direction::kLt});
  EXPECT_EQ(columns.Numbers({Int({3, 2}, {3, 1, 1, 2, 2, 3})}), (Values{1, 1, 2, 2, 3, 3}));
}

TEST(TopK, TiesGoByPositionAndNanIsLargest) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  ir::Shape shape = Shape::Tuple({Shape::Array(ElementType::kF32, {3}), Int({3})});
  ir::Literal result = OneOp(Opcode::kTopK, shape).Run({Numbers(ElementType::kF32, {5}, {2, nan, 1, 2, 2})}).value();
  EXPECT_EQ(NumbersOf(result.elements()[1]), (Values{1, 0, 3}));
}

}  // namespace
}  // namespace stead::interp
