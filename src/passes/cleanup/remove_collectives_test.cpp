#include "passes/cleanup/remove_collectives.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

constexpr std::string_view kModule = R"(HloModule m{}
  sum {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }}
  ENTRY main {{ x = f32[4] parameter(0) y = f32[4] parameter(1)
    {} }})";

ir::Module Tested(std::string_view instructions, bool is_removed, std::string_view header = "") {
  ir::Module module = Parse(fmt::format(kModule, header, instructions));
  EXPECT_EQ(RunPass(module, RemoveCollectives), is_removed) << instructions;
  return module;
}

TEST(RemoveCollectives, GroupsOfOneHaveWhatTheyHad) {
  for (std::string_view collective :
       {"all-reduce(x), replica_groups={}, to_apply=sum", "all-reduce(x), replica_groups={{0}}, to_apply=sum",
        "all-reduce(x), replica_groups=[1,1]<=[1], to_apply=sum", "all-gather(x), replica_groups={}, dimensions={0}",
        "reduce-scatter(x), replica_groups={{0}}, dimensions={0}, to_apply=sum",
        "all-to-all(x), replica_groups={{0}}, dimensions={0}", "collective-broadcast(x), replica_groups={{0}}",
        "collective-permute(x), source_target_pairs={{0,0}}"}) {
    ir::Module module = Tested(fmt::format("r = f32[4] {} ROOT n = f32[4] negate(r)", collective), true);
    EXPECT_EQ(Operand(module, Root(module), 0).name, "x") << collective;
  }
}

TEST(RemoveCollectives, SeveralArraysAtOnce) {
  ir::Module module = Tested("ROOT r = (f32[4], f32[4]) all-reduce(x, y), replica_groups={}, to_apply=sum", true);
  ASSERT_EQ(Root(module).opcode, Opcode::kTuple);
  EXPECT_EQ(Root(module).name, "r");
  EXPECT_EQ(Operand(module, Root(module), 0).name, "x");
  EXPECT_EQ(Operand(module, Root(module), 1).name, "y");
}

TEST(RemoveCollectives, WhoIsSentNothingHasZeros) {
  ir::Module module = Tested("ROOT r = f32[4] collective-permute(x), source_target_pairs={}", true);
  const ir::Literal result = interp::Evaluate(module, Arguments(module, 1)).value();
  EXPECT_EQ(interp::ReadAll<double>(result), std::vector<double>(4, 0));
}

TEST(RemoveCollectives, SeveralDevicesStayApart) {
  Tested("ROOT r = f32[4] all-reduce(x), replica_groups={{0,1}}, to_apply=sum", false);
  Tested("ROOT r = f32[8] all-gather(x), replica_groups={}, dimensions={0}", false);
  Tested("ROOT r = f32[4] collective-permute(x), source_target_pairs={{0,1}}", false);
  Tested("ROOT r = f32[4] all-reduce(x), replica_groups={}, to_apply=sum", false, ", replica_count=2");
  Tested("ROOT r = f32[4] all-reduce(x), replica_groups={}, to_apply=sum", false, ", num_partitions=4");
}

}  // namespace
}  // namespace stead::passes
