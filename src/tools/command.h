// What the subcommands of `stead` share: reading programs, printing diagnostics, exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "driver/compile.h"

namespace stead::tools {

// Exit codes: 0 done; 1 the program or the request was refused, or --deny / --compare found something; 2 wrong usage.
inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;
inline constexpr int kWrongUsage = 2;

struct Program {
  std::string bytes;  // the file as it is
  ir::Module module;
};

// Reads and loads FILE ("-" is standard input).
Result<Program> LoadProgram(const std::string& path);

// Prints the diagnostic on standard error; returns kRefused.
int Refuse(const Diagnostic& diagnostic);

// Options that opt, run and explain share.
struct CommonOptions {
  std::string file;
  std::string dump_to;
  std::vector<std::string> assume_aliases;
  bool always_copy = false;
};
void AddCommonOptions(CLI::App& command, CommonOptions& options);
Result<driver::Options> ToDriverOptions(const CommonOptions& options);

// Each adds its subcommand to `app`; `exit_code` receives what it returns.
void AddConvertCommand(CLI::App& app, int& exit_code);
void AddExplainCommand(CLI::App& app, int& exit_code);
void AddOptCommand(CLI::App& app, int& exit_code);
void AddRunCommand(CLI::App& app, int& exit_code);

}  // namespace stead::tools
