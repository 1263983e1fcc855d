// Loops whose operands lie along another dimension than the result, beside the interpreter: whole squares, and what is left over.
#include <algorithm>

#include "cpu/testing.h"

namespace stead::cpu {
namespace {

std::string Turned(const std::string& type, int64_t rows, int64_t columns, const std::string& more,
                   const std::string& root) {
  return fmt::format(R"(HloModule m
fused {{
  x = {0}[{1},{2}] parameter(0)
  y = {0}[{2},{1}] parameter(1)
  t = {0}[{2},{1}] transpose(x), dimensions={{1,0}}
  {3}
  ROOT r = {0}[{2},{1}] {4}
}}
ENTRY e {{
  x = {0}[{1},{2}] parameter(0)
  y = {0}[{2},{1}] parameter(1)
  ROOT r = {0}[{2},{1}] fusion(x, y), kind=kLoop, calls=fused
}}
)",
                     type, rows, columns, more, root);
}

TEST(Transposed, SizesAroundThoseOfSquares) {
  for (int64_t rows : {1, 3, 8, 15, 16, 17, 33, 64}) {
    for (int64_t columns : {1, 7, 16, 31, 32, 70}) ExpectSame(Turned("f32", rows, columns, "", "add(t, y)"));
  }
}

TEST(Transposed, EveryWidthOfElements) {
  for (const std::string type : {"s8", "u8", "bf16", "f16", "s16", "s32", "f64", "s64", "c64", "f8e5m2"})
    ExpectSame(Turned(type, 130, 75, "", "add(t, y)"));
  ExpectSame(Turned("pred", 130, 75, "", "and(t, y)"));
}

TEST(Transposed, SeveralOperandsAndLargerBodies) {
  ExpectSame(Turned("f32", 40, 40, "s = f32[40,40] transpose(y), dimensions={1,0}\n  p = f32[40,40] multiply(t, s)",
                    "subtract(p, y)"));
  std::string chain = "v0 = f32[40,50] add(t, y)\n";
  for (int step = 1; step < 20; ++step) chain += fmt::format("  v{} = f32[40,50] multiply(v{}, t)\n", step, step - 1);
  ExpectSame(Turned("f32", 50, 40, chain, "add(v19, y)"));
}

TEST(Transposed, MoreDimensions) {
  for (const std::string order : {"0,2,3,1", "0,3,1,2", "3,2,1,0", "2,0,3,1"}) {
    std::vector<int64_t> sizes = {5, 18, 20, 33}, turned;
    for (size_t place = 0; place < order.size(); place += 2)
      turned.push_back(sizes[static_cast<size_t>(order[place] - '0')]);
    ExpectSame(fmt::format(R"(HloModule m
ENTRY e {{
  x = f32[5,18,20,33] parameter(0)
  ROOT t = f32[{},{},{},{}] transpose(x), dimensions={{{}}}
}}
)",
                           turned[0], turned[1], turned[2], turned[3], order));
  }
}

// The padding lies outside the operand: no square may read it.
TEST(Transposed, PaddedOnAllSides) {
  ExpectSame(R"(HloModule m
fused {
  x = f32[40,36] parameter(0)
  z = f32[] constant(7)
  p = f32[43,39] pad(x, z), padding=1_2x2_1
  ROOT t = f32[39,43] transpose(p), dimensions={1,0}
}
ENTRY e {
  x = f32[40,36] parameter(0)
  ROOT r = f32[39,43] fusion(x), kind=kLoop, calls=fused
}
)");
}

// Several arrays dealt into one, an element of each in turn: sizes around whole vectors, and numbers of arrays that are not dealt.
TEST(Dealt, ArraysThatAreStacked) {
  for (const std::string type : {"f32", "bf16", "s8", "f64", "u16", "pred", "c64", "f8e5m2"}) {
    for (int64_t count : {1, 3, 16, 31, 130}) {
      const std::string shape = fmt::format("{}[{},5,1]", type, count);
      ExpectSame(fmt::format(R"(HloModule m
ENTRY e {{
  x = {0} parameter(0)
  y = {0} parameter(1)
  ROOT r = {1}[{2},5,2] concatenate(x, y), dimensions={{2}}
}}
)",
                             shape, type, count));
    }
  }
  for (const std::string operands : {"x, y, x, x", "x, y, y", "y, x, x, y, y, x, y, x", "y, x, z", "z, z"}) {
    const int64_t arrays = 1 + std::ranges::count(operands, ',') + std::ranges::count(operands, 'z');
    ExpectSame(fmt::format(R"(HloModule m
fused {{
  a = f32[70] parameter(0)
  b = f32[70] parameter(1)
  x = f32[70,1] reshape(a)
  c = f32[70] multiply(a, b)
  y = f32[70,1] reshape(c)
  z = f32[70,2] concatenate(x, y), dimensions={{1}}
  ROOT r = f32[70,{0}] concatenate({1}), dimensions={{1}}
}}
ENTRY e {{
  x = f32[70] parameter(0)
  y = f32[70] parameter(1)
  ROOT r = f32[70,{0}] fusion(x, y), kind=kLoop, calls=fused
}}
)",
                           arrays, operands));
  }
}

TEST(Dealt, ElementsThatAreRepeated) {
  for (const std::string type : {"f32", "s8", "bf16", "f64", "c64"}) {
    for (int64_t times : {2, 3, 4, 8, 16}) {
      for (int64_t rows : {1, 33}) {
        ExpectSame(fmt::format(R"(HloModule m
fused {{
  x = {0}[{2},47] parameter(0)
  b = {0}[{2},47,{1}] broadcast(x), dimensions={{0,1}}
  ROOT r = {0}[{2},{3}] reshape(b)
}}
ENTRY e {{
  x = {0}[{2},47] parameter(0)
  ROOT r = {0}[{2},{3}] fusion(x), kind=kLoop, calls=fused
}}
)",
                               type, times, rows, 47 * times));
      }
    }
  }
}

// Arrays spread out by interior padding, as scans and the gradients of strided slices make them, and added: one dimension and two,
// rows that end within a group, arrays that begin at another element.
TEST(Dealt, ArraysThatAreSpreadOut) {
  for (const std::string type : {"f32", "s8", "bf16", "c64"}) {
    for (int64_t extent : {40, 65, 258}) {
      for (int64_t phases : {2, 3, 4}) {
        for (const std::string rows : {"", "3,"}) {
          const int64_t elements = (extent - 2 + phases - 1) / phases;
          const std::string operand = fmt::format("{}[{}{}]", type, rows, elements);
          const int64_t rest = extent - 1 - ((elements - 1) * phases + 1);
          const std::string outer = rows.empty() ? "" : "0_0x";
          ExpectSame(fmt::format(R"(HloModule m
fused {{
  x = {0} parameter(0)
  y = {0} parameter(1)
  w = {1}[{2}{3}] parameter(2)
  zero = {1}[] constant(0)
  one = {1}[] constant(1)
  a = {1}[{2}{3}] pad(x, zero), padding={4}0_{5}_{6}
  b = {1}[{2}{3}] pad(y, one), padding={4}1_{7}_{6}
  c = {1}[{2}{3}] add(a, b)
  ROOT r = {1}[{2}{3}] multiply(c, w)
}}
ENTRY e {{
  x = {0} parameter(0)
  y = {0} parameter(1)
  w = {1}[{2}{3}] parameter(2)
  ROOT r = {1}[{2}{3}] fusion(x, y, w), kind=kLoop, calls=fused
}}
)",
                                 operand, type, rows, extent, outer, rest + 1, phases - 1, rest));
        }
      }
    }
  }
}

}  // namespace
}  // namespace stead::cpu
