#include "passes/loop_state/raise_loops.h"

#include <fmt/format.h>

#include <string>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// A loop that makes y[4,6] of x[4,6] in tiles; the body of one iteration is what a test names.
struct LoopText {
  std::string trips = "2";
  std::string starts = "two = s32[] constant(2)\n  row = s32[] multiply(t, two)\n  column = s32[] constant(0)";
  std::string value =
      "read = f32[2,6] dynamic-slice(x, row, column), dynamic_slice_sizes={2,6}\n"
      "  new = f32[2,6] add(read, read)";
  std::string more;  // lines of the body
  std::string next = "tuple(after, x, y.next, k)";

  std::string Text() const {
    return fmt::format(R"(HloModule m
cond {{ s = (s32[], f32[4,6], f32[4,6], f32[6]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  n = s32[] constant({})
  ROOT c = pred[] compare(t, n), direction=LT }}
body {{ s = (s32[], f32[4,6], f32[4,6], f32[6]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  x = f32[4,6] get-tuple-element(s), index=1
  y = f32[4,6] get-tuple-element(s), index=2
  k = f32[6] get-tuple-element(s), index=3
  one = s32[] constant(1)
  after = s32[] add(t, one)
  {}
  {}
  {}
  y.next = f32[4,6] dynamic-update-slice(y, new, row, column)
  ROOT r = (s32[], f32[4,6], f32[4,6], f32[6]) {} }}
ENTRY main {{ x = f32[4,6] parameter(0)
  y = f32[4,6] parameter(1)
  k = f32[6] parameter(2)
  zero = s32[] constant(0)
  init = (s32[], f32[4,6], f32[4,6], f32[6]) tuple(zero, x, y, k)
  w = (s32[], f32[4,6], f32[4,6], f32[6]) while(init), condition=cond, body=body
  count = s32[] get-tuple-element(w), index=0
  source = f32[4,6] get-tuple-element(w), index=1
  made = f32[4,6] get-tuple-element(w), index=2
  ROOT r = (s32[], f32[4,6], f32[4,6]) tuple(count, source, made) }}
)",
                       trips, starts, value, more, next);
  }
};

ir::Module ExpectRaised(const std::string& text) {
  ir::Module module = After(text, RaiseLoops);
  EXPECT_EQ(Count(module, Opcode::kWhile), 0) << text;
  return module;
}

void ExpectLoop(const LoopText& loop) {
  ir::Module module = Parse(loop.Text());
  EXPECT_FALSE(RunPass(module, RaiseLoops)) << loop.Text();
}

TEST(RaiseLoops, ArithmeticOnBlocksIsDoneOnTheWholeArray) {
  ir::Module module = ExpectRaised(LoopText{}.Text());
  const ir::Instruction& result = Root(module);
  EXPECT_EQ(Operand(module, result, 2).opcode, Opcode::kAdd);
  EXPECT_EQ(Operand(module, Operand(module, result, 2), 0).opcode, Opcode::kParameter);
  EXPECT_EQ(Operand(module, result, 0).As<ir::Literal>().AsInteger(0), 2) << "the counter's last value";
}

TEST(RaiseLoops, WritesOverWhatItReads) {
  LoopText loop;
  loop.value =
      "read = f32[2,6] dynamic-slice(y, row, column), dynamic_slice_sizes={2,6}\n"
      "  new = f32[2,6] multiply(read, read)";
  ir::Module module = ExpectRaised(loop.Text());
  const ir::Instruction& made = Operand(module, Root(module), 2);
  EXPECT_EQ(Operand(module, made, 0).As<ir::ParameterAttributes>().number, 1);
}

TEST(RaiseLoops, TilesMayComeInAnyOrder) {
  LoopText loop;
  loop.starts =
      "two = s32[] constant(2)\n  d = s32[] subtract(one, t)\n  row = s32[] multiply(d, two)\n"
      "  column = s32[] constant(0)";
  ExpectRaised(loop.Text());
  loop.trips = "6";
  loop.starts =
      "two = s32[] constant(2)\n  three = s32[] constant(3)\n  down = s32[] remainder(t, two)\n"
      "  row = s32[] multiply(down, two)\n  right = s32[] divide(t, two)\n  column = s32[] multiply(right, two)";
  loop.value =
      "read = f32[2,2] dynamic-slice(x, row, column), dynamic_slice_sizes={2,2}\n"
      "  new = f32[2,2] negate(read)";
  ExpectRaised(loop.Text());
}

TEST(RaiseLoops, RowsMayLoseTheirDimensionOfSizeOne) {
  LoopText loop;
  loop.trips = "4";
  loop.starts = "column = s32[] constant(0)\n  row = s32[] add(t, column)";
  loop.value =
      "read = f32[1,6] dynamic-slice(x, row, column), dynamic_slice_sizes={1,6}\n"
      "  flat = f32[6] reshape(read)\n  sum = f32[6] add(flat, k)\n  new = f32[1,6] reshape(sum)";
  ir::Module module = ExpectRaised(loop.Text());
  EXPECT_EQ(Count(module, Opcode::kBroadcast), 1) << "k along all rows";
}

TEST(RaiseLoops, ElementsMayUseTheirNumber) {
  ir::Module module = ExpectRaised(R"(HloModule m
cond { s = (s32[], f32[5]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(t, n), direction=LT }
body { s = (s32[], f32[5]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  y = f32[5] get-tuple-element(s), index=1
  one = s32[] constant(1)
  after = s32[] add(t, one)
  square = s32[] multiply(t, t)
  number = f32[] convert(square)
  new = f32[1] broadcast(number), dimensions={}
  y.next = f32[5] dynamic-update-slice(y, new, t)
  ROOT r = (s32[], f32[5]) tuple(after, y.next) }
ENTRY main { y = f32[5] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[5]) tuple(zero, y)
  w = (s32[], f32[5]) while(init), condition=cond, body=body
  ROOT made = f32[5] get-tuple-element(w), index=1 }
)");
  EXPECT_EQ(Count(module, Opcode::kIota), 1);
}

TEST(RaiseLoops, ConstantsAndScalarsOfTheLoopAreFilledIn) {
  LoopText loop;
  loop.more =
      "half = f32[] constant(0.5)\n  exact = f32[] add(half, half)\n"
      "  splat = f32[2,6] broadcast(exact), dimensions={}\n  new = f32[2,6] multiply(doubled, splat)";
  loop.value =
      "read = f32[2,6] dynamic-slice(x, row, column), dynamic_slice_sizes={2,6}\n"
      "  doubled = f32[2,6] add(read, read)";
  ExpectRaised(loop.Text());
}

TEST(RaiseLoops, FillsAreRaisedToo) {
  LoopText loop;
  loop.value = "seven = f32[] constant(7)\n  new = f32[2,6] broadcast(seven), dimensions={}";
  ir::Module module = ExpectRaised(loop.Text());
  EXPECT_EQ(Count(module, Opcode::kBroadcast), 1);
}

// Broken on purpose, each in one way.
TEST(RaiseLoops, LeavesWhatTilesDoNotMakeAlone) {
  LoopText loop;
  loop.trips = "1";
  ExpectLoop(loop);  // half of y stays
  loop = {};
  loop.starts = "row = s32[] copy(t)\n  column = s32[] constant(0)";
  ExpectLoop(loop);  // tiles overlap
  loop = {};
  for (const char* array : {"x", "y"}) {  // reads other tiles than it writes; those of y may have been written
    loop.value = fmt::format(
        "other = s32[] subtract(two, row)\n"
        "  read = f32[2,6] dynamic-slice({}, other, column), dynamic_slice_sizes={{2,6}}\n"
        "  new = f32[2,6] negate(read)",
        array);
    ExpectLoop(loop);
  }
  loop = {};
  loop.value =
      "read = f32[2,6] dynamic-slice(x, row, column), dynamic_slice_sizes={2,6}\n"
      "  new = f32[2,6] reverse(read), dimensions={0}";
  ExpectLoop(loop);  // moves elements inside a tile
}

TEST(RaiseLoops, LeavesLoopsThatCarryAValue) {
  LoopText loop;
  loop.more = "k.next = f32[6] add(k, k)";
  loop.next = "tuple(after, x, y.next, k.next)";
  ExpectLoop(loop);
}

TEST(RaiseLoops, LeavesWhatStandsBehindABarrier) {
  LoopText loop;
  loop.value =
      "read = f32[2,6] dynamic-slice(x, row, column), dynamic_slice_sizes={2,6}\n"
      "  sum = f32[2,6] add(read, read)\n  new = f32[2,6] opt-barrier(sum)";
  ExpectLoop(loop);
}

TEST(RaiseLoops, LeavesLoopsWithEffects) {
  LoopText loop;
  loop.more = "told = () custom-call(t), custom_call_target=\"tell\", custom_call_has_side_effect=true";
  ExpectLoop(loop);
}

}  // namespace
}  // namespace stead::passes
