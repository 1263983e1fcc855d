// A call of a TPU kernel as its configuration describes it.
//   Input: the `backend_config` of a `tpu_custom_call`: JSON, or a quoted string with JSON in it.  Output: the kernel's body, MLIR
//   bytecode. RETURNS UNIMPLEMENTED for kernels that talk to other devices and for bodies in another form.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// True for a custom call whose target is a TPU kernel.
bool IsKernelCall(const ir::Instruction& instruction);

// REQUIRES: IsKernelCall(call).
Result<std::vector<std::byte>> ReadKernelBody(const ir::Instruction& call);

}  // namespace stead::frontend
