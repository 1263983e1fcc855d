// `stead opt FILE`: the module after our pipeline, as HLO text.
#include <fmt/format.h>

#include "ir/text/printer.h"
#include "tools/commands.h"

namespace stead::tools {

int Optimize(const CommonOptions& options) {
  auto driver_options = ToDriverOptions(options);
  if (!driver_options.ok()) return Refuse(driver_options.error());
  auto program = LoadProgram(options.file);
  if (!program.ok()) return Refuse(program.error());
  auto plan = driver::Plan(std::move(program->module), *driver_options);
  if (!plan.ok()) return Refuse(plan.error());
  fmt::print("{}", ir::PrintModule(plan->module));
  return kDone;
}

}  // namespace stead::tools
