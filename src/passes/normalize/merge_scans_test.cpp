#include "passes/normalize/merge_scans.h"

#include <fmt/format.h>

#include <string>

#include "passes/cleanup/dead_code.h"
#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// A scan over the five rows of x that stacks 2 * row - carry in y. What a test changes, it names.
struct ScanText {
  std::string header = "buffer_donor={ (0, {}) }";
  std::string index = "iota = s32[] add(t, zero)";  // of the row that is read and written
  std::string read_index = "iota";
  std::string trips = "5";
  std::string results = "y = f32[5,3] get-tuple-element(w), index=2\n  ROOT r = (f32[5,3]) tuple(y)";
  std::string row_use;  // another line of the body

  std::string Text() const {
    return fmt::format(R"(HloModule m, {}
cond {{ s = (s32[], f32[5,3], f32[5,3], f32[1,3]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  n = s32[] constant({})
  ROOT c = pred[] compare(t, n), direction=LT }}
body {{ s = (s32[], f32[5,3], f32[5,3], f32[1,3]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  x = f32[5,3] get-tuple-element(s), index=1
  y = f32[5,3] get-tuple-element(s), index=2
  carry = f32[1,3] get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  four = s32[] constant(4)
  next = s32[] add(t, one)
  {}
  row = f32[1,3] dynamic-slice(x, {}, zero), dynamic_slice_sizes={{1,3}}
  twice = f32[1,3] add(row, row)
  new = f32[1,3] subtract(twice, carry)
  {}
  stacked = f32[5,3] dynamic-update-slice(y, new, iota, zero)
  ROOT r = (s32[], f32[5,3], f32[5,3], f32[1,3]) tuple(next, x, stacked, new) }}
ENTRY main {{ x = f32[5,3] parameter(0)
  c = f32[1,3] parameter(1)
  zero = s32[] constant(0)
  f = f32[] constant(0)
  fill = f32[5,3] broadcast(f), dimensions={{}}
  init = (s32[], f32[5,3], f32[5,3], f32[1,3]) tuple(zero, x, fill, c)
  w = (s32[], f32[5,3], f32[5,3], f32[1,3]) while(init), condition=cond, body=body
  {} }}
)",
                       header, trips, index, read_index, row_use, results);
  }
};

void ExpectMerged(const ScanText& scan) {
  ir::Module module = After(scan.Text(), MergeScans);
  RunPass(module, RemoveDeadCode);
  EXPECT_EQ(Count(module, Opcode::kBroadcast), 0) << "the second array is still filled";
  auto is_array = [](const ir::Instruction& made) { return made.shape.dimensions == ir::Dimensions{5, 3}; };
  EXPECT_EQ(CountIf(module, is_array), 4) << "x, the state, the next state, the result";
}

void ExpectUntouched(const ScanText& scan) {
  ir::Module module = Parse(scan.Text());
  EXPECT_FALSE(RunPass(module, MergeScans)) << scan.Text();
}

TEST(MergeScans, StacksResultsInTheDonatedArray) { ExpectMerged({}); }

TEST(MergeScans, WorksBackwards) { ExpectMerged({.index = "iota = s32[] subtract(four, t)"}); }

TEST(MergeScans, LeavesArraysOfTheCaller) { ExpectUntouched({.header = "is_scheduled=false"}); }

TEST(MergeScans, LeavesRowsThatAreReadInOtherIterations) {
  ExpectUntouched({.read_index = "next"});
  ExpectUntouched({.row_use = "again = f32[1,3] dynamic-slice(x, zero, zero), dynamic_slice_sizes={1,3}\n"
                              "  sum = f32[1,3] add(again, new)\n"
                              "  barrier = f32[1,3] opt-barrier(sum)"});
}

TEST(MergeScans, LeavesLoopsThatDoNotWriteEveryRow) {
  ExpectUntouched({.trips = "4"});
  ExpectUntouched({.index = "iota = s32[] add(t, one)"});
  ExpectUntouched({.index = "iota = s32[] constant(2)"});
}

TEST(MergeScans, LeavesAnArrayThatIsNeededAfterwards) {
  ExpectUntouched({.results =
                       "y = f32[5,3] get-tuple-element(w), index=2\n  x2 = f32[5,3] get-tuple-element(w), index=1\n"
                       "  ROOT r = (f32[5,3], f32[5,3]) tuple(y, x2)"});
  ExpectUntouched(
      {.results = "y = f32[5,3] get-tuple-element(w), index=2\n  ROOT r = (f32[5,3], f32[5,3]) tuple(y, x)"});
}

// A loop over tiles of f32[4,6]: tile t reads x, adds it to itself and writes y. What a test changes, it names.
struct TileText {
  std::string header = "buffer_donor={ (0, {}) }";
  std::string trips = "6";
  std::string row = "tile_row = s32[] divide(t, three)";
  std::string column = "tile_column = s32[] remainder(t, three)";
  std::string start = "fill";  // of y

  std::string Text() const {
    return fmt::format(R"(HloModule m, {}
cond {{ s = (s32[], f32[4,6], f32[4,6]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  n = s32[] constant({})
  ROOT c = pred[] compare(t, n), direction=LT }}
body {{ s = (s32[], f32[4,6], f32[4,6]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  x = f32[4,6] get-tuple-element(s), index=1
  y = f32[4,6] get-tuple-element(s), index=2
  one = s32[] constant(1)
  two = s32[] constant(2)
  three = s32[] constant(3)
  next = s32[] add(t, one)
  {}
  {}
  i = s32[] multiply(tile_row, two)
  j = s32[] multiply(tile_column, two)
  tile = f32[2,2] dynamic-slice(x, i, j), dynamic_slice_sizes={{2,2}}
  twice = f32[2,2] add(tile, tile)
  stored = f32[4,6] dynamic-update-slice(y, twice, i, j)
  ROOT r = (s32[], f32[4,6], f32[4,6]) tuple(next, x, stored) }}
ENTRY main {{ x = f32[4,6] parameter(0)
  zero = s32[] constant(0)
  f = f32[] constant(0)
  fill = f32[4,6] broadcast(f), dimensions={{}}
  init = (s32[], f32[4,6], f32[4,6]) tuple(zero, x, {})
  w = (s32[], f32[4,6], f32[4,6]) while(init), condition=cond, body=body
  ROOT y = f32[4,6] get-tuple-element(w), index=2 }}
)",
                       header, trips, row, column, start);
  }
};

// The update that made y writes into x.
bool WritesOverTiles(const TileText& tiles) {
  ir::Module module = After(tiles.Text(), MergeScans);
  const ir::Instruction& written = Operand(module, Named(module, "stored"), 0);
  return written.As<ir::TupleElementAttributes>().index == 1;
}

TEST(MergeScans, WritesTilesOverThoseThatWereRead) { EXPECT_TRUE(WritesOverTiles({})); }

TEST(MergeScans, LeavesTilesThatTheCallerKeeps) { EXPECT_FALSE(WritesOverTiles({.header = "is_scheduled=false"})); }

TEST(MergeScans, LeavesTilesThatAreTakenTwice) {
  EXPECT_FALSE(WritesOverTiles({.row = "tile_row = s32[] subtract(one, one)"}));
}

TEST(MergeScans, LeavesLoopsThatDoNotWriteEveryTile) { EXPECT_FALSE(WritesOverTiles({.trips = "5"})); }

TEST(MergeScans, TilesThatStartAsTheArrayThatIsReadNeedNotBeAllWritten) {
  EXPECT_TRUE(WritesOverTiles({.trips = "5", .start = "x"}));
}

}  // namespace
}  // namespace stead::passes
