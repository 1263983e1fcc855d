// What a custom call says, for the room that knows the foreign interface.
#pragma once

#include "base/result.h"
#include "ffi/custom_call.h"
#include "ir/module.h"

namespace stead::cpu {

// RETURNS `UNIMPLEMENTED` with the target and its place for calls of the older, untyped interfaces and for values that are
// neither tokens nor arrays of known size.
Result<ffi::CallSite> ToCallSite(const ir::Module& module, ir::InstrId id);

}  // namespace stead::cpu
