// One random program on trial: its module, arguments, and what it means by the interpreter.
//   Failures are described by the program's text, its seed and the command that runs it alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "inplace/plan.h"
#include "ir/literal.h"
#include "ir/module.h"
#include "trials/random_program.h"

namespace stead::trials {

struct Trial {
  uint64_t seed = 0;
  std::string text;
  ir::Module module;
  std::vector<ir::Literal> arguments;  // per parameter leaf
  std::vector<ir::Literal> expected;   // per result leaf
};

// RETURNS an error when the program is not valid or has no meaning: the writer is wrong then.
Result<Trial> MakeTrial(uint64_t seed, const ProgramOptions& options);

// Different bits in every element of every array; numbers alone are small, so that they serve as indices.
std::vector<ir::Literal> MakeArguments(const ir::Module& module, uint64_t seed);

// `count` seeds from `first` on, times STEAD_TEST_SCALE; only STEAD_TEST_SEED when that is set.
std::vector<uint64_t> Seeds(uint64_t first, int count);

// Which result differs first, and how; empty when all bits are the same.
std::string Difference(const std::vector<ir::Literal>& expected, const std::vector<ir::Literal>& actual);

// The program, how to run it again, and the final module if there is one.
std::string Describe(const Trial& trial, const inplace::BufferPlan* plan = nullptr);

}  // namespace stead::trials
