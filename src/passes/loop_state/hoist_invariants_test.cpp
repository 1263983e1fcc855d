#include "passes/loop_state/hoist_invariants.h"

#include <fmt/format.h>

#include <string>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// Three times h = body(h, w); what a test changes is how `next` is made of h and w.
std::string LoopText(const std::string& lines, const std::string& more_of_root = "") {
  return fmt::format(R"(HloModule m
add {{ a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }}
cond {{ s = (s32[], f32[4,4], f32[4]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(t, n), direction=LT }}
body {{ s = (s32[], f32[4,4], f32[4]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  w = f32[4,4] get-tuple-element(s), index=1
  h = f32[4] get-tuple-element(s), index=2
  one = s32[] constant(1)
  after = s32[] add(t, one)
  tenth = f32[] constant(0.1)
  small = f32[4,4] broadcast(tenth), dimensions={{}}
  zero = f32[] constant(0)
  {}
  ROOT r = (s32[], f32[4,4], f32[4]) tuple(after, {}, next) }}
ENTRY main {{ w = f32[4,4] parameter(0)
  h = f32[4] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[4,4], f32[4]) tuple(zero, w, h)
  loop = (s32[], f32[4,4], f32[4]) while(init), condition=cond, body=body
  w.last = f32[4,4] get-tuple-element(loop), index=1
  h.last = f32[4] get-tuple-element(loop), index=2
  ROOT r = (f32[4,4], f32[4]) tuple(w.last, h.last) }}
)",
                     lines, more_of_root.empty() ? "w" : more_of_root);
}

bool IsInEntry(const ir::Module& module, Opcode opcode) {
  const auto& list = module.entry_computation().instructions;
  return std::ranges::any_of(list, [&](ir::InstrId id) { return module.instruction(id).opcode == opcode; });
}

TEST(HoistInvariants, WhatAProductNeedsInMemory) {
  ir::Module module = After(LoopText("v = f32[4,4] multiply(w, small)\n"
                                     "  next = f32[4] dot(v, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                            HoistInvariants);
  EXPECT_TRUE(IsInEntry(module, Opcode::kMultiply));
  EXPECT_EQ(Count(module, Opcode::kMultiply), 1);
}

TEST(HoistInvariants, WhatIsDearAndReductions) {
  for (const char* const made :
       {"e = f32[4,4] exponential(w)\n  v = f32[4] reduce(e, zero), dimensions={0}, to_apply=add",
        "v = f32[4] reduce(w, zero), dimensions={0}, to_apply=add"}) {
    ir::Module module = After(LoopText(std::string(made) + "\n  next = f32[4] add(h, v)"), HoistInvariants);
    EXPECT_TRUE(IsInEntry(module, Opcode::kReduce)) << made;
    EXPECT_EQ(Count(module, Opcode::kReduce), 1) << made;
  }
}

void ExpectLeft(const std::string& text) {
  ir::Module module = Parse(text);
  EXPECT_FALSE(RunPass(module, HoistInvariants)) << text;
}

TEST(HoistInvariants, LeavesWhatIsMadeWhereItIsUsed) {
  ExpectLeft(
      LoopText("v = f32[4,4] add(w, small)\n  row = f32[1,4] slice(v), slice={[0:1],[0:4]}\n"
               "  flat = f32[4] reshape(row)\n  next = f32[4] add(h, flat)"));
  ExpectLeft(
      LoopText("v = f32[4,4] transpose(w), dimensions={1,0}\n"
               "  next = f32[4] dot(v, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
}

TEST(HoistInvariants, LeavesWhatChanges) {
  const std::string product = "\n  next = f32[4] dot(v, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  ExpectLeft(LoopText("v = f32[4,4] multiply(w, small)" + product, "v"));
  ExpectLeft(LoopText(
      "f = f32[] convert(t)\n  b = f32[4,4] broadcast(f), dimensions={}\n  v = f32[4,4] multiply(w, b)" + product));
}

TEST(HoistInvariants, LeavesWhatStandsBehindABarrier) {
  ExpectLeft(
      LoopText("held = f32[4,4] opt-barrier(w)\n  v = f32[4,4] multiply(held, small)\n"
               "  next = f32[4] dot(v, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
}

TEST(HoistInvariants, OutOfNestedLoops) {
  ir::Module module = After(R"(HloModule m
cond { s = (s32[], f32[4,4], f32[4]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(t, n), direction=LT }
body { s = (s32[], f32[4,4], f32[4]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  w = f32[4,4] get-tuple-element(s), index=1
  h = f32[4] get-tuple-element(s), index=2
  one = s32[] constant(1)
  after = s32[] add(t, one)
  v = f32[4,4] multiply(w, w)
  next = f32[4] dot(v, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (s32[], f32[4,4], f32[4]) tuple(after, w, next) }
outer.cond { s = (s32[], f32[4,4], f32[4]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  n = s32[] constant(2)
  ROOT c = pred[] compare(t, n), direction=LT }
outer { s = (s32[], f32[4,4], f32[4]) parameter(0)
  t = s32[] get-tuple-element(s), index=0
  w = f32[4,4] get-tuple-element(s), index=1
  h = f32[4] get-tuple-element(s), index=2
  one = s32[] constant(1)
  zero = s32[] constant(0)
  after = s32[] add(t, one)
  init = (s32[], f32[4,4], f32[4]) tuple(zero, w, h)
  loop = (s32[], f32[4,4], f32[4]) while(init), condition=cond, body=body
  last = f32[4] get-tuple-element(loop), index=2
  ROOT r = (s32[], f32[4,4], f32[4]) tuple(after, w, last) }
ENTRY main { w = f32[4,4] parameter(0)
  h = f32[4] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[4,4], f32[4]) tuple(zero, w, h)
  loop = (s32[], f32[4,4], f32[4]) while(init), condition=outer.cond, body=outer
  ROOT r = f32[4] get-tuple-element(loop), index=2 }
)",
                            HoistInvariants);
  EXPECT_TRUE(IsInEntry(module, Opcode::kMultiply));
  EXPECT_EQ(Count(module, Opcode::kMultiply), 1);
}

}  // namespace
}  // namespace stead::passes
