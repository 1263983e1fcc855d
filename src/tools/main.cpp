// The command line tool `stead`: explain, opt, run, convert. The only file that knows CLI11.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "tools/commands.h"

namespace stead::tools {
namespace {

constexpr char kFileHelp[] = "HLO text, HloModuleProto, StableHLO artifact or text; - for standard input";

void AddCommonOptions(CLI::App& command, CommonOptions& options) {
  command.add_option("FILE", options.file, kFileHelp)->required();
  command.add_option("--assume-alias", options.assumed_aliases,
                     "treat custom call NAME as overwriting operand OPERAND: NAME:OPERAND or NAME{RESULT}:OPERAND");
  command.add_option("--dump-to", options.dump_to, "directory for one file per pass, NN-pass-name.hlo");
  command.add_flag("--always-copy", options.always_copy, "plan without sharing any buffer, for comparison");
}

void AddExplain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = app.add_subcommand(
      "explain", "say which copies a module makes, which our plan makes, why, and how to avoid them");
  AddCommonOptions(*command, options.common);
  command->add_option("--format", options.format, "text or json")->check(CLI::IsMember({"text", "json"}));
}

void AddOpt(CLI::App& app, CommonOptions& options) {
  AddCommonOptions(*app.add_subcommand("opt", "print the module after all passes and the in-place plan"), options);
}

void AddRun(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "run a module on given or random inputs");
  AddCommonOptions(*command, options.common);
  command->add_option("--input", options.inputs,
                      "one .npy file per array parameter, in order; default: random by --seed");
  command->add_option("--output-dir", options.output_dir, "write result K to DIR/K.npy instead of printing it");
  command->add_option("--backend", options.backend, "native or interpreter")
      ->check(CLI::IsMember({"native", "interpreter"}));
  command->add_flag("--compare", options.compare, "run both and compare every result");
  command->add_option("--tolerance", options.tolerance, "largest relative difference of floats that --compare accepts");
  command->add_option("--seed", options.seed, "seed of random inputs");
  command->add_flag("--quiet", options.quiet, "do not print results");
}

void AddConvert(CLI::App& app, ConvertOptions& options) {
  CLI::App* command =
      app.add_subcommand("convert", "read a program in any accepted format and write it as HLO text or HloModuleProto");
  command->add_option("FILE", options.file, kFileHelp)->required();
  command->add_option("--to", options.to, "text or proto")->check(CLI::IsMember({"text", "proto"}));
  command->add_option("-o,--output", options.output, "file to write instead of standard output");
}

int Main(int argc, char** argv) {
  CLI::App app{"Stead: an in-place-first HLO compiler and CPU runtime", "stead"};
  app.set_version_flag("--version", STEAD_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  ExplainOptions explain;
  CommonOptions optimize;
  RunOptions run;
  ConvertOptions convert;
  AddExplain(app, explain);
  AddOpt(app, optimize);
  AddRun(app, run);
  AddConvert(app, convert);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongUsage;
  }
  if (app.got_subcommand("explain")) return Explain(explain);
  if (app.got_subcommand("opt")) return Optimize(optimize);
  if (app.got_subcommand("run")) return RunModule(run);
  return Convert(convert);
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
