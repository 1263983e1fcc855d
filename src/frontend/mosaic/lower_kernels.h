// Replaces calls of TPU kernels (`tpu_custom_call`) by calls of computations that do the same in HLO.
//   Input: a verified module.  Output: the same module, in which the planner, the interpreter and the machine code see loops,
//   windows and arithmetic instead of a closed box. Whether a result may lie in an operand is then a matter of proof, and an
//   alias that the call declares is where the result starts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// A call whose body cannot be read, and why; it stays as it was.
struct UnreadKernel {
  std::string name;  // of the call
  Diagnostic reason;
};

// RETURNS the calls that stay. Errors are only those of the module.
Result<std::vector<UnreadKernel>> LowerKernels(ir::Module& module);

}  // namespace stead::frontend
