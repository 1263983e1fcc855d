// `stead explain FILE`: which copies the module makes as given, which our plan makes, and why each.
#include <fmt/format.h>

#include "inplace/explain.h"
#include "tools/commands.h"

namespace stead::tools {

int Explain(const ExplainOptions& options) {
  auto driver_options = ToDriverOptions(options.common);
  if (!driver_options.ok()) return Refuse(driver_options.error());
  auto program = LoadProgram(options.common.file);
  if (!program.ok()) return Refuse(program.error());
  auto plan = driver::Plan(program->module, *driver_options);
  if (!plan.ok()) return Refuse(plan.error());
  if (options.format == "json") {
    fmt::print("{}\n", inplace::ExplainAsJson(program->module, *plan));
  } else {
    fmt::print("{}", inplace::ExplainAsText(program->module, *plan));
  }
  return kDone;
}

}  // namespace stead::tools
