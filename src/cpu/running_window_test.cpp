// Cumulative sums and the like: windows that grow, in both directions, along every dimension; and windows that only look so.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

struct Case {
  std::string type = "f32", op = "add", initial = "0", sizes = "3,5,37", window;
};

std::string Program(const Case& test) {
  return fmt::format(
      "HloModule m\nc {{\n  x = {0}[] parameter(0)\n  y = {0}[] parameter(1)\n  ROOT z = {0}[] {1}(x, y)\n}}\n"
      "ENTRY e {{\n  a = {0}[{3}] parameter(0)\n  i = {0}[] constant({2})\n"
      "  ROOT r = {0}[{3}] reduce-window(a, i), window={{{4}}}, to_apply=c\n}}\n",
      test.type, test.op, test.initial, test.sizes, test.window);
}

// Windows over 3 x 5 x 37.
const char* const kWindows[] = {
    "size=1x1x37 pad=0_0x0_0x36_0", "size=1x1x37 pad=0_0x0_0x0_36", "size=1x5x1 pad=0_0x4_0x0_0",
    "size=1x5x1 pad=0_0x0_4x0_0",   "size=3x1x1 pad=2_0x0_0x0_0",   "size=3x1x1 pad=0_2x0_0x0_0",
};

TEST(RunningWindow, EveryDimensionAndDirection) {
  for (const std::string window : kWindows) {
    for (const std::string type : {"f32", "f64", "s32", "u8"})
      ExpectSame(Program({.type = type, .window = window}), 1e-5);
    ExpectSame(Program({.op = "multiply", .initial = "1", .window = window}), 1e-4);
    ExpectSame(Program({.op = "maximum", .initial = "-inf", .window = window}));
    ExpectSame(Program({.op = "minimum", .initial = "inf", .window = window}));
    ExpectSame(Program({.type = "s32", .op = "maximum", .initial = "-2147483648", .window = window}));
    ExpectSame(Program({.type = "s8", .op = "minimum", .initial = "127", .window = window}));
    // Each sum is rounded, as everywhere.
    ExpectSame(Program({.type = "bf16", .window = window}), 0);
  }
}

TEST(RunningWindow, OneAndTwoDimensions) {
  ExpectSame(Program({.sizes = "100", .window = "size=100 pad=99_0"}), 1e-5);
  ExpectSame(Program({.sizes = "100", .window = "size=100 pad=0_99"}), 1e-5);
  ExpectSame(Program({.sizes = "40,23", .window = "size=40x1 pad=39_0x0_0"}), 1e-5);
  ExpectSame(Program({.sizes = "40,23", .window = "size=1x23 pad=0_0x22_0"}), 1e-5);
  ExpectSame(Program({.sizes = "1,23", .window = "size=1x23 pad=0_0x22_0"}), 1e-5);
  ExpectSame(Program({.sizes = "100", .window = "size=150 pad=149_0"}), 1e-5);
}

TEST(RunningWindow, WindowsThatOnlyLookLikeIt) {
  // The window is too short or padded on both sides, or two dimensions grow.
  ExpectSame(Program({.sizes = "20", .window = "size=7 pad=6_0"}), 1e-5);
  ExpectSame(Program({.sizes = "20", .window = "size=21 pad=10_10"}), 1e-5);
  ExpectSame(Program({.sizes = "6,5", .window = "size=6x5 pad=5_0x4_0"}), 1e-5);
}

// Padding does not count, whatever the initial value; and a reducer may be anything.
TEST(RunningWindow, InitialValuesAndReducers) {
  for (const std::string window : {"size=20 pad=19_0", "size=20 pad=0_19", "size=7 pad=6_0", "size=21 pad=10_10"}) {
    ExpectSame(Program({.initial = "1", .sizes = "20", .window = window}), 1e-5);
    ExpectSame(Program({.op = "maximum", .initial = "0.5", .sizes = "20", .window = window}));
    ExpectSame(Program({.op = "atan2", .initial = "0.25", .sizes = "20", .window = window}), 1e-5);
  }
  ExpectSame(Program({.op = "subtract", .sizes = "20", .window = "size=20 pad=19_0"}), 1e-5);
}

TEST(RunningWindow, SeveralOperands) {
  for (const std::string window : {"size=9x1 pad=8_0x0_0", "size=1x21 pad=0_0x0_20"}) {
    ExpectSame(fmt::format(R"(HloModule m
c {{
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  y = f32[] parameter(2)
  j = s32[] parameter(3)
  p = pred[] compare(x, y), direction=GE
  v = f32[] select(p, x, y)
  k = s32[] select(p, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k)
}}
ENTRY e {{
  a = f32[9,21] parameter(0)
  b = s32[9,21] parameter(1)
  l = f32[] constant(-inf)
  z = s32[] constant(-1)
  ROOT r = (f32[9,21], s32[9,21]) reduce-window(a, b, l, z), window={{{}}}, to_apply=c
}}
)",
                           window));
  }
}

// A window per element would take minutes.
TEST(RunningWindow, TakesOnePass) {
  ExpectSame(Program({.type = "s32", .sizes = "2000", .window = "size=2000 pad=1999_0"}));
  const ir::Module module = Parse(Program({.type = "s32", .sizes = "3000000", .window = "size=3000000 pad=2999999_0"}));
  ir::Literal ones = ir::Literal::Zeros(ir::Shape::Array(ir::ElementType::kS32, {3000000}));
  for (int32_t& element : ones.mutable_data<int32_t>()) element = 1;
  const std::vector<ir::Literal> sums = RunOnMachine(module, {ones});
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].AsInteger(2999999), 3000000);
}

}  // namespace
}  // namespace stead::cpu
