#include "cpu/llvm/index.h"

#include <gtest/gtest.h>

namespace stead::cpu {
namespace {

class IndexTest : public ::testing::Test {
 protected:
  IndexExpression Counter(int64_t limit, int depth = 1, bool varies = false) {
    Variable variable;
    variable.limit = limit;
    variable.depth = depth;
    variable.varies = varies;
    return IndexExpression::Of(space_.Add(variable));
  }
  IndexSpace space_;
};

TEST_F(IndexTest, SumsCancel) {
  const IndexExpression row = Counter(4);
  const IndexExpression column = Counter(8);
  EXPECT_EQ(row * 8 + column + row * -8, column);
  EXPECT_EQ(row * 0, IndexExpression::Constant(0));
}

TEST_F(IndexTest, DivisionOfKnownMultiplesIsExact) {
  const IndexExpression row = Counter(4);
  const IndexExpression column = Counter(8);
  const IndexExpression position = row * 8 + column;
  EXPECT_EQ(space_.Quotient(position, 8), row);
  EXPECT_EQ(space_.Remainder(position, 8), column);
  EXPECT_EQ(space_.Quotient(row * 8 + IndexExpression::Constant(19), 8), row + IndexExpression::Constant(2));
}

TEST_F(IndexTest, QuotientAndRemainderMeetAgain) {
  const IndexExpression flat = Counter(24);
  const Index index = space_.Delinearize(flat, {2, 3, 4}, {0, 1, 2});
  EXPECT_NE(index[2], flat);
  EXPECT_EQ(space_.Linear(index, {12, 4, 1}), flat);
  EXPECT_EQ(space_.Linear(index, {24, 8, 2}), flat * 2);
  // Another order of memory does not cancel.
  EXPECT_NE(space_.Linear(index, {1, 2, 6}), flat);
}

TEST_F(IndexTest, ColumnMajorCoordinates) {
  const IndexExpression flat = Counter(6);
  const Index index = space_.Delinearize(flat, {2, 3}, {1, 0});
  EXPECT_EQ(space_.Linear(index, {1, 2}), flat);
}

TEST_F(IndexTest, SizeOneDimensionsStandAtZero) {
  const IndexExpression flat = Counter(5);
  const Index index = space_.Delinearize(flat, {1, 5, 1}, {0, 1, 2});
  EXPECT_EQ(index, (Index{{}, flat, {}}));
}

TEST_F(IndexTest, ReversedPositionStaysWhole) {
  const IndexExpression flat = Counter(6);
  const IndexExpression reversed = IndexExpression::Constant(5) + flat * -1;
  EXPECT_EQ(space_.Range(reversed), (std::pair<int64_t, int64_t>(0, 5)));
  const Index index = space_.Delinearize(reversed, {2, 3}, {0, 1});
  EXPECT_EQ(space_.Linear(index, {3, 1}), reversed);
}

TEST_F(IndexTest, DepthAndLanesFollowVariables) {
  const IndexExpression row = Counter(4, 1);
  const IndexExpression lane = Counter(8, 2, true);
  EXPECT_EQ(space_.Depth(row), 1);
  EXPECT_EQ(space_.Depth(Index{row, lane}), 2);
  EXPECT_FALSE(space_.Varies(row));
  const IndexExpression half = space_.Quotient(row + lane, 3);
  EXPECT_TRUE(space_.Varies(half));
  EXPECT_EQ(space_.Depth(half), 2);
}

}  // namespace
}  // namespace stead::cpu
