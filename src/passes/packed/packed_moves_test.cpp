#include "passes/packed/packed_moves.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::ElementType;
using ir::Opcode;

// Ops that move elements below 8 bits, or keep them, as a whole.
int SmallOf(const ir::Module& module, Opcode opcode) {
  return CountIf(module, [&](const ir::Instruction& instruction) {
    return instruction.opcode == opcode && instruction.shape.is_array() &&
           ir::ElementBits(instruction.shape.element_type) < 8;
  });
}

int BytesOf(const ir::Module& module, Opcode opcode) {
  return CountIf(module, [&](const ir::Instruction& instruction) {
    return instruction.opcode == opcode && instruction.shape.is_array() &&
           instruction.shape.element_type == ElementType::kU8;
  });
}

// `op` makes s4[rows, columns] from x, s4[4,6], and y, s4[2,6], both unpacked from bytes; the result is packed again.
ir::Module MovedBy(const std::string& op, int rows, int columns) {
  return After(fmt::format(R"(HloModule m
    take {{ a = s4[] parameter(0)
      ROOT b = s4[] parameter(1) }}
    ENTRY main {{ p = u8[4,3] parameter(0)
      q = u8[2,3] parameter(1)
      i = s32[] parameter(2)
      zero = s32[] constant(0)
      places = s32[2,1] constant({{{{3}}, {{1}}}})
      p2 = s4[4,3,2] bitcast-convert(p)
      q2 = s4[2,3,2] bitcast-convert(q)
      x = s4[4,6] reshape(p2)
      y = s4[2,6] reshape(q2)
      moved = s4[{0},{1}] {3}
      parts = s4[{0},{2},2] reshape(moved)
      ROOT r = u8[{0},{2}] bitcast-convert(parts) }})",
                           rows, columns, columns / 2, op),
               MovePackedBytes);
}

void ExpectOnlyBytes(const ir::Module& module) {
  EXPECT_EQ(Count(module, Opcode::kBitcastConvert), 0) << ir::PrintModule(module);
}

TEST(PackedMoves, WholeBytesAreMoved) {
  ExpectOnlyBytes(MovedBy("slice(x), slice={[1:3], [2:6]}", 2, 4));
  ExpectOnlyBytes(MovedBy("dynamic-slice(x, i, zero), dynamic_slice_sizes={2,6}", 2, 6));
  ExpectOnlyBytes(MovedBy("concatenate(x, y), dimensions={0}", 6, 6));
  ExpectOnlyBytes(MovedBy("reverse(x), dimensions={0}", 4, 6));
  ExpectOnlyBytes(MovedBy("reshape(x)", 2, 12));
  ExpectOnlyBytes(MovedBy("dynamic-update-slice(x, y, i, zero)", 4, 6));
  ExpectOnlyBytes(
      MovedBy("gather(x, places), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
              "index_vector_dim=1, slice_sizes={1,6}",
              2, 6));
  ExpectOnlyBytes(
      MovedBy("scatter(x, places, y), update_window_dims={1}, inserted_window_dims={0}, "
              "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take",
              4, 6));
}

TEST(PackedMoves, PartsOfBytesAreNot) {
  EXPECT_EQ(SmallOf(MovedBy("slice(x), slice={[0:4], [1:5]}", 4, 4), Opcode::kSlice), 1);
  EXPECT_EQ(SmallOf(MovedBy("slice(x), slice={[0:4], [0:4:2]}", 4, 2), Opcode::kSlice), 1);
  EXPECT_EQ(SmallOf(MovedBy("dynamic-slice(x, i, i), dynamic_slice_sizes={4,2}", 4, 2), Opcode::kDynamicSlice), 1);
  EXPECT_EQ(SmallOf(MovedBy("reverse(x), dimensions={1}", 4, 6), Opcode::kReverse), 1);
  EXPECT_EQ(SmallOf(MovedBy("transpose(x), dimensions={1,0}", 6, 4), Opcode::kTranspose), 1);
}

// One element of a row: two bytes at most are taken apart.
TEST(PackedMoves, AnUpdateOfPartOfARowTakesTheBytesAroundIt) {
  constexpr std::string_view kProgram = R"(HloModule m
    ENTRY main { p = u8[4,8] parameter(0)
      u = s4[1,3] parameter(1)
      i = s32[] parameter(2)
      p2 = s4[4,8,2] bitcast-convert(p)
      x = s4[4,16] reshape(p2)
      new = s4[4,16] dynamic-update-slice(x, u, i, i)
      parts = s4[4,8,2] reshape(new)
      ROOT r = u8[4,8] bitcast-convert(parts) })";
  ir::Module module = Parse(kProgram);
  EXPECT_TRUE(RunPass(module, MovePackedBytes));
  EXPECT_EQ(BytesOf(module, Opcode::kDynamicUpdateSlice), 1);
  EXPECT_EQ(Root(module).opcode, Opcode::kDynamicUpdateSlice);
  EXPECT_EQ(Operand(module, Root(module), 1).shape.ToString(false), "u8[1,3]");
  for (unsigned seed = 0; seed < 20; ++seed) ExpectSameMeaning(Parse(kProgram), module, seed);
}

std::string LoopOver(const std::string& next) {
  return R"(HloModule m
    cond { s = (s32[], s4[4,6], s4[6]) parameter(0)
      k = s32[] get-tuple-element(s), index=0
      limit = s32[] constant(3)
      ROOT less = pred[] compare(k, limit), direction=LT }
    body { s = (s32[], s4[4,6], s4[6]) parameter(0)
      k = s32[] get-tuple-element(s), index=0
      x = s4[4,6] get-tuple-element(s), index=1
      row = s4[6] get-tuple-element(s), index=2
      one = s32[] constant(1)
      zero = s32[] constant(0)
      up = s32[] add(k, one)
      line = s4[1,6] reshape(row)
      next = s4[4,6] )" +
         next + R"(
      ROOT t = (s32[], s4[4,6], s4[6]) tuple(up, next, row) }
    ENTRY main { p = u8[4,3] parameter(0)
      row = s4[6] parameter(1)
      zero = s32[] constant(0)
      p2 = s4[4,3,2] bitcast-convert(p)
      x = s4[4,6] reshape(p2)
      t = (s32[], s4[4,6], s4[6]) tuple(zero, x, row)
      w = (s32[], s4[4,6], s4[6]) while(t), condition=cond, body=body
      e = s4[4,6] get-tuple-element(w), index=1
      parts = s4[4,3,2] reshape(e)
      ROOT r = u8[4,3] bitcast-convert(parts) })";
}

TEST(PackedMoves, LoopStateIsKeptAsBytes) {
  ir::Module module = After(LoopOver("dynamic-update-slice(x, line, k, zero)"), MovePackedBytes);
  EXPECT_EQ(Root(module).opcode, Opcode::kGetTupleElement);
  EXPECT_EQ(BytesOf(module, Opcode::kDynamicUpdateSlice), 1);
  EXPECT_EQ(SmallOf(module, Opcode::kDynamicUpdateSlice), 0);
  module = After(LoopOver("add(x, x)"), MovePackedBytes);
  EXPECT_EQ(Root(module).opcode, Opcode::kGetTupleElement);
}

TEST(PackedMoves, LoopStateThatIsMadeFromPartsOfBytesStaysUnpacked) {
  ir::Module module = After(LoopOver("reverse(x), dimensions={1}"), MovePackedBytes);
  EXPECT_EQ(Root(module).opcode, Opcode::kBitcastConvert);
}

}  // namespace
}  // namespace stead::passes
