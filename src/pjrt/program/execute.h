// Running a compiled program on buffers, with donation as XLA's CPU client does it.
//   A parameter that the module gives away takes its buffer from the caller: the buffer counts as deleted from the start of
//   the call, and its memory may be overwritten and come back as a result. Where somebody else still reads the memory, the
//   runtime works on a copy instead: an external reference keeps the buffer alive besides, a view of foreign memory or memory
//   shared with another buffer does not.
//   When the call fails, every buffer is as it was.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

Status LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args& args);

}  // namespace stead::pjrt
