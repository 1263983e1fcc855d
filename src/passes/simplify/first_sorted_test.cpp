#include "passes/simplify/first_sorted.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

// Values with ties, zeros of both signs, infinities and NaN; four of each row's sorted values and the first four places.
std::string Program(std::string_view direction, std::string_view type, int start,
                    std::string_view places = "iota(), iota_dimension=1") {
  return fmt::format(R"(HloModule m
    before {{ a = f32[] parameter(0)
      b = f32[] parameter(1)
      i = s32[] parameter(2)
      j = s32[] parameter(3)
      ROOT c = pred[] compare(a, b), direction={}{} }}
    ENTRY main {{ x = f32[2,6] constant({{{{ 3, -0, 7, 0, 7, nan }}, {{ -inf, 1, inf, 1, -nan, 2 }}}})
      places = s32[2,6] {}
      sorted = (f32[2,6], s32[2,6]) sort(x, places), dimensions={{1}}, is_stable=true, to_apply=before
      values = f32[2,6] get-tuple-element(sorted), index=0
      numbers = s32[2,6] get-tuple-element(sorted), index=1
      some = f32[2,4] slice(values), slice={{[0:2], [{}:{}]}}
      where = s32[2,4] slice(numbers), slice={{[0:2], [0:4]}}
      ROOT r = (f32[2,4], s32[2,4]) tuple(some, where) }})",
                     direction, type, places, start, start + 4);
}

class FirstSorted : public testing::TestWithParam<const char*> {};

TEST_P(FirstSorted, IsSelectedWithTheSameResult) {
  const std::string text = Program(GetParam(), ", type=TOTALORDER", 0);
  ir::Module given = Parse(text), module = After(text, SelectFirstSorted);
  EXPECT_EQ(Count(module, ir::Opcode::kSort), 0);
  EXPECT_EQ(Count(module, ir::Opcode::kTopK), 1);
  const ir::Literal expected = interp::Evaluate(given, {}).value(), actual = interp::Evaluate(module, {}).value();
  for (size_t leaf = 0; leaf < 2; ++leaf)
    EXPECT_TRUE(std::ranges::equal(actual.elements()[leaf].bytes(), expected.elements()[leaf].bytes())) << leaf;
}

INSTANTIATE_TEST_SUITE_P(BothOrders, FirstSorted, testing::Values("GT", "LT"));

TEST(SelectFirstSorted, LeavesSortsWhoseLastElementsAreUsed) {
  ir::Module module = Parse(Program("GT", ", type=TOTALORDER", 2));
  EXPECT_FALSE(RunPass(module, SelectFirstSorted));
}

TEST(SelectFirstSorted, PlacesMayBeConstants) {
  ir::Module module =
      Parse(Program("GT", ", type=TOTALORDER", 0, "constant({ { 0, 1, 2, 3, 4, 5 }, { 0, 1, 2, 3, 4, 5 } })"));
  EXPECT_TRUE(RunPass(module, SelectFirstSorted));
  module = Parse(Program("GT", ", type=TOTALORDER", 0, "constant({ { 0, 1, 2, 3, 4, 5 }, { 0, 1, 2, 3, 5, 4 } })"));
  EXPECT_FALSE(RunPass(module, SelectFirstSorted));
}

// Where NaN stands among numbers is then up to the sort.
TEST(SelectFirstSorted, LeavesComparatorsThatAreNoOrder) {
  ir::Module module = Parse(Program("GT", "", 0));
  EXPECT_FALSE(RunPass(module, SelectFirstSorted));
}

}  // namespace
}  // namespace stead::passes
