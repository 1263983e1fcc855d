#include "passes/loop_state/known_state.h"

#include <fmt/format.h>

#include <string>

#include "passes/cleanup/dead_code.h"
#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

// A loop over rows of an array `fill` that it hands on as `next_fill`; `term` says what it adds to its sum.
std::string RowsOfFill(std::string_view next_fill, std::string_view term) {
  return fmt::format(R"(HloModule m
cond {{ s = (s32[], f32[3], f32[4,3], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=3
  ROOT c = pred[] compare(i, n), direction=LT }}
body {{ s = (s32[], f32[3], f32[4,3], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  fill = f32[4,3] get-tuple-element(s), index=2
  n = s32[] get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  next_i = s32[] add(i, one)
  row = f32[1,3] dynamic-slice(fill, i, zero), dynamic_slice_sizes={{1,3}}
  flat = f32[3] reshape(row)
  twice = f32[4,3] add(fill, fill)
  square = f32[3,3] dot(fill, fill), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}
  corner = f32[1,3] slice(square), slice={{[0:1], [0:3]}}
  product = f32[3] reshape(corner)
  next_x = f32[3] add(x, {})
  ROOT r = (s32[], f32[3], f32[4,3], s32[]) tuple(next_i, next_x, {}, n) }}
ENTRY main {{ x = f32[3] parameter(0)
  start = s32[] constant(0)
  end = s32[] constant(4)
  two = f32[] constant(2)
  fill = f32[4,3] broadcast(two), dimensions={{}}
  init = (s32[], f32[3], f32[4,3], s32[]) tuple(start, x, fill, end)
  w = (s32[], f32[3], f32[4,3], s32[]) while(init), condition=cond, body=body
  ROOT r = f32[3] get-tuple-element(w), index=1 }})",
                     term, next_fill);
}

TEST(KnownState, FillsAndConstantsStandInside) {
  ir::Module module = Parse(RowsOfFill("fill", "flat"));
  RunPass(module, RemoveDeadCode);
  RunPass(module, WriteOutKnownState);
  RunPass(module, RemoveDeadCode);
  EXPECT_EQ(Named(module, "w").shape.elements.size(), 2u);
  ExpectSameMeaning(Parse(RowsOfFill("fill", "flat")), module);
}

TEST(KnownState, FillsThatChangeOrMustLieInMemoryStay) {
  for (auto [next, term] : {std::pair("twice", "flat"), std::pair("fill", "product")}) {
    ir::Module module = Parse(RowsOfFill(next, term));
    RunPass(module, RemoveDeadCode);
    RunPass(module, WriteOutKnownState);
    RunPass(module, RemoveDeadCode);
    EXPECT_EQ(Named(module, "w").shape.elements.size(), 3u) << next << " " << term;
    ExpectSameMeaning(Parse(RowsOfFill(next, term)), module);
  }
}

TEST(KnownState, ResultsAreTheStart) {
  std::string text = RowsOfFill("fill", "flat");
  text.replace(text.find("ROOT r = f32[3] get-tuple-element(w), index=1"), 45,
               "ROOT r = f32[4,3] get-tuple-element(w), index=2");
  ir::Module module = Parse(text);
  RunPass(module, RemoveDeadCode);
  RunPass(module, WriteOutKnownState);
  EXPECT_EQ(module.instruction(module.root(module.entry)).opcode, ir::Opcode::kBroadcast);
  ExpectSameMeaning(Parse(text), module);
}

}  // namespace
}  // namespace stead::passes
