// Programs that count what they copy: copies, and updates that write more than they update.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

constexpr char kUpdate[] = R"(HloModule m, buffer_donor={ (0, {}) }
ENTRY e {
  x = f32[64] parameter(0)
  u = f32[4] parameter(1)
  i = s32[] constant(8)
  ROOT z = f32[64] dynamic-update-slice(x, u, i)
})";

// Runs the plan once, with every argument given away where `donated`.
int64_t CopiedBytes(const inplace::BufferPlan& plan, bool donated = true) {
  Result<std::unique_ptr<runtime::Executable>> executable = CompileToMachineCode(plan, {.count_copies = true});
  EXPECT_TRUE(executable.ok()) << (executable.ok() ? "" : executable.error().ToString());
  std::vector<runtime::Argument> arguments;
  for (const ir::Literal& argument : RandomArguments(plan.module)) arguments.push_back({ToMemory(argument), donated});
  runtime::RunContext context;
  EXPECT_TRUE((*executable)->Run(arguments, context).ok());
  return context.copied_bytes;
}

int64_t CopiedBytes(const std::string& text) { return CopiedBytes(inplace::MakePlan(Parse(text), {}).value()); }

TEST(CountCopies, AnUpdateInPlaceCopiesNothing) { EXPECT_EQ(CopiedBytes(kUpdate), 0); }

// The update as a wrong plan or kernel would make it: all of the array is written to another place.
TEST(CountCopies, AnUpdateThatWritesTheWholeArrayCopiesIt) {
  inplace::BufferPlan plan = inplace::MakePlan(Parse(kUpdate), {}).value();
  inplace::BufferId other = plan.buffers.Add({.kind = inplace::Buffer::Kind::kOwned, .bytes = 256});
  plan.placements[plan.module.root(plan.module.entry)] = plan.results = {{other, 0}};
  ASSERT_FALSE(inplace::CheckPlan(plan).ok());
  EXPECT_EQ(CopiedBytes(plan), 256);
}

TEST(CountCopies, AnArgumentThatTheCallerKeepsIsCopied) {
  EXPECT_EQ(CopiedBytes(inplace::MakePlan(Parse(kUpdate), {}).value(), /*donated=*/false), 256);
}

TEST(CountCopies, CopiesCountAsOftenAsTheyRun) {
  EXPECT_EQ(CopiedBytes(R"(HloModule m, buffer_donor={ (0, {}) }
condition { p = (s32[], f32[64], f32[64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT }
body { p = (s32[], f32[64], f32[64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[64] get-tuple-element(p), index=1
  zero = f32[4] constant({0, 0, 0, 0})
  next = f32[64] dynamic-update-slice(a, zero, i)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[64], f32[64]) tuple(j, next, a) }
ENTRY e {
  x = f32[64] parameter(0)
  y = f32[64] iota(), iota_dimension=0
  begin = s32[] constant(0)
  start = (s32[], f32[64], f32[64]) tuple(begin, x, y)
  loop = (s32[], f32[64], f32[64]) while(start), condition=condition, body=body
  new = f32[64] get-tuple-element(loop), index=1
  old = f32[64] get-tuple-element(loop), index=2
  ROOT t = (f32[64], f32[64]) tuple(new, old)
})"),
            5 * 256);
}

// Scatters and fused updates count what they store, whatever their windows.
TEST(CountCopies, ScattersAndFusedUpdatesInPlaceCopyNothing) {
  EXPECT_EQ(CopiedBytes(R"(HloModule m, buffer_donor={ (0, {}) }
plus { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
fused { a = f32[64] parameter(0)
  u = f32[4] parameter(1)
  n = f32[4] negate(u)
  i = s32[] constant(3)
  first = f32[64] dynamic-update-slice(a, n, i)
  j = s32[] constant(20)
  ROOT r = f32[64] dynamic-update-slice(first, u, j) }
ENTRY e {
  x = f32[64] parameter(0)
  u = f32[4] parameter(1)
  at = s32[4,1] constant({ {3}, {9}, {3}, {60} })
  sum = f32[64] scatter(x, at, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=plus
  ROOT z = f32[64] fusion(sum, u), kind=kLoop, calls=fused
})"),
            0);
}

}  // namespace
}  // namespace stead::cpu
