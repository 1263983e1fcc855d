// BufferPlan -> machine code. RETURNS `UNIMPLEMENTED: op 'x' ...` with its source place for what it cannot emit.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "inplace/plan.h"
#include "runtime/executable.h"

namespace stead::cpu {

struct CodegenOptions {
  // Called with a file name and text for each piece worth reading (steps, LLVM IR); empty: not called.
  std::function<void(const std::string& name, const std::string& text)> dump;
  // Runs say how many bytes were copied (RunContext::copied_bytes), and are slower.
  bool count_copies = false;
};

Result<std::unique_ptr<runtime::Executable>> CompileToMachineCode(const inplace::BufferPlan& plan,
                                                                  const CodegenOptions& options);

}  // namespace stead::cpu
