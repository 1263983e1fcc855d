// Sorts, by keys and by comparators that have none, beside the interpreter, which calls the comparator.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

// Rows of a payload sorted by `key` (lines that make l from a and r from b, the left and right element), and the order itself.
std::string SortText(const std::string& type, const std::string& sizes, int64_t dimension, const std::string& root,
                     const std::string& key = "") {
  return fmt::format(R"(HloModule m
before {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  {4}
  ROOT first = pred[] {3}
}}
ENTRY e {{
  x = {0}[{1}] parameter(0)
  n = s32[{1}] iota(), iota_dimension={2}
  ROOT s = ({0}[{1}], s32[{1}]) sort(x, n), dimensions={{{2}}}, is_stable=true, to_apply=before
}}
)",
                     type, sizes, dimension, root, key);
}

// Few different values in many elements, so that equal ones abound: they keep their order.
TEST(Sorting, EveryTypeUpwardsAndDownwards) {
  for (const std::string type : {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
    for (const std::string direction : {"LT", "GT"})
      ExpectSame(SortText(type, "3,300", 1, "compare(a, b), direction=" + direction));
  }
  for (const std::string type : {"f16", "bf16", "f32", "f64", "f8e5m2"}) {
    for (const std::string direction : {"LT", "GT"})
      ExpectSame(SortText(type, "3,300", 1, "compare(a, b), type=TOTALORDER, direction=" + direction));
  }
  ExpectSame(SortText("pred", "300", 0, "compare(a, b), direction=LT"));
}

TEST(Sorting, RowsOfEveryLength) {
  for (const char* const length : {"1", "2", "5", "127", "128", "129", "1000"})
    ExpectSame(SortText("f32", fmt::format("2,{}", length), 1, "compare(a, b), type=TOTALORDER, direction=LT"));
  ExpectSame(SortText("f32", "150,7", 0, "compare(a, b), type=TOTALORDER, direction=LT"));
}

TEST(Sorting, KeysAreMadeFromElements) {
  ExpectSame(SortText("f32", "200", 0, "compare(l, r), type=TOTALORDER, direction=LT",
                      "l = f32[] abs(a)\n  r = f32[] abs(b)"));
  ExpectSame(SortText("s32", "200", 0, "compare(l, r), direction=GT", "l = s32[] negate(a)\n  r = s32[] negate(b)"));
  ExpectSame(SortText("s32", "200", 0, "compare(b, a), direction=LT"));
  ExpectSame(SortText("s32", "200", 0, "compare(i, j), direction=GT"));
}

// What looks like a key and is none.
TEST(Sorting, ComparatorsThatHaveNoKey) {
  ExpectSame(SortText("s32", "200", 0, "compare(a, a), direction=LT"));
  ExpectSame(SortText("f32", "200", 0, "compare(a, b), direction=LT"));
  ExpectSame(SortText("s32", "200", 0, "select(same, later, less)",
                      "same = pred[] compare(a, b), direction=EQ\n  less = pred[] compare(a, b), direction=LT\n"
                      "  later = pred[] compare(i, j), direction=GT"));
}

// Zeros and infinities of both signs, NaN of both signs and several payloads.
TEST(Sorting, TheTotalOrderOfFloats) {
  ExpectSame(R"(HloModule m
before {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT first = pred[] compare(a, b), type=TOTALORDER, direction=LT
}
ENTRY e {
  x = u32[12] constant({0, 2147483648, 2139095040, 4286578688, 2143289344, 4290772992, 2143289345, 1, 2147483649, 1065353216, 3212836864, 4290772993})
  f = f32[12] bitcast-convert(x)
  s = f32[12] sort(f), dimensions={0}, to_apply=before
  ROOT r = u32[12] bitcast-convert(s)
})");
}

}  // namespace
}  // namespace stead::cpu
