#include "passes/fusion/fusion.h"

#include <fmt/format.h>

#include "analysis/effects.h"
#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

bool HasWindowTie(const ir::Module& module, std::string_view name) {
  for (const analysis::Tie& tie : analysis::EffectsOf(module, Find(module, name)).ties) {
    if (tie.kind == analysis::TieKind::kWindow) return true;
  }
  return false;
}

TEST(Fusion, AChainIsOneLoopWithTheNameOfItsResult) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8] parameter(0)
      y = f32[8] parameter(1)
      c = f32[] constant(2)
      fill = f32[8] broadcast(c), dimensions={}
      e = f32[8] exponential(x)
      s = f32[8] multiply(e, fill)
      ROOT r = f32[8] add(s, y), metadata={source_file="a.py" source_line=3} })",
                            Fuse);
  EXPECT_EQ(Root(module).opcode, Opcode::kFusion);
  EXPECT_EQ(Root(module).name, "r");
  EXPECT_EQ(Root(module).metadata.source_line, 3);
  EXPECT_EQ(Root(module).operands.size(), 2u);
  EXPECT_EQ(module.entry_computation().instructions.size(), 3u);
}

TEST(Fusion, ASharedExpensiveValueIsStoredAndASharedCheapOneIsNot) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8] parameter(0)
      cheap = f32[8] add(x, x)
      dear = f32[8] exponential(cheap)
      a = f32[8] negate(dear)
      b = f32[8] abs(dear)
      c = f32[8] sine(cheap)
      ROOT r = (f32[8], f32[8], f32[8]) tuple(a, b, c) })",
                            Fuse);
  EXPECT_EQ(Count(module, Opcode::kExponential), 1);
  EXPECT_EQ(Count(module, Opcode::kAdd), 2);
  EXPECT_EQ(Count(module, Opcode::kFusion), 2);
}

TEST(Fusion, ASumIsFinishedInTheSameLoop) {
  ir::Module module = After(R"(HloModule m
    plus { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    ENTRY main { x = bf16[7,12] parameter(0)
      wide = f32[7,12] convert(x)
      zero = f32[] constant(0)
      sum = f32[7] reduce(wide, zero), dimensions={1}, to_apply=plus
      twelve = f32[] constant(12)
      fill = f32[7] broadcast(twelve), dimensions={}
      mean = f32[7] divide(sum, fill)
      ROOT r = bf16[7] convert(mean) })",
                            Fuse);
  EXPECT_EQ(module.entry_computation().instructions.size(), 2u);
}

// Each sum would be computed twelve times.
TEST(Fusion, SumsOfAllElementsAreFinishedTogether) {
  ir::Module module = After(R"(HloModule m
    plus { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    ENTRY main { x = f32[7,12] parameter(0)
      y = f32[5] parameter(1)
      zero = f32[] constant(0)
      one = f32[] reduce(x, zero), dimensions={0,1}, to_apply=plus
      other = f32[] reduce(y, zero), dimensions={0}, to_apply=plus
      both = f32[] add(one, other)
      ROOT r = f16[] convert(both) })",
                            Fuse);
  EXPECT_EQ(Root(module).operands.size(), 2u);
  EXPECT_EQ(module.entry_computation().instructions.size(), 3u);
}

// A loop over rows has no vectors for sums of columns.
TEST(Fusion, SumsOfRowsAndOfColumnsAreMadeApart) {
  ir::Module module = After(R"(HloModule m
    plus { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    ENTRY main { x = f32[7,7] parameter(0)
      zero = f32[] constant(0)
      row = f32[7] reduce(x, zero), dimensions={1}, to_apply=plus
      column = f32[7] reduce(x, zero), dimensions={0}, to_apply=plus
      ROOT r = f32[7] add(row, column) })",
                            Fuse);
  const bool one_is_stored =
      (Named(module, "row").computation == module.entry) != (Named(module, "column").computation == module.entry);
  EXPECT_TRUE(one_is_stored);
}

TEST(Fusion, AReductionOfPairsCountsItsPlacesItself) {
  ir::Module module = After(R"(HloModule m
    larger { a = f32[] parameter(0)
      i = s32[] parameter(1)
      b = f32[] parameter(2)
      j = s32[] parameter(3)
      more = pred[] compare(a, b), direction=GT
      c = f32[] select(more, a, b)
      k = s32[] select(more, i, j)
      ROOT pair = (f32[], s32[]) tuple(c, k) }
    ENTRY main { x = f32[7,12] parameter(0)
      places = s32[7,12] iota(), iota_dimension=1
      least = f32[] constant(-inf)
      zero = s32[] constant(0)
      most = (f32[7], s32[7]) reduce(x, places, least, zero), dimensions={1}, to_apply=larger
      ROOT r = s32[7] get-tuple-element(most), index=1 })",
                            Fuse);
  EXPECT_EQ(module.instruction(Find(module, "most")).opcode, Opcode::kFusion);
  EXPECT_EQ(module.instruction(Find(module, "most")).operands.size(), 1u);
}

TEST(Fusion, ASumThatIsSpreadOutAgainIsStored) {
  ir::Module module = After(R"(HloModule m
    plus { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    ENTRY main { x = f32[7,12] parameter(0)
      zero = f32[] constant(0)
      sum = f32[7] reduce(x, zero), dimensions={1}, to_apply=plus
      wide = f32[7,12] broadcast(sum), dimensions={0}
      ROOT r = f32[7,12] divide(x, wide) })",
                            Fuse);
  EXPECT_NE(module.root(module.entry), Find(module, "sum"));
  EXPECT_EQ(Named(module, "sum").computation, module.entry);
}

// Where x may be overwritten by the result it must be: the sums are made before.
TEST(Fusion, ASumOfARowIsSpreadInItsLoopWhereTheArgumentIsKept) {
  const std::string text = R"(
    plus { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    ENTRY main { x = f32[7,64] parameter(0)
      zero = f32[] constant(0)
      sum = f32[7] reduce(x, zero), dimensions={1}, to_apply=plus
      root = f32[7] sqrt(sum)
      wide = f32[7,64] broadcast(root), dimensions={0}
      ROOT r = f32[7,64] divide(x, wide) })";
  EXPECT_EQ(After("HloModule m" + text, Fuse).entry_computation().instructions.size(), 2u);
  ir::Module given = After("HloModule m, buffer_donor={ (0, {}) }" + text, Fuse);
  EXPECT_EQ(Named(given, "sum").computation, given.entry);
}

TEST(Fusion, NothingDearIsRepeatedUnderABroadcast) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8] parameter(0)
      y = f32[100,8] parameter(1)
      e = f32[8] exponential(x)
      n = f32[8] negate(e)
      wide = f32[100,8] broadcast(n), dimensions={1}
      ROOT r = f32[100,8] add(wide, y) })",
                            Fuse);
  const ir::Instruction& stored = module.instruction(Find(module, "e"));
  EXPECT_EQ(stored.computation, module.entry);
  EXPECT_NE(Named(module, "n").computation, module.entry);
}

TEST(Fusion, AReduceTakesItsProducers) {
  ir::Module module = After(R"(HloModule m
    plus { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    ENTRY main { x = f32[8,4] parameter(0)
      zero = f32[] constant(0)
      square = f32[8,4] multiply(x, x)
      ROOT r = f32[4] reduce(square, zero), dimensions={0}, to_apply=plus })",
                            Fuse);
  EXPECT_EQ(Root(module).As<ir::FusionAttributes>().kind, "kInput");
}

TEST(Fusion, AReadOfTheWrittenWindowStaysInPlace) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8,4] parameter(0)
      u = f32[1,4] parameter(1)
      i = s32[] parameter(2)
      zero = s32[] constant(0)
      old = f32[1,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,4}
      new = f32[1,4] add(old, u)
      ROOT r = f32[8,4] dynamic-update-slice(x, new, i, zero) })",
                            Fuse);
  EXPECT_EQ(Root(module).opcode, Opcode::kFusion);
  EXPECT_EQ(module.entry_computation().instructions.size(), 4u);
  EXPECT_TRUE(HasWindowTie(module, "r"));
}

TEST(Fusion, AReadOfAnotherWindowIsStoredFirst) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8,4] parameter(0)
      i = s32[] parameter(1)
      zero = s32[] constant(0)
      other = f32[1,4] slice(x), slice={[2:3], [0:4]}
      two = f32[1,4] add(other, other)
      ROOT r = f32[8,4] dynamic-update-slice(x, two, i, zero) })",
                            Fuse);
  EXPECT_EQ(Named(module, "other").computation, module.entry);
  EXPECT_EQ(Root(module).opcode, Opcode::kFusion);
  EXPECT_TRUE(HasWindowTie(module, "r"));
}

// Where the window starts is computed inside, unless planning may have to compare it with the window of another reader.
TEST(Fusion, AStartThatNobodyComparesIsComputedInside) {
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[8] parameter(0)
      i = s32[] parameter(1)
      v = f32[1] parameter(2)
      one = s32[] constant(1)
      place = s32[] add(i, one)
      new = f32[8] dynamic-update-slice(x, v, place)
      old = f32[1] RESULT, dynamic_slice_sizes={1}
      ROOT r = (f32[8], f32[1]) tuple(new, old) })";
  const auto with = [&](const std::string& result) {
    std::string changed = text;
    changed.replace(changed.find("RESULT"), 6, result);
    return After(changed, Fuse);
  };
  ir::Module alone = with("dynamic-slice(new, i)");
  EXPECT_NE(Named(alone, "place").computation, alone.entry);
  EXPECT_TRUE(HasWindowTie(alone, "new"));
  ir::Module compared = with("dynamic-slice(x, i)");
  EXPECT_EQ(Named(compared, "place").computation, compared.entry);
}

// Rows of a table by numbers that are brought into range first; `donated` is the header's input_output_alias or nothing.
std::string LookupText(std::string_view donated) {
  return fmt::format(R"(HloModule m{}
    ENTRY main {{ table = f32[10,4] parameter(0)
      numbers = s32[3] parameter(1)
      zero = s32[] constant(0)
      zeros = s32[3] broadcast(zero), dimensions={{}}
      inside = s32[3] maximum(numbers, zeros)
      rows = f32[3,4] gather(table, inside), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}},
        index_vector_dim=1, slice_sizes={{1,4}}
      scaled = f32[3,4] negate(rows)
      first = f32[1,4] slice(scaled), slice={{[0:1], [0:4]}}
      new = f32[10,4] dynamic-update-slice(table, first, zero, zero)
      ROOT r = (f32[10,4], f32[3,4]) tuple(new, scaled) }})",
                     donated);
}

TEST(Fusion, ALookupInAnArgumentThatIsKeptIsMadeInTheLoopThatUsesIt) {
  ir::Module module = After(LookupText(""), Fuse);
  EXPECT_NE(Named(module, "inside").computation, module.entry);
  EXPECT_NE(Named(module, "rows").computation, module.entry);
  EXPECT_EQ(Named(module, "rows").computation, Named(module, "inside").computation);
}

// The update waits for the lookup alone, not for what is made of it.
TEST(Fusion, ALookupInAnArgumentThatMayBeOverwrittenStaysWhereItIs) {
  ir::Module module = After(LookupText(", input_output_alias={ {0}: (0, {}, may-alias) }"), Fuse);
  EXPECT_EQ(Named(module, "inside").computation, module.entry);
  EXPECT_EQ(Named(module, "rows").computation, module.entry);
}

TEST(Fusion, AStartOfAReadOfAnArgumentThatIsKeptIsComputedInside) {
  const auto start_in = [](std::string_view donated) {
    ir::Module module = After(fmt::format(R"(HloModule m{}
      ENTRY main {{ x = f32[8] parameter(0)
        i = s32[] parameter(1)
        one = s32[] constant(1)
        place = s32[] add(i, one)
        ROOT r = f32[3] dynamic-slice(x, place), dynamic_slice_sizes={{3}} }})",
                                          donated),
                              Fuse);
    return Named(module, "place").computation != module.entry;
  };
  EXPECT_TRUE(start_in(""));
  EXPECT_FALSE(start_in(", buffer_donor={ (0, {}) }"));
}

// The polynomials of special functions have a hundred steps; what lies between them is not stored.
TEST(Fusion, ALongChainIsOneLoop) {
  std::string text = "HloModule m ENTRY main { x0 = f32[8] parameter(0)\n";
  for (int step = 1; step <= 100; ++step) text += fmt::format("x{} = f32[8] add(x{}, x0)\n", step, step - 1);
  ir::Module module = After(text + "ROOT r = f32[8] negate(x100) }", Fuse);
  EXPECT_EQ(module.entry_computation().instructions.size(), 2u);
}

TEST(Fusion, TheTargetOfAnUpdateIsNotMadeInsideItsLoop) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { u = f32[1,4] parameter(0)
      i = s32[] parameter(1)
      zero = s32[] constant(0)
      fzero = f32[] constant(0)
      fill = f32[8,4] broadcast(fzero), dimensions={}
      n = f32[1,4] negate(u)
      ROOT r = f32[8,4] dynamic-update-slice(fill, n, i, zero) })",
                            Fuse);
  EXPECT_EQ(Named(module, "fill").computation, module.entry);
  EXPECT_TRUE(HasWindowTie(module, "r"));
}

// read = x[0]; z = x.at[0].add(1); the sum of both needs both.
const std::string_view kReadBesideUpdate = R"(HloModule m
    ENTRY main {{ x = f32[8,4] parameter(0)
      u = f32[1,4] parameter(1)
      i = s32[] parameter(2)
      zero = s32[] constant(0)
      read = f32[1,4] dynamic-slice(x, zero, i), dynamic_slice_sizes={{1,4}}
      double = f32[1,4] add(read, read)
      z = f32[8,4] dynamic-update-slice(x, u, i, zero)
      last = f32[1,4] slice({}), slice={{[7:8], [0:4]}}
      sum = f32[1,4] add(double, last)
      ROOT r = (f32[8,4], f32[1,4]) tuple(z, sum) }})";

TEST(Fusion, AReaderDoesNotJoinALoopBehindTheOverwriter) {
  ir::Module module = After(fmt::format(fmt::runtime(kReadBesideUpdate), "z"), Fuse);
  EXPECT_EQ(Named(module, "read").computation, module.entry);
  EXPECT_NE(Named(module, "sum").name, "");
}

TEST(Fusion, AReaderJoinsALoopThatMayRunBeforeTheOverwriter) {
  ir::Module module = After(fmt::format(fmt::runtime(kReadBesideUpdate), "x"), Fuse);
  EXPECT_NE(Named(module, "read").computation, module.entry);
}

TEST(Fusion, AReaderDoesNotJoinALoopThatABarrierPutsBehindTheOverwriter) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8,4] parameter(0)
      u = f32[1,4] parameter(1)
      w = f32[1,4] parameter(2)
      zero = s32[] constant(0)
      read = f32[1,4] slice(x), slice={[0:1], [0:4]}
      z = f32[8,4] dynamic-update-slice(x, u, zero, zero)
      t = (f32[8,4], f32[1,4]) tuple(z, w)
      b = (f32[8,4], f32[1,4]) opt-barrier(t)
      z2 = f32[8,4] get-tuple-element(b), index=0
      w2 = f32[1,4] get-tuple-element(b), index=1
      sum = f32[1,4] add(read, w2)
      ROOT r = (f32[8,4], f32[1,4]) tuple(z2, sum) })",
                            Fuse);
  EXPECT_EQ(Named(module, "read").computation, module.entry);
}

TEST(Fusion, ASmallReadDoesNotSpoilAnElementwiseResult) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8,4] parameter(0)
      row = f32[1,4] slice(x), slice={[0:1], [0:4]}
      flat = f32[4] reshape(row)
      wide = f32[8,4] broadcast(flat), dimensions={1}
      ROOT r = f32[8,4] subtract(x, wide) })",
                            Fuse);
  EXPECT_EQ(Named(module, "row").computation, module.entry);
  bool elementwise = false;
  for (const analysis::Tie& tie : analysis::EffectsOf(module, Find(module, "r")).ties) {
    elementwise |= tie.kind == analysis::TieKind::kElementwise;
  }
  EXPECT_TRUE(elementwise);
}

TEST(Fusion, KeepsControlEdges) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[8] parameter(0)
      y = f32[8] parameter(1)
      first = f32[8] sine(y)
      a = f32[8] negate(x), control-predecessors={first}
      b = f32[8] abs(a)
      ROOT r = (f32[8], f32[8]) tuple(first, b) })",
                            Fuse);
  EXPECT_EQ(Named(module, "b").control_predecessors, std::vector{Find(module, "first")});
}

TEST(Fusion, ReachesIntoLoopBodies) {
  ir::Module module = After(R"(HloModule m
    cond { s = (s32[], f32[3]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)
      ROOT more = pred[] compare(i, n), direction=LT }
    body { t = (s32[], f32[3]) parameter(0)
      j = s32[] get-tuple-element(t), index=0
      one = s32[] constant(1)
      next = s32[] add(j, one)
      v = f32[3] get-tuple-element(t), index=1
      w = f32[3] negate(v)
      z = f32[3] abs(w)
      ROOT y = (s32[], f32[3]) tuple(next, z) }
    ENTRY main { x = f32[3] parameter(0)
      zero = s32[] constant(0)
      a = (s32[], f32[3]) tuple(zero, x)
      ROOT loop = (s32[], f32[3]) while(a), condition=cond, body=body })",
                            Fuse);
  EXPECT_EQ(Count(module, Opcode::kFusion), 1);
}

}  // namespace
}  // namespace stead::passes
