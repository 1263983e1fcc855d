// The first line of a module and the tables of source locations behind it.
#pragma once

#include "base/result.h"
#include "frontend/hlo_text/cursor.h"
#include "ir/module.h"

namespace stead::frontend {

// `HloModule name, key=value, ...` and the tables FileNames, FunctionNames, FileLocations and StackFrames, when present.
Status ReadHeader(Cursor& cursor, ir::Module& module);

}  // namespace stead::frontend
