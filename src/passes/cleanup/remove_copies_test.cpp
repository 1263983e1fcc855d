#include "passes/cleanup/remove_copies.h"

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

TEST(RemoveCopies, DropsCopiesAndKeepsTheirOrder) {
  ir::Module module = After(R"(HloModule m
    ENTRY main { x = f32[3,2] parameter(0)
      first = f32[3,2] negate(x)
      c = f32[3,2] copy(x), control-predecessors={first}
      d = f32[3,2] copy(c)
      user = f32[3,2] abs(d)
      ROOT r = (f32[3,2], f32[3,2]) tuple(user, first) })",
                            RemoveCopies);
  EXPECT_EQ(Count(module, ir::Opcode::kCopy), 0);
  EXPECT_EQ(Named(module, "user").control_predecessors, std::vector{Find(module, "first")});
}

TEST(RemoveCopies, KeepsACopyThatChangesTheLayout) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[3,2]{1,0} parameter(0)
      ROOT c = f32[3,2]{0,1} copy(x) })");
  EXPECT_FALSE(RunPass(module, RemoveCopies));
}

}  // namespace
}  // namespace stead::passes
