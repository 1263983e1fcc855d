#include "passes/pass_runner.h"

#include <fmt/format.h>

#include "ir/verify.h"
#include "passes/cleanup/agreed_values.h"
#include "passes/cleanup/constant_fold.h"
#include "passes/cleanup/cse.h"
#include "passes/cleanup/dead_code.h"
#include "passes/cleanup/remove_collectives.h"
#include "passes/cleanup/remove_copies.h"
#include "passes/cleanup/tuple_simplify.h"
#include "passes/expand/batch_norm.h"
#include "passes/expand/random.h"
#include "passes/expand/scaled_dot.h"
#include "passes/fusion/fusion.h"
#include "passes/fusion/multi_output.h"
#include "passes/loop_state/counter_bounds.h"
#include "passes/loop_state/equal_state.h"
#include "passes/loop_state/hoist_invariants.h"
#include "passes/loop_state/known_state.h"
#include "passes/loop_state/raise_loops.h"
#include "passes/normalize/inline_calls.h"
#include "passes/normalize/masked_update.h"
#include "passes/normalize/merge_scans.h"
#include "passes/normalize/nested_update.h"
#include "passes/normalize/own_fills.h"
#include "passes/normalize/row_major.h"
#include "passes/normalize/single_window.h"
#include "passes/normalize/synchronous.h"
#include "passes/packed/packed_border.h"
#include "passes/packed/packed_moves.h"
#include "passes/simplify/first_sorted.h"
#include "passes/simplify/simplify.h"

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
    if (touched) CheckWellFormed(module, pass.name);
    if (observer) TRY_STATUS(observer(++number, pass.name, module));
  }
  return {};
}

}  // namespace stead::passes
