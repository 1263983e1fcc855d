#include "passes/normalize/synchronous.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Opcode;

TEST(Synchronous, AnAsyncComputationBecomesACallWhereItBegins) {
  ir::Module module = Parse(R"(HloModule m
    wrapped { p = f32[8] parameter(0)
      ROOT n = f32[8] negate(p) }
    ENTRY main { x = f32[8] parameter(0)
      begun = ((f32[8]), f32[8], u32[]) async-start(x), calls=wrapped
      going = ((f32[8]), f32[8], u32[]) async-update(begun), calls=wrapped
      between = f32[8] sine(x), control-predecessors={begun}
      before = f32[8] cosine(x)
      ended = f32[8] async-done(going), calls=wrapped, control-predecessors={before}
      ROOT sum = f32[8] add(ended, between) })");
  EXPECT_TRUE(RunPass(module, MakeSynchronous));
  EXPECT_EQ(Count(module, Opcode::kAsyncStart) + Count(module, Opcode::kAsyncDone), 0);
  InstrId call = Root(module).operands[0];
  EXPECT_EQ(module.instruction(call).opcode, Opcode::kCall);
  // Control edges to the start and to the end hold on.
  InstrId between = Root(module).operands[1];
  EXPECT_EQ(module.instruction(between).control_predecessors, std::vector<InstrId>{call});
  ASSERT_EQ(Root(module).control_predecessors.size(), 1u);
  EXPECT_EQ(module.instruction(Root(module).control_predecessors[0]).opcode, Opcode::kCosine);
}

TEST(Synchronous, CollectivesAndCopies) {
  ir::Module module = Parse(R"(HloModule m
    sum { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }
    ENTRY main { x = f32[8] parameter(0)
      copying = (f32[8], f32[8], u32[]) copy-start(x)
      copied = f32[8] copy-done(copying)
      reducing = f32[8] all-reduce-start(copied), replica_groups={}, to_apply=sum
      ROOT reduced = f32[8] all-reduce-done(reducing) })");
  EXPECT_TRUE(RunPass(module, MakeSynchronous));
  EXPECT_EQ(Root(module).opcode, Opcode::kAllReduce);
  EXPECT_EQ(Root(module).called.size(), 1u);
  EXPECT_EQ(module.instruction(Root(module).operands[0]).opcode, Opcode::kCopy);
}

TEST(Synchronous, APairWithAnObserverStays) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[8] parameter(0)
      copying = (f32[8], f32[8], u32[]) copy-start(x)
      source = f32[8] get-tuple-element(copying), index=1
      copied = f32[8] copy-done(copying)
      ROOT sum = f32[8] add(source, copied) })");
  EXPECT_FALSE(RunPass(module, MakeSynchronous));
}

}  // namespace
}  // namespace stead::passes
