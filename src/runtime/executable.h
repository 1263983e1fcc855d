// A program that can be run. The one class of the house with virtual functions; cpu/ implements it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "runtime/memory.h"
#include "runtime/thread_pool.h"

namespace stead::runtime {

// One array argument. `donated`: the program may overwrite the memory and return it as a result. An argument whose
// parameter the plan overwrites but which is not donated in this call is copied first (copy reason C11).
struct Argument {
  AllocationRef memory;
  bool donated = false;
};

// Array leaves of the entry's parameters and result, in order. Memory is dense, in the shape's layout.
struct Signature {
  std::vector<ir::Shape> parameters;
  std::vector<ir::Shape> results;
  std::vector<bool> donatable;  // per parameter: the module gives it away (alias or donor)
};

// Bytes of one run.
struct MemoryStats {
  int64_t argument_bytes = 0, output_bytes = 0, alias_bytes = 0, temp_bytes = 0, code_bytes = 0, peak_bytes = 0;
};

// One run, as its caller sees it.
struct RunContext {
  // Objects for custom calls, by the ids of their types; null: none.
  const std::map<int64_t, void*>* user_data = nullptr;
  int64_t copied_bytes =
      0;  // out, of programs compiled to count: bytes moved by copies, and by updates beyond what they update
  ThreadPool* threads = nullptr;  // that the run may use; null: the caller's thread alone
  bool started = false;  // out: steps ran, so donated arguments may have lost their contents, also when the run failed
};

class Executable {
 public:
  virtual ~Executable() = default;
  virtual const Signature& signature() const = 0;
  virtual const MemoryStats& memory_stats() const = 0;
  // One allocation per result leaf; thread-safe. RETURNS an error for a wrong number or size of arguments, or no memory,
  // with every argument as it was; and the error of a custom call, after `context.started`.
  virtual Result<std::vector<AllocationRef>> Run(std::span<const Argument> arguments, RunContext& context) = 0;
  Result<std::vector<AllocationRef>> Run(std::span<const Argument> arguments) {
    RunContext context;
    return Run(arguments, context);
  }
};

}  // namespace stead::runtime
