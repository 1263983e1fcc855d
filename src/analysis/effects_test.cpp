// Which bytes ops read and write, and which of those meet.
#include "analysis/effects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/index_value.h"
#include "frontend/hlo_text/parser.h"

namespace stead::analysis {
namespace {

// The entry of a program with an array x of 8 rows of 4 numbers, numbers i and j, and these lines.
ir::Module Program(const std::string& lines) {
  std::string text = fmt::format(
      "HloModule m\n\nreplace {{\n  a = s32[] parameter(0)\n  ROOT b = s32[] parameter(1)\n}}\n\nENTRY main {{\n"
      "  x = s32[8,4] parameter(0)\n  i = s32[] parameter(1)\n  j = s32[] parameter(2)\n  zero = s32[] constant(0)\n"
      "  one = s32[] constant(1)\n  row = s32[1,4] parameter(3)\n  rows = s32[2,4] parameter(4)\n{}"
      "  ROOT t = () tuple()\n}}\n",
      lines);
  auto module = frontend::ParseHloText(text, "test");
  STEAD_CHECK(module.ok(), module.ok() ? "" : module.error().ToString());
  return std::move(*module);
}

ir::InstrId Named(const ir::Module& module, std::string_view name) {
  for (ir::InstrId id : module.entry_computation().instructions) {
    if (module.instruction(id).name == name) return id;
  }
  return {};
}

Footprint ReadOf(const ir::Module& module, std::string_view name) {
  return EffectsOf(module, Named(module, name)).reads.at(0).bytes;
}

Footprint WrittenBy(const ir::Module& module, std::string_view name) {
  return EffectsOf(module, Named(module, name)).ties.at(0).written;
}

// `bytes` bytes from `start` on.
Footprint BytesFrom(int64_t start, int64_t bytes) { return Footprint::Of({.start = start, .bytes = bytes}); }

TEST(Effects, ASliceReadsEveryOtherRow) {
  ir::Module module = Program(
      "  even = s32[4,4] slice(x), slice={[0:8:2], [0:4]}\n  odd = s32[4,4] slice(x), slice={[1:8:2], [0:4]}\n"
      "  last = s32[1,4] slice(x), slice={[7:8], [0:4]}\n");
  EXPECT_EQ(ReadOf(module, "even"), Footprint::Of({.start = 0, .bytes = 16, .axes = {{32, 4}}}));
  EXPECT_TRUE(Disjoint(ReadOf(module, "even"), ReadOf(module, "odd")));
  EXPECT_FALSE(Disjoint(ReadOf(module, "last"), ReadOf(module, "odd")));
}

TEST(Effects, AFlatSliceIsRowsOfTheArray) {
  ir::Module module = Program(
      "  flat = s32[32] reshape(x)\n  piece = s32[6] slice(flat), slice={[10:16]}\n"
      "  second = s32[1,4] slice(x), slice={[2:3], [0:4]}\n  fourth = s32[1,4] slice(x), slice={[4:5], [0:4]}\n");
  EXPECT_EQ(ReadOf(module, "piece"), BytesFrom(40, 24));
  EXPECT_FALSE(Disjoint(ReadOf(module, "piece"), ReadOf(module, "second")));
  EXPECT_TRUE(Disjoint(ReadOf(module, "piece"), ReadOf(module, "fourth")));
}

TEST(Effects, WindowsAtOneUnknownPlaceAreComparedThere) {
  ir::Module module = Program(
      "  next = s32[] add(i, one)\n  left = s32[1,2] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,2}\n"
      "  two = s32[] constant(2)\n  right = s32[1,2] dynamic-slice(x, i, two), dynamic_slice_sizes={1,2}\n"
      "  other = s32[1,2] dynamic-slice(x, j, zero), dynamic_slice_sizes={1,2}\n"
      "  below = s32[1,2] dynamic-slice(x, next, zero), dynamic_slice_sizes={1,2}\n");
  EXPECT_TRUE(Disjoint(ReadOf(module, "left"), ReadOf(module, "right")));
  EXPECT_FALSE(Disjoint(ReadOf(module, "left"), ReadOf(module, "other")));
  EXPECT_TRUE(Disjoint(ReadOf(module, "other"), ReadOf(module, "right"))) << "columns 0 and 1, and 2 and 3";
  // At the last row both are moved to the same place.
  EXPECT_FALSE(Disjoint(ReadOf(module, "left"), ReadOf(module, "below")));
}

TEST(Effects, AGatherReadsTheRowsOfItsConstant) {
  ir::Module module = Program(
      "  at = s32[3,1] constant({{1}, {9}, {-2}})\n"
      "  got = s32[3,4] gather(x, at), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,4}\n");
  // 9 is moved to row 7, -2 to row 0.
  Footprint rows = BytesFrom(0, 32);
  rows.Include(BytesFrom(112, 16));
  EXPECT_EQ(ReadOf(module, "got"), rows);
}

TEST(Effects, AScatterWritesTheRowsOfItsConstantThatAreInside) {
  ir::Module module = Program(
      "  at = s32[2,1] constant({{3}, {9}})\n"
      "  put = s32[8,4] scatter(x, at, rows), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=replace\n");
  EXPECT_EQ(WrittenBy(module, "put"), BytesFrom(48, 16));
}

TEST(Effects, IndicesAlongAnotherDimensionAndOfTwoNumbers) {
  ir::Module module = Program(
      "  at = s32[2,3] constant({{1, 2, 6}, {0, 3, 1}})\n"
      "  got = s32[3] gather(x, at), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
      "index_vector_dim=0, slice_sizes={1,1}\n"
      "  from = s32[4,1] iota(), iota_dimension=0\n"
      "  first = s32[4,4] gather(x, from), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,4}\n");
  Footprint elements = BytesFrom(16, 4);   // 1, 0
  elements.Include(BytesFrom(4 * 11, 4));  // 2, 3
  elements.Include(BytesFrom(4 * 25, 4));  // 6, 1
  EXPECT_TRUE(Covers(elements, ReadOf(module, "got")));
  EXPECT_TRUE(Covers(ReadOf(module, "got"), elements));
  EXPECT_EQ(ReadOf(module, "first"), BytesFrom(0, 64));
}

// What is gathered from a row of `elements` numbers at the indices `at`, which these lines make.
Footprint GatheredAt(int64_t elements, int64_t count, const std::string& lines) {
  return ReadOf(
      Program(fmt::format(
          "  many = s32[{0}] iota(), iota_dimension=0\n{2}  got = s32[{1}] gather(many, at), offset_dims={{}}, "
          "collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1}}\n",
          elements, count, lines)),
      "got");
}

TEST(Effects, EvenlySpacedIndicesOfAnyNumber) {
  const Footprint every_third = Footprint::Of({.start = 8, .bytes = 4, .axes = {{12, 5000}}});
  const std::string ramp =
      "  n = s32[5000] iota(), iota_dimension=0\n  three = s32[] constant(3)\n  threes = s32[5000] broadcast(three), "
      "dimensions={}\n"
      "  far = s32[5000] multiply(n, threes)\n  two = s32[] constant(2)\n  twos = s32[5000] broadcast(two), "
      "dimensions={}\n"
      "  index = s32[5000] add(far, twos)\n";
  const std::string as_vectors = "  at = s32[5000,1] reshape(index)\n";
  EXPECT_EQ(GatheredAt(20000, 5000, ramp + as_vectors), every_third);
  // Index 14999 is outside, and is moved inside.
  EXPECT_TRUE(GatheredAt(14999, 5000, ramp + as_vectors).whole);
  // Negative ones would be counted from the end; there are none.
  const std::string wrapped =
      "  zero.1 = s32[5000] broadcast(zero), dimensions={}\n  below = pred[5000] compare(index, zero.1), direction=LT\n"
      "  end = s32[] constant(20000)\n  ends = s32[5000] broadcast(end), dimensions={}\n  late = s32[5000] add(index, "
      "ends)\n"
      "  right = s32[5000] select(below, late, index)\n  at = s32[5000,1] reshape(right)\n";
  EXPECT_EQ(GatheredAt(20000, 5000, ramp + wrapped), every_third);
  const std::string backwards =
      "  top = s32[] constant(14999)\n  tops = s32[5000] broadcast(top), dimensions={}\n  falls = s32[5000] "
      "subtract(tops, far)\n"
      "  at = s32[5000,1] reshape(falls)\n";
  EXPECT_EQ(GatheredAt(20000, 5000, ramp + backwards), every_third);
  const std::string half = "  half = s32[2500] slice(index), slice={[1:5000:2]}\n  at = s32[2500,1] reshape(half)\n";
  EXPECT_EQ(GatheredAt(20000, 2500, ramp + half), Footprint::Of({.start = 20, .bytes = 4, .axes = {{24, 2500}}}));
}

TEST(Effects, IndicesThatAreNotEvenlySpaced) {
  // 50 * 3 does not fit in eight bits.
  const std::string narrow =
      "  n = s8[100] iota(), iota_dimension=0\n  three = s8[] constant(3)\n  threes = s8[100] broadcast(three), "
      "dimensions={}\n"
      "  far = s8[100] multiply(n, threes)\n  at = s8[100,1] reshape(far)\n";
  EXPECT_TRUE(GatheredAt(1000, 100, narrow).whole);
  const std::string squares =
      "  n = s32[2000] iota(), iota_dimension=0\n  square = s32[2000] multiply(n, n)\n  at = s32[2000,1] "
      "reshape(square)\n";
  EXPECT_TRUE(GatheredAt(4000000, 2000, squares).whole);
  // Rows of four indices that each start two after those before.
  const std::string rows =
      "  n = s32[500] iota(), iota_dimension=0\n  two = s32[] constant(2)\n  twos = s32[500] broadcast(two), "
      "dimensions={}\n"
      "  start = s32[500] multiply(n, twos)\n  starts = s32[500,4] broadcast(start), dimensions={0}\n"
      "  k = s32[500,4] iota(), iota_dimension=1\n  each = s32[500,4] add(starts, k)\n  at = s32[2000,1] "
      "reshape(each)\n";
  EXPECT_TRUE(GatheredAt(4000, 2000, rows).whole);
}

TEST(Effects, AGridOfIndices) {
  ir::Module module = Program(
      "  wide = s32[100,100] iota(), iota_dimension=0\n  r = s32[50,30,1] iota(), iota_dimension=0\n"
      "  c = s32[50,30,1] iota(), iota_dimension=1\n  three = s32[] constant(3)\n"
      "  threes = s32[50,30,1] broadcast(three), dimensions={}\n  cs = s32[50,30,1] multiply(c, threes)\n"
      "  at = s32[50,30,2] concatenate(r, cs), dimensions={2}\n"
      "  got = s32[50,30] gather(wide, at), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
      "index_vector_dim=2, slice_sizes={1,1}\n");
  EXPECT_EQ(ReadOf(module, "got"), Footprint::Of({.start = 0, .bytes = 4, .axes = {{400, 50}, {12, 30}}}));
}

// Two fusions of one computation, one inside the operands of the other: the parameter that is read last is the outer one's.
TEST(Effects, EvenlySpacedIndicesThroughFusions) {
  auto module = frontend::ParseHloText(R"(HloModule m
scaled {
  p = s32[2000] parameter(0)
  q = s32[2000] parameter(1)
  ROOT sum = s32[2000] add(p, q)
}
ENTRY main {
  x = s32[9000] parameter(0)
  n = s32[2000] iota(), iota_dimension=0
  one = s32[] constant(1)
  ones = s32[2000] broadcast(one), dimensions={}
  inner = s32[2000] fusion(n, ones), kind=kLoop, calls=scaled
  outer = s32[2000] fusion(inner, n), kind=kLoop, calls=scaled
  at = s32[2000,1] reshape(outer)
  ROOT got = s32[2000] gather(x, at), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
})",
                                       "test");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(ReadOf(*module, "got"), Footprint::Of({.start = 4, .bytes = 4, .axes = {{8, 2000}}}));
}

TEST(Effects, UnknownIndicesMayBeAnywhere) {
  ir::Module module = Program(
      "  ids = s32[2,1] broadcast(i), dimensions={}\n"
      "  got = s32[2,4] gather(x, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,4}\n");
  EXPECT_TRUE(ReadOf(module, "got").whole);
}

// Whether the fusion of `body` may write over its operand, an array of 6 bytes.
bool MayBuildInOperand(const std::string& body) {
  ir::Module module = frontend::ParseHloText(R"(HloModule m
    fused {
      p = u8[6] parameter(0)
      )" + body + R"( }
    ENTRY main {
      x = u8[6] parameter(0)
      ROOT f = u8[6] fusion(x), kind=kLoop, calls=fused
    })",
                                             "test.hlo")
                          .value();
  return !EffectsOf(module, Named(module, "f")).ties.empty();
}

TEST(Effects, BytesMayBeTakenApartInPlace) {
  EXPECT_TRUE(MayBuildInOperand(R"(parts = s4[6,2] bitcast-convert(p)
      line = s4[12] reshape(parts)
      negated = s4[12] negate(line)
      joined = s4[6,2] reshape(negated)
      ROOT r = u8[6] bitcast-convert(joined))"));
  // Element k comes from other bytes than byte k.
  EXPECT_FALSE(MayBuildInOperand(R"(parts = s4[6,2] bitcast-convert(p)
      line = s4[12] reshape(parts)
      backwards = s4[12] reverse(line), dimensions={0}
      joined = s4[6,2] reshape(backwards)
      ROOT r = u8[6] bitcast-convert(joined))"));
  // Bytes 2k and 2k + 1 meet in one byte on the way.
  EXPECT_FALSE(MayBuildInOperand(R"(small = u4[6] convert(p)
      pairs = u4[3,2] reshape(small)
      half = u8[3] bitcast-convert(pairs)
      parts = u4[3,2] bitcast-convert(half)
      line = u4[6] reshape(parts)
      ROOT r = u8[6] convert(line))"));
}

TEST(IndexValue, SumsAndProductsOfOneNumber) {
  ir::Module module = Program(
      "  three = s32[] constant(3)\n  a = s32[] multiply(i, three)\n  b = s32[] subtract(a, one)\n"
      "  c = s32[] negate(b)\n  d = s32[] add(i, j)\n  wide = s64[] convert(i)\n");
  IndexValue value = IndexValueOf(module, Named(module, "c"));
  EXPECT_EQ(value.value, Named(module, "i"));
  EXPECT_EQ(value.factor, -3);
  EXPECT_EQ(value.addend, 1);
  EXPECT_EQ(IndexValueOf(module, Named(module, "d")).value, Named(module, "d"));
  EXPECT_EQ(IndexValueOf(module, Named(module, "wide")).value, Named(module, "wide"));
}

}  // namespace
}  // namespace stead::analysis
