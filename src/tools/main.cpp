// The command line tool `stead`: explain, opt, run, convert.
#include <fmt/format.h>

#include <exception>

#include "tools/command.h"

namespace stead::tools {
namespace {

int Main(int argc, char** argv) {
  CLI::App app{"Stead: an in-place-first HLO compiler and CPU runtime", "stead"};
  app.set_version_flag("--version", STEAD_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  int exit_code = kDone;
  AddExplainCommand(app, exit_code);
  AddOptCommand(app, exit_code);
  AddRunCommand(app, exit_code);
  AddConvertCommand(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongUsage;
  }
  return exit_code;
}

}  // namespace
}  // namespace stead::tools

int main(int argc, char** argv) {
  try {
    return stead::tools::Main(argc, argv);
  } catch (const std::exception& error) {
    // A bug of ours (InternalError) or no memory: say so, do not abort.
    fmt::print(stderr, "stead: {}\n", error.what());
    return stead::tools::kRefused;
  }
}
