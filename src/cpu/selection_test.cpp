// Reductions that select, as the place of the largest element: along rows, columns and both.
#include <limits>
#include <span>

#include "cpu/testing.h"

namespace stead::cpu {
namespace {

// The place of the largest element, the first of several; NaN counts as the largest. As JAX writes it.
std::string ArgMax(const std::string& type, const std::string& sizes, int64_t iota_dimension,
                   const std::string& reduced, const std::string& result, const std::string& least) {
  return fmt::format(R"(HloModule m
c {{
  x = {0}[] parameter(0)
  i = s32[] parameter(1)
  y = {0}[] parameter(2)
  j = s32[] parameter(3)
  larger = pred[] compare(x, y), direction=GT
  nan = pred[] compare(x, x), direction=NE
  value = pred[] or(larger, nan)
  equal = pred[] compare(x, y), direction=EQ
  first = pred[] compare(i, j), direction=LT
  tie = pred[] and(equal, first)
  place = pred[] or(value, tie)
  v = {0}[] select(value, x, y)
  k = s32[] select(place, i, j)
  ROOT t = ({0}[], s32[]) tuple(v, k)
}}
ENTRY e {{
  a = {0}[{1}] parameter(0)
  n = s32[{1}] iota(), iota_dimension={2}
  l = {0}[] constant({5})
  z = s32[] constant(0)
  ROOT r = ({0}[{4}], s32[{4}]) reduce(a, n, l, z), dimensions={{{3}}}, to_apply=c
}}
)",
                     type, sizes, iota_dimension, reduced, result, least);
}

TEST(Selection, RowsOfEveryLength) {
  for (const char* const length : {"1", "2", "7", "8", "15", "16", "17", "33", "100", "257"}) {
    ExpectSame(ArgMax("f32", fmt::format("5,{}", length), 1, "1", "5", "-inf"));
    ExpectSame(ArgMax("s32", fmt::format("5,{}", length), 1, "1", "5", "-2147483648"));
  }
}

TEST(Selection, TypesAndDimensions) {
  for (const std::string type : {"f64", "bf16", "f16"}) ExpectSame(ArgMax(type, "6,50", 1, "1", "6", "-inf"));
  // Few different values: ties everywhere.
  ExpectSame(ArgMax("s8", "6,50", 1, "1", "6", "-128"));
  ExpectSame(ArgMax("u8", "6,50", 1, "1", "6", "0"));
  ExpectSame(ArgMax("f32", "6,50", 0, "0", "50", "-inf"));
  ExpectSame(ArgMax("f32", "4,6,50", 1, "1,2", "4", "-inf"));
  ExpectSame(ArgMax("f32", "4,6,50", 2, "0,2", "6", "-inf"));
  ExpectSame(ArgMax("f32", "300", 0, "0", "", "-inf"));
}

// The place of the first NaN, wherever the others are.
TEST(Selection, SeveralNaN) {
  constexpr int64_t kRows = 40, kColumns = 100;
  const ir::Module module = Parse(ArgMax("f32", "40,100", 1, "1", "40", "-inf"));
  ir::Literal array = ir::Literal::Zeros(ir::Shape::Array(ir::ElementType::kF32, {kRows, kColumns}));
  const std::span<float> elements = array.mutable_data<float>();
  // Row r holds NaN from place 2 r on, every 3 r + 1 places; the last row none.
  for (int64_t row = 0; row + 1 < kRows; ++row) {
    for (int64_t column = 2 * row; column < kColumns; column += 3 * row + 1)
      elements[row * kColumns + column] = std::numeric_limits<float>::quiet_NaN();
  }
  elements[(kRows - 1) * kColumns + 61] = 5;
  const std::vector<ir::Literal> results = RunOnMachine(module, {array});
  ASSERT_EQ(results.size(), 2u);
  for (int64_t row = 0; row + 1 < kRows; ++row) EXPECT_EQ(results[1].AsInteger(row), 2 * row);
  EXPECT_EQ(results[1].AsInteger(kRows - 1), 61);
  EXPECT_EQ(results[0].AsDouble(kRows - 1), 5);
}

}  // namespace
}  // namespace stead::cpu
