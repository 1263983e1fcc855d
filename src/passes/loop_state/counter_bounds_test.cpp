#include "passes/loop_state/counter_bounds.h"

#include <fmt/format.h>

#include <string>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

// i runs from 2 to 8 in steps of 3: 2, 5, 8. The body compares `index` with `limit`.
std::string Comparing(std::string_view index, std::string_view direction, int limit) {
  return fmt::format(R"(HloModule m
cond {{ s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(9)
  ROOT c = pred[] compare(i, n), direction=LT }}
body {{ s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  sum = s32[] get-tuple-element(s), index=1
  three = s32[] constant(3)
  next = s32[] add(i, three)
  two = s32[] constant(2)
  index = s32[] {}
  limit = s32[] constant({})
  test = pred[] compare(index, limit), direction={}
  other = s32[] add(sum, i)
  next_sum = s32[] select(test, other, sum)
  ROOT r = (s32[], s32[]) tuple(next, next_sum) }}
ENTRY main {{ start = s32[] constant(2)
  sum = s32[] parameter(0)
  init = (s32[], s32[]) tuple(start, sum)
  w = (s32[], s32[]) while(init), condition=cond, body=body
  ROOT r = s32[] get-tuple-element(w), index=1 }})",
                     index, limit, direction);
}

TEST(CounterBounds, DecidesWhatIsTheSameInEveryIteration) {
  struct Row {
    const char* index;
    const char* direction;
    int limit;
    bool decided;
  };
  const Row kRows[] = {
      {"copy(i)", "LT", 0, true},          {"copy(i)", "GE", 2, true},           {"copy(i)", "LE", 8, true},
      {"copy(i)", "LT", 8, false},         {"copy(i)", "GT", 2, false},          {"copy(i)", "EQ", 1, true},
      {"copy(i)", "NE", 9, true},          {"copy(i)", "EQ", 5, false},          {"add(i, two)", "LE", 10, true},
      {"subtract(two, i)", "LE", 0, true}, {"subtract(two, i)", "LT", 0, false}, {"multiply(i, two)", "LT", 17, true},
      {"add(i, sum)", "LT", 0, false},
  };
  for (const Row& row : kRows) {
    std::string text = Comparing(row.index, row.direction, row.limit);
    ir::Module module = Parse(text);
    EXPECT_EQ(RunPass(module, DecideCounterBounds), row.decided) << row.index << " " << row.direction << row.limit;
    ExpectSameMeaning(Parse(text), module);
  }
}

}  // namespace
}  // namespace stead::passes
