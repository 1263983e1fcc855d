// `stead explain FILE`: which copies the module makes as given, which our plan makes, and why each.
#include <fmt/format.h>

#include "inplace/explain.h"
#include "ir/copy_reason.h"
#include "tools/command.h"

namespace stead::tools {
namespace {

struct ExplainOptions {
  CommonOptions common;
  std::string format = "text";
};

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

}  // namespace

void AddExplainCommand(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "say which copies a module makes, which our plan makes, why, and how to avoid them");
  AddCommonOptions(*command, options->common);
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback([options, &exit_code] { exit_code = Explain(*options); });
}

}  // namespace stead::tools
