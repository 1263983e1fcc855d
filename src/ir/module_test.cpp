// What the module's own functions keep right when instructions go.
#include "ir/module.h"

#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"
#include "ir/text/printer.h"

namespace stead::ir {
namespace {

InstrId Named(const Module& module, const std::string& name) {
  for (InstrId id : module.entry_computation().instructions) {
    if (module.instruction(id).name == name) return id;
  }
  throw std::runtime_error("no instruction " + name);
}

// `last` had to wait for `middle`, which had to wait for `first` and `other`; that stays when `middle` is gone.
TEST(Module, WhoWaitedForAnErasedInstructionWaitsForWhatItWaitedFor) {
  auto module = frontend::ParseHloText(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  first = f32[4] negate(x)
  other = f32[4] exponential(x)
  middle = f32[4] add(first, x), control-predecessors={other}
  ROOT last = f32[4] sine(x), control-predecessors={middle}
})",
                                       "test.hlo");
  ASSERT_TRUE(module.ok()) << module.error().ToString();
  module->Erase(Named(*module, "middle"));
  const std::vector<InstrId> expected{Named(*module, "other"), Named(*module, "first")};
  EXPECT_EQ(module->instruction(Named(*module, "last")).control_predecessors, expected) << PrintModule(*module);
}

}  // namespace
}  // namespace stead::ir
