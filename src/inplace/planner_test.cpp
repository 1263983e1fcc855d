// What the planner makes of small programs, one idea each: how many copies, which and why, and in which order things run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "frontend/hlo_text/parser.h"
#include "inplace/plan.h"
#include "ir/verify.h"

namespace stead::inplace {
namespace {

// A plan that was verified and checked.
class Planned {
 public:
  explicit Planned(const std::string& text, const PlanOptions& options = {}) {
    auto module = frontend::ParseHloText(text, "test.hlo");
    if (!module.ok()) throw std::runtime_error(module.error().ToString());
    auto plan = MakePlan(std::move(*module), options);
    if (!plan.ok()) throw std::runtime_error(plan.error().ToString());
    plan_ = std::move(*plan);
    Status verified = ir::VerifyModule(plan_.module);
    EXPECT_TRUE(verified.ok()) << verified.error().ToString();
    Status checked = CheckPlan(plan_);
    EXPECT_TRUE(checked.ok()) << checked.error().ToString();
  }

  const BufferPlan& plan() const { return plan_; }
  // "C02 4, C04 400": reasons and bytes x executions.
  std::string Copies() const {
    std::string text;
    for (const CopyRecord& copy : plan_.copies) {
      text += (text.empty() ? "" : ", ") + std::string(ir::CopyReasonCode(copy.reason)) + " " +
              std::to_string(copy.bytes * copy.executions);
    }
    return text;
  }
  ir::InstrId Named(const std::string& name) const {
    for (size_t number = 0; number < plan_.module.instruction_count(); ++number) {
      ir::InstrId id(number);
      if (!plan_.module.instruction(id).erased && plan_.module.instruction(id).name == name) return id;
    }
    throw std::runtime_error("no instruction " + name);
  }
  bool RunsBefore(ir::InstrId first, ir::InstrId second) const {
    const auto& order = plan_.module.computation(plan_.module.instruction(first).computation).instructions;
    return std::ranges::find(order, first) < std::ranges::find(order, second);
  }
  bool InOneBuffer(const std::string& one, const std::string& other) const {
    return plan_.placements[Named(one)][0].buffer == plan_.placements[Named(other)][0].buffer;
  }
  // "0<-1 1<-0": result leaf and donated parameter leaf.
  std::string Donations() const {
    std::string text;
    for (const Donation& donation : plan_.donations) {
      text += fmt::format("{}{}<-{}", text.empty() ? "" : " ", donation.result_leaf, donation.parameter_leaf);
    }
    return text;
  }

 private:
  BufferPlan plan_;
};

constexpr char kReadThenUpdate[] = R"(HloModule plain, buffer_donor={ (0, {}) }
ENTRY main {
  x = f32[100,100] parameter(0)
  zero = s32[] constant(0)
  one = f32[1,1] constant({ { 1 } })
  new = f32[100,100] dynamic-update-slice(x, one, zero, zero)
  y = f32[1,1] slice(x), slice={[0:1], [0:1]}
  ROOT t = (f32[100,100], f32[1,1]) tuple(new, y)
})";

TEST(Planner, ReadsFirstAndUpdatesInPlace) {
  Planned planned(kReadThenUpdate);
  EXPECT_EQ(planned.Copies(), "");
  EXPECT_EQ(planned.Donations(), "0<-0");
  EXPECT_TRUE(planned.RunsBefore(planned.Named("y"), planned.Named("new")));
  EXPECT_TRUE(planned.InOneBuffer("x", "new"));
  EXPECT_TRUE(planned.plan().module.is_scheduled);
}

// A row of a larger array is a pointer, unless the array changes before the row's last use.
TEST(Planner, PointsToARowThatStays) {
  const std::string text = R"(HloModule m, buffer_donor={ (0, {}) }
ENTRY main {
  x = f32[4,16] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  row = f32[1,16] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,16}
  product = f32[] dot(row, row), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}
  new = f32[4,16] dynamic-update-slice(x, LATE, zero, zero)
  ROOT t = (f32[4,16], f32[]) tuple(new, product)
})";
  auto with = [&](const std::string& update) {
    std::string changed = text;
    changed.replace(changed.find("LATE"), 4, update);
    return changed;
  };
  std::string other = with("other");
  other.insert(other.find("  i = s32"), "  other = f32[1,16] parameter(2)\n");
  Planned stays(other);
  EXPECT_EQ(stays.plan().windows.size(), 1u);
  EXPECT_EQ(stays.plan().arena_bytes, 0);
  // Written back elsewhere in the same array: the row must be there while the array changes.
  Planned changes(with("row"));
  EXPECT_EQ(changes.plan().windows.size(), 0u);
}

// The transpose of a square exchanges its elements in pairs: no second array, also through reshapes and with what is fused.
TEST(Planner, TransposesADonatedSquareInPlace) {
  Planned planned(R"(HloModule m, buffer_donor={ (0, {}) }
fused { p = f32[10000] parameter(0)
  square = f32[100,100] reshape(p)
  twice = f32[100,100] add(square, square)
  turned = f32[100,100] transpose(twice), dimensions={1,0}
  ROOT sum = f32[100,100] add(turned, twice) }
ENTRY main {
  x = f32[10000] parameter(0)
  ROOT made = f32[100,100] fusion(x), kind=kLoop, calls=fused
})");
  EXPECT_EQ(planned.Copies(), "");
  EXPECT_EQ(planned.Donations(), "0<-0");
}

// Other transposes, and reads of the array at a third place, are no exchanges.
TEST(Planner, MakesASecondArrayWhereElementsMoveInLongerCycles) {
  for (const std::string square :
       {"[16,16,16] transpose(x), dimensions={1,2,0}", "[16,256] transpose(flat), dimensions={1,0}"}) {
    Planned planned(
        "HloModule m, buffer_donor={ (0, {}) }\nENTRY main {\n  x = f32[16,16,16] parameter(0)\n"
        "  flat = f32[256,16] reshape(x)\n  ROOT made = f32" +
        square + "\n}\n");
    EXPECT_EQ(planned.Donations(), "") << square;
  }
}

// Two updates of `x`, the second behind a barrier and under another shape: one copy, taken from `x` itself, whichever of the
// two it is for. A copy of what lies behind the barrier would not spare the other one.
TEST(Planner, CopiesARenamedValueBeforeTheBarrierThatItLiesBehind) {
  for (uint64_t chaos_seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
    Planned planned(R"(HloModule m, buffer_donor={ (0, {}) }
ENTRY main {
  x = f32[4,4] parameter(0)
  row = f32[1,4] parameter(1)
  flat_row = f32[4] reshape(row)
  zero = s32[] constant(0)
  first = f32[4,4] dynamic-update-slice(x, row, zero, zero)
  both = (f32[4,4], f32[4,4]) tuple(x, first)
  fence = (f32[4,4], f32[4,4]) opt-barrier(both)
  behind = f32[4,4] get-tuple-element(fence), index=0
  flat = f32[16] reshape(behind)
  second = f32[16] dynamic-update-slice(flat, flat_row, zero)
  ROOT t = (f32[4,4], f32[16]) tuple(first, second)
})",
                    {.chaos_seed = chaos_seed});
    EXPECT_EQ(planned.Copies().substr(3), " 64") << chaos_seed;
  }
}

// Both branches update `x`, one of them under another shape, and so does `other`: one of the two has a copy of 16 bytes, which
// serves both branches when it is theirs.
TEST(Planner, OneCopyServesBranchesThatNameItsShapeDifferently) {
  for (uint64_t chaos_seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
    Planned planned(R"(HloModule m, buffer_donor={ (0, {}) }
rows { p = (f32[1,4]) parameter(0)
  a = f32[1,4] get-tuple-element(p), index=0
  one = f32[1,1] constant({ {1} })
  zero = s32[] constant(0)
  ROOT r = f32[1,4] dynamic-update-slice(a, one, zero, zero) }
flat { p = (f32[4]) parameter(0)
  a = f32[4] get-tuple-element(p), index=0
  one = f32[1] constant({1})
  zero = s32[] constant(0)
  u = f32[4] dynamic-update-slice(a, one, zero)
  ROOT r = f32[1,4] reshape(u) }
ENTRY main {
  x = f32[1,4] parameter(0)
  which = pred[] parameter(1)
  same = f32[4] reshape(x)
  first = (f32[1,4]) tuple(x)
  second = (f32[4]) tuple(same)
  y = f32[1,4] conditional(which, first, second), true_computation=rows, false_computation=flat
  one = f32[1,1] constant({ {1} })
  zero = s32[] constant(0)
  other = f32[1,4] dynamic-update-slice(x, one, zero, zero)
  ROOT t = (f32[1,4], f32[1,4]) tuple(other, y)
})",
                    {.chaos_seed = chaos_seed});
    EXPECT_EQ(planned.Copies().substr(3), " 16") << chaos_seed;
  }
}

// The row that is read late is known not to be the one that was overwritten.
TEST(Planner, ReadsARowAfterTheUpdateOfAnother) {
  Planned planned(R"(HloModule m, buffer_donor={ (0, {}) }
ENTRY main {
  x = f32[4,16] parameter(0)
  row = f32[1,16] parameter(1)
  zero = s32[] constant(0)
  two = s32[] constant(2)
  new = f32[4,16] dynamic-update-slice(x, row, zero, zero)
  old = f32[1,16] dynamic-slice(x, two, zero), dynamic_slice_sizes={1,16}, control-predecessors={new}
  sum = f32[1,16] add(old, row)
  ROOT t = (f32[4,16], f32[1,16]) tuple(new, sum)
})");
  EXPECT_EQ(planned.Copies(), "");
}

// The loop only reads an array and one row of it, which is a view: both may be carried.
TEST(Planner, CarriesAnArrayAndAViewOfIt) {
  Planned planned(R"(HloModule m, buffer_donor={ (0, {}) }
condition { p = (s32[], f32[4,16], f32[1,16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT r = pred[] compare(i, n), direction=LT }
body { p = (s32[], f32[4,16], f32[1,16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  array = f32[4,16] get-tuple-element(p), index=1
  row = f32[1,16] get-tuple-element(p), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[4,16], f32[1,16]) tuple(j, array, row) }
ENTRY main {
  x = f32[4,16] parameter(0)
  view = f32[1,16] slice(x), slice={[2:3], [0:16]}
  zero = s32[] constant(0)
  start = (s32[], f32[4,16], f32[1,16]) tuple(zero, x, view)
  loop = (s32[], f32[4,16], f32[1,16]) while(start), condition=condition, body=body
  row = f32[1,16] get-tuple-element(loop), index=2
  ROOT sum = f32[1,16] add(row, row)
})");
  EXPECT_EQ(planned.Copies(), "");
  EXPECT_TRUE(planned.InOneBuffer("view", "x"));
}

// In the branch `x` enters a loop twice, and only the second carry is updated. Its copy serves the loop and leaves `x` as it is
// for the update outside; a copy for the carry that is only read would cost as much and leave a second one to make.
TEST(Planner, CopiesForTheCarryThatChangesNotForTheOneThatIsRead) {
  for (uint64_t chaos_seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
    Planned planned(R"(HloModule m, buffer_donor={ (0, {}) }
condition { p = (s32[], f32[4,4], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT r = pred[] compare(i, n), direction=LT }
body { p = (s32[], f32[4,4], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  kept = f32[4,4] get-tuple-element(p), index=1
  changed = f32[4,4] get-tuple-element(p), index=2
  zero = s32[] constant(0)
  row = f32[1,4] dynamic-slice(kept, i, zero), dynamic_slice_sizes={1,4}
  next = f32[4,4] dynamic-update-slice(changed, row, zero, zero)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[4,4], f32[4,4]) tuple(j, kept, next) }
run { p = (f32[4,4]) parameter(0)
  x = f32[4,4] get-tuple-element(p), index=0
  begin = s32[] constant(0)
  start = (s32[], f32[4,4], f32[4,4]) tuple(begin, x, x)
  loop = (s32[], f32[4,4], f32[4,4]) while(start), condition=condition, body=body
  made = f32[4,4] get-tuple-element(loop), index=2
  ROOT r = f32[1,4] slice(made), slice={[1:2], [0:4]} }
skip { p = (f32[4,4]) parameter(0)
  x = f32[4,4] get-tuple-element(p), index=0
  ROOT r = f32[1,4] slice(x), slice={[2:3], [0:4]} }
ENTRY main {
  x = f32[4,4] parameter(0)
  row = f32[1,4] parameter(1)
  which = pred[] parameter(2)
  given = (f32[4,4]) tuple(x)
  made = f32[1,4] conditional(which, given, given), true_computation=run, false_computation=skip
  zero = s32[] constant(0)
  after = f32[4,4] dynamic-update-slice(x, row, zero, zero)
  ROOT t = (f32[1,4], f32[4,4]) tuple(made, after)
})",
                    {.chaos_seed = chaos_seed});
    EXPECT_EQ(planned.Copies(), "C06 64") << chaos_seed;
  }
}

constexpr char kReverse[] = R"(HloModule reverse, buffer_donor={ (0, {}) }
ENTRY main {
  x = f32[100,100] parameter(0)
  zero = s32[] constant(0)
  one = f32[1,1] constant({ { 1 } })
  new = f32[100,100] dynamic-update-slice(x, one, zero, zero)
  both = (f32[100,100], f32[100,100]) tuple(new, x)
  barrier = (f32[100,100], f32[100,100]) opt-barrier(both)
  z = f32[100,100] get-tuple-element(barrier), index=0
  old = f32[100,100] get-tuple-element(barrier), index=1
  y = f32[1,1] slice(old), slice={[3:4], [5:6]}
  w = f32[1,1] slice(old), slice={[0:1], [0:1]}
  ROOT t = (f32[100,100], f32[1,1], f32[1,1]) tuple(z, w, y)
})";

TEST(Planner, SavesFourBytesWhenABarrierPutsTheReadLast) {
  Planned planned(kReverse);
  ASSERT_EQ(planned.Copies(), "C02 4");
  const CopyRecord& copy = planned.plan().copies[0];
  EXPECT_EQ(copy.writer, planned.Named("new"));
  EXPECT_EQ(copy.readers, std::vector{planned.Named("w")});
  ASSERT_EQ(copy.witness.size(), 3u);
  EXPECT_EQ(copy.witness[0].reason, "barrier");
  // The snapshot is taken before the update, the read stays behind the barrier.
  EXPECT_TRUE(planned.RunsBefore(copy.copy, planned.Named("new")));
  EXPECT_TRUE(planned.RunsBefore(planned.Named("barrier"), planned.Named("w")));
  EXPECT_TRUE(planned.InOneBuffer("x", "new"));
  // The element that the update leaves alone is read from x itself, after the update.
  EXPECT_EQ(planned.plan().module.operand(planned.Named("y"), 0), planned.Named("old"));
}

TEST(Planner, CopiesWhenNoOrderExists) {
  Planned planned(R"(HloModule both, buffer_donor={ (0, {}) }
ENTRY main {
  x = f32[100] parameter(0)
  zero = s32[] constant(0)
  one = f32[1] constant({1})
  new = f32[100] dynamic-update-slice(x, one, zero)
  ROOT t = (f32[100], f32[100]) tuple(new, x)
})");
  EXPECT_EQ(planned.Copies(), "C01 400");
  EXPECT_EQ(planned.plan().lower_bound_bytes, 400);
}

TEST(Planner, CopiesWhatTheCallerKeeps) {
  Planned planned(R"(HloModule kept
ENTRY main {
  x = f32[100] parameter(0)
  zero = s32[] constant(0)
  one = f32[1] constant({1})
  ROOT new = f32[100] dynamic-update-slice(x, one, zero)
})");
  EXPECT_EQ(planned.Copies(), "C03 400");
  EXPECT_NE(planned.plan().copies[0].fix.find("donate argument 0 (`x`)"), std::string::npos);
}

TEST(Planner, CopiesResultsThatCannotBeHandedOut) {
  Planned planned(R"(HloModule results, buffer_donor={ (1, {}) }
ENTRY main {
  x = f32[100] parameter(0)
  y = f32[50] parameter(1)
  c = f32[4] constant({1, 2, 3, 4})
  ROOT t = (f32[100], f32[50], f32[50], f32[4]) tuple(x, y, y, c)
})");
  EXPECT_EQ(planned.Copies(), "C03 400, C05 200, C04 16");
  EXPECT_EQ(planned.Donations(), "1<-1");
}

TEST(Planner, PairsAlongTheFlowOfData) {
  EXPECT_EQ(Planned(R"(HloModule swap, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
ENTRY main {
  a = f32[100] parameter(0)
  b = f32[100] parameter(1)
  ROOT t = (f32[100], f32[100]) tuple(b, a)
})")
                .Donations(),
            "1<-0 0<-1");
}

// JAX declares aliases by the order of equal types; what is computed from what counts more, unless the alias is a must.
TEST(Planner, PairsByFlowOfDataBeforeDeclaredOrder) {
  const std::string rest = R"(
ENTRY main {
  a = f32[100] parameter(0)
  b = f32[100] parameter(1)
  x = f32[100] negate(b)
  y = f32[100] exponential(a)
  ROOT t = (f32[100], f32[100]) tuple(x, y)
})";
  Planned may("HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }" + rest);
  EXPECT_EQ(may.Donations(), "1<-0 0<-1");
  Planned must("HloModule m, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {}, may-alias) }" + rest);
  EXPECT_NE(must.Donations().find("0<-0"), std::string::npos);
}

// A step of momentum, as torch_xla sends it: no aliases declared, only donors, and one loop makes both results.
TEST(Planner, PairsEachResultOfALoopWithWhatItIsComputedFrom) {
  const std::string fused = R"(
step {
  p = f32[100] parameter(0)
  m = f32[100] parameter(1)
  g = f32[100] parameter(2)
  next_m = f32[100] add(m, g)
  next_p = f32[100] subtract(p, next_m)
  ROOT both = (f32[100], f32[100]) tuple(ORDER)
}
ENTRY main {
  p.1 = f32[100] parameter(0)
  m.1 = f32[100] parameter(1)
  g.1 = f32[100] parameter(2)
  ROOT f = (f32[100], f32[100]) fusion(p.1, m.1, g.1), kind=kLoop, calls=step
})";
  auto donations = [&](const std::string& order) {
    std::string text = "HloModule m, buffer_donor={ (0, {}), (1, {}) }" + fused;
    return Planned(text.replace(text.find("ORDER"), 5, order)).Donations();
  };
  EXPECT_EQ(donations("next_m, next_p"), "1<-0 0<-1");
  EXPECT_EQ(donations("next_p, next_m"), "0<-0 1<-1");
}

// A must-alias is kept whatever it costs: two results change places by three copies.
TEST(Planner, CopiesWhatAMustAliasDemandsElsewhere) {
  const std::string rest = R"(
ENTRY main {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  ROOT t = (f32[100], f32[100]) tuple(x, y)
})";
  Planned both("HloModule m, input_output_alias={ {0}: (1, {}, must-alias), {1}: (0, {}, must-alias) }" + rest);
  EXPECT_EQ(both.Copies(), "C14 400, C14 400, C14 400");
  EXPECT_TRUE(both.plan().exact);
  EXPECT_EQ(both.Donations(), "1<-0 0<-1");
  Planned updated(R"(HloModule m, input_output_alias={ {}: (1, {}, must-alias) }, buffer_donor={ (0, {}) }
ENTRY main {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  one = f32[1] constant({1})
  zero = s32[] constant(0)
  ROOT new = f32[100] dynamic-update-slice(x, one, zero)
})");
  EXPECT_EQ(updated.Donations(), "0<-1");
}

// The demanded memory is read late, but only an element of it: that is set aside, and the result is not moved.
TEST(Planner, SavesWhatIsReadLateOfDemandedMemory) {
  Planned planned(R"(HloModule m, input_output_alias={ {0}: (1, {}, must-alias) }
ENTRY main {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  z = f32[100] exponential(x)
  p = (f32[100], f32[100]) tuple(z, y)
  q = (f32[100], f32[100]) opt-barrier(p)
  zz = f32[100] get-tuple-element(q), index=0
  yy = f32[100] get-tuple-element(q), index=1
  late = f32[1] slice(yy), slice={[3:4]}
  n = f32[1] negate(late)
  ROOT t = (f32[100], f32[1]) tuple(zz, n)
})");
  EXPECT_EQ(planned.Copies(), "C02 4");
  EXPECT_EQ(planned.Donations(), "0<-1");
  EXPECT_TRUE(planned.plan().exact);
}

// Each proved to be the least: along a row of demands one move each, around a circle one more; two ops that read each other's place.
TEST(Planner, ProvesWhatDemandsCost) {
  const std::string three = R"(
ENTRY main {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  z = f32[100] parameter(2)
  )";
  Planned row("HloModule m, input_output_alias={ {0}: (1, {}, must-alias), {1}: (2, {}, must-alias) }" + three +
              "ROOT t = (f32[100], f32[100]) tuple(x, y)\n}");
  EXPECT_EQ(row.Copies(), "C03 400, C14 400");
  EXPECT_TRUE(row.plan().exact);
  Planned circle(
      "HloModule m, input_output_alias={ {0}: (1, {}, must-alias), {1}: (2, {}, must-alias), {2}: (0, {}, must-alias) "
      "}" +
      three + "ROOT t = (f32[100], f32[100], f32[100]) tuple(x, y, z)\n}");
  EXPECT_EQ(circle.Copies(), "C14 400, C14 400, C14 400, C14 400");
  EXPECT_TRUE(circle.plan().exact);
  Planned across(
      "HloModule m, input_output_alias={ {0}: (1, {}, must-alias), {1}: (0, {}, must-alias) }" + three +
      "u = f32[100] negate(x)\n  v = f32[100] exponential(y)\n  ROOT t = (f32[100], f32[100]) tuple(u, v)\n}");
  EXPECT_EQ(across.Copies(), "C14 400");
  EXPECT_TRUE(across.plan().exact);
}

// `old` is returned where an op overwrites it later: one copy, in the demanded place, serves the result and spares the op.
TEST(Planner, MovesAResultThatIsOverwritten) {
  Planned planned(R"(HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
ENTRY main {
  x = f32[100] parameter(0)
  i = s32[] parameter(1)
  one = f32[1] constant({1})
  old = f32[100] exponential(x)
  late = f32[100] add(old, x)
  new = f32[100] dynamic-update-slice(old, one, i)
  ROOT t = (f32[100], f32[100], f32[100]) tuple(old, new, late)
})");
  EXPECT_EQ(planned.Copies(), "C14 400");
  EXPECT_TRUE(planned.plan().exact);
}

TEST(Planner, AFreshResultTakesADonatedBufferThatIsOver) {
  // `sum` reads both; the donated operand may be overwritten element by element once `total` has read it.
  Planned planned(R"(HloModule fresh, input_output_alias={ {0}: (0, {}, may-alias) }
add { l = f32[] parameter(0)
  r = f32[] parameter(1)
  ROOT s = f32[] add(l, r) }
ENTRY main {
  a = f32[100] parameter(0)
  b = f32[100] parameter(1)
  sum = f32[100] add(a, b)
  zero = f32[] constant(0)
  total = f32[] reduce(a, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[100], f32[]) tuple(sum, total)
})");
  EXPECT_EQ(planned.Donations(), "0<-0");
  EXPECT_TRUE(planned.RunsBefore(planned.Named("total"), planned.Named("sum")));
}

TEST(Planner, SaysWhyADonationGoesUnused) {
  Planned planned(R"(HloModule unused, buffer_donor={ (0, {}), (1, {}) }
ENTRY main {
  a = f32[5,20] parameter(0)
  b = f32[50] parameter(1)
  ROOT r = f32[20,5] transpose(a), dimensions={1,0}
})");
  ASSERT_EQ(planned.plan().remarks.size(), 2u);
  EXPECT_EQ(planned.plan().remarks[0].code, "D001");
  EXPECT_NE(planned.plan().remarks[0].why.find("another order"), std::string::npos);
  EXPECT_NE(planned.plan().remarks[1].why.find("no result has its 200 bytes"), std::string::npos);
}

TEST(Planner, NamesAnUndeclaredAlias) {
  Planned planned(R"(HloModule undeclared, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main {
  a = f32[100] parameter(0)
  ROOT r = f32[100] custom-call(a), custom_call_target="update"
})");
  EXPECT_EQ(planned.Copies(), "");
  ASSERT_EQ(planned.plan().remarks.size(), 1u);
  EXPECT_EQ(planned.plan().remarks[0].code, "C12");
  EXPECT_EQ(planned.plan().remarks[0].writer, planned.Named("r"));
}

std::string LoopOver(const std::string& state, const std::string& body, const std::string& trips = "7") {
  return "cond { p = " + state + " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(" +
         trips + ")\n  ROOT l = pred[] compare(i, n), direction=LT }\nbody { p = " + state +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  one = s32[] constant(1)\n  next = s32[] add(i, "
         "one)\n" +
         body + "}\n";
}

TEST(Planner, StateThatChangesPlacesIsNotCopied) {
  const std::string state = "(s32[], f32[100], f32[100])";
  Planned planned("HloModule swap, buffer_donor={ (0, {}), (1, {}) }\n" + LoopOver(state, R"(
  a = f32[100] get-tuple-element(p), index=1
  b = f32[100] get-tuple-element(p), index=2
  ROOT t = (s32[], f32[100], f32[100]) tuple(next, b, a)
)") + R"(ENTRY main {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[100], f32[100]) tuple(zero, x, y)
  w = (s32[], f32[100], f32[100]) while(init), condition=cond, body=body
  a = f32[100] get-tuple-element(w), index=1
  b = f32[100] get-tuple-element(w), index=2
  ROOT t = (f32[100], f32[100]) tuple(a, b)
})");
  EXPECT_EQ(planned.Copies(), "");
  EXPECT_EQ(planned.plan().loops.at(planned.Named("w")).back_edge.size(), 2u);
  EXPECT_EQ(planned.Donations(), "0<-0 1<-1");
}

TEST(Planner, AStencilAlternatesBetweenTwoBuffers) {
  Planned planned("HloModule stencil, buffer_donor={ (0, {}) }\n" + LoopOver("(s32[], f32[100])", R"(
  a = f32[100] get-tuple-element(p), index=1
  third = f32[] constant(0.3)
  weights = f32[100,100] broadcast(third), dimensions={}
  r = f32[100] dot(weights, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[100]) tuple(next, r)
)") + R"(ENTRY main {
  x = f32[100] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[100]) tuple(zero, x)
  w = (s32[], f32[100]) while(init), condition=cond, body=body
  ROOT a = f32[100] get-tuple-element(w), index=1
})");
  EXPECT_EQ(planned.Copies(), "");
  // The spare buffer may be the one that is returned, so it is an allocation of its own.
  EXPECT_EQ(planned.plan().buffers[planned.plan().placements[planned.Named("r")][0].buffer].kind, Buffer::Kind::kOwned);
}

TEST(Planner, CopiesInsideALoopCountEveryIteration) {
  Planned planned("HloModule history, buffer_donor={ (0, {}), (1, {}) }\n" + LoopOver("(s32[], f32[100], f32[100])", R"(
  a = f32[100] get-tuple-element(p), index=1
  value = f32[1] constant({2})
  new = f32[100] dynamic-update-slice(a, value, i)
  ROOT t = (s32[], f32[100], f32[100]) tuple(next, new, a)
)") + R"(ENTRY main {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[100], f32[100]) tuple(zero, x, y)
  w = (s32[], f32[100], f32[100]) while(init), condition=cond, body=body
  a = f32[100] get-tuple-element(w), index=1
  b = f32[100] get-tuple-element(w), index=2
  ROOT t = (f32[100], f32[100]) tuple(a, b)
})");
  EXPECT_EQ(planned.Copies(), "C01 2800");
  EXPECT_EQ(planned.plan().copies[0].executions, 7);
}

TEST(Planner, ALoopCopiesAStartValueThatIsNeededLater) {
  Planned planned("HloModule kept, buffer_donor={ (0, {}) }\n" + LoopOver("(s32[], f32[100])", R"(
  a = f32[100] get-tuple-element(p), index=1
  value = f32[1] constant({2})
  new = f32[100] dynamic-update-slice(a, value, i)
  ROOT t = (s32[], f32[100]) tuple(next, new)
)") + R"(ENTRY main {
  x = f32[100] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[100]) tuple(zero, x)
  w = (s32[], f32[100]) while(init), condition=cond, body=body
  a = f32[100] get-tuple-element(w), index=1
  ROOT t = (f32[100], f32[100]) tuple(a, x)
})");
  EXPECT_EQ(planned.Copies(), "C06 400");
}

TEST(Planner, StateThatIsOnlyReadIsNotTheLoops) {
  Planned planned("HloModule weights, buffer_donor={ (0, {}) }\n" + LoopOver("(s32[], f32[100], f32[100])", R"(
  a = f32[100] get-tuple-element(p), index=1
  w = f32[100] get-tuple-element(p), index=2
  s = f32[100] add(a, w)
  ROOT t = (s32[], f32[100], f32[100]) tuple(next, s, w)
)") + R"(ENTRY main {
  x = f32[100] parameter(0)
  weights = f32[100] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[100], f32[100]) tuple(zero, x, weights)
  w = (s32[], f32[100], f32[100]) while(init), condition=cond, body=body
  ROOT a = f32[100] get-tuple-element(w), index=1
})");
  EXPECT_EQ(planned.Copies(), "");
}

std::string Conditional(const std::string& results) {
  return R"(HloModule branches, buffer_donor={ (1, {}) }
change { p = (f32[100]) parameter(0)
  a = f32[100] get-tuple-element(p), index=0
  zero = s32[] constant(0)
  one = f32[1] constant({1})
  new = f32[100] dynamic-update-slice(a, one, zero)
  ROOT t = (f32[100]) tuple(new) }
keep { p = (f32[100]) parameter(0)
  a = f32[100] get-tuple-element(p), index=0
  ROOT t = (f32[100]) tuple(a) }
ENTRY main {
  which = pred[] parameter(0)
  x = f32[100] parameter(1)
  operand = (f32[100]) tuple(x)
  c = (f32[100]) conditional(which, operand, operand), true_computation=change, false_computation=keep
  r = f32[100] get-tuple-element(c), index=0
  )" + results +
         "\n}";
}

TEST(Planner, BranchesHandOverPointers) {
  Planned planned(Conditional("ROOT t = (f32[100]) tuple(r)"));
  EXPECT_EQ(planned.Copies(), "");
  EXPECT_EQ(planned.Donations(), "0<-1");
}

TEST(Planner, BranchesCopyWhatIsNeededAfterwards) {
  EXPECT_EQ(Planned(Conditional("ROOT t = (f32[100], f32[100]) tuple(r, x)")).Copies(), "C07 400, C07 400");
}

TEST(Planner, TheAlwaysCopyBaselineCopiesAtEveryUpdate) {
  Planned planned(kReadThenUpdate, {.always_copy = true});
  EXPECT_EQ(planned.Copies(), "C01 40000");
}

}  // namespace
}  // namespace stead::inplace
