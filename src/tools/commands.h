// The subcommands of `stead`, as functions of plain options. How they are spelled on the command line is main.cpp's affair.
//   Each prints its result on standard output and what went wrong on standard error, and returns the exit code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "driver/compile.h"

namespace stead::tools {

// Exit codes: 0 done; 1 the program or the request was refused, or --compare found a difference; 2 wrong usage.
inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;
inline constexpr int kWrongUsage = 2;

// What opt, run and explain share.
struct CommonOptions {
  std::string file;
  std::string dump_to;
  std::vector<std::string> assumed_aliases;  // NAME:OPERAND or NAME{RESULT}:OPERAND
  bool always_copy = false;
};

struct ConvertOptions {
  std::string file;
  std::string to = "text";  // or "proto"
  std::string output;       // empty: standard output
};

struct ExplainOptions {
  CommonOptions common;
  std::string format = "text";  // or "json"
};

struct RunOptions {
  CommonOptions common;
  std::vector<std::string> inputs;  // .npy files, one per array parameter; empty: random
  std::string output_dir;           // empty: print
  std::string backend = "native";   // or "interpreter"
  bool compare = false;
  bool quiet = false;
  uint32_t seed = 0;
  double tolerance = 1e-4;  // largest relative difference of floats that --compare accepts
};

int Convert(const ConvertOptions& options);
int Explain(const ExplainOptions& options);
int Optimize(const CommonOptions& options);
int RunModule(const RunOptions& options);

// Shared by the commands.
struct Program {
  std::string bytes;  // the file as it is
  ir::Module module;
};
// Reads and loads FILE ("-" is standard input).
Result<Program> LoadProgram(const std::string& path);
Result<driver::Options> ToDriverOptions(const CommonOptions& options);
// Prints the diagnostic on standard error; returns kRefused.
int Refuse(const Diagnostic& diagnostic);

}  // namespace stead::tools
