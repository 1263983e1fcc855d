// The least bytes that any plan of a small module copies, by brute force: the oracle for how good plans are.
//   All orders of all computations x all sets of private copies that cost no more than the plan under test, each run on shared
//   memory, along every path. The cost of a plan is that of its dearest path. Slow; tens of instructions at most.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"

namespace stead::trials {

struct LeastCopies {
  bool is_decided = false;  // false: too many candidates, or ops that are not covered
  int64_t bytes =
      -1;  // copied bytes x executions, those that the program itself asks for included; -1: more than planned
  std::string explanation;  // what is bought and in which orders
};

// `planned_bytes`: what the plan under test copies. Candidates that cost more are not looked at.
LeastCopies FindLeastCopies(const ir::Module& module, int64_t planned_bytes);

}  // namespace stead::trials
