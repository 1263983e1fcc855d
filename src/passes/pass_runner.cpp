#include "passes/pass_runner.h"

#include <fmt/format.h>

#include "ir/verify.h"
#include "passes/constant_fold.h"
#include "passes/cse.h"
#include "passes/dead_code.h"
#include "passes/fusion/fusion.h"
#include "passes/inline_calls.h"
#include "passes/masked_update.h"
#include "passes/remove_copies.h"
#include "passes/row_major.h"
#include "passes/simplify/simplify.h"
#include "passes/single_window.h"
#include "passes/tuple_simplify.h"

namespace stead::passes {
namespace {

constexpr Pass kPipeline[] = {
#define PASS(name, description, function) {name, description, function},
#include "passes/passes.def"
#undef PASS
};

// A module that is not well formed after a pass is a bug of the pass, whatever the user wrote.
void CheckWellFormed(const ir::Module& module, std::string_view pass) {
  Status verified = ir::VerifyModule(module);
  STEAD_CHECK(verified.ok(), fmt::format("after pass {}: {}", pass, verified.ok() ? "" : verified.error().ToString()));
}

}  // namespace

std::span<const Pass> Pipeline() { return kPipeline; }

Status RunPasses(ir::Module& module, std::span<const Pass> passes, const PassObserver& observer) {
  if (observer) TRY_STATUS(observer(0, "given", module));
  int number = 0;
  for (const Pass& pass : passes) {
    uint64_t revision = module.revision();
    bool was_scheduled = module.is_scheduled;
    TRY(PassReport report, pass.run(module));
    bool touched = module.revision() != revision || module.is_scheduled != was_scheduled;
    STEAD_CHECK(report.changed == touched, fmt::format("pass {} says changed={}", pass.name, report.changed));
    CheckWellFormed(module, pass.name);
    if (observer) TRY_STATUS(observer(++number, pass.name, module));
  }
  return {};
}

}  // namespace stead::passes
