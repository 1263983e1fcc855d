// The first line of a module and the tables of source locations behind it.
#pragma once

#include "base/result.h"
#include "frontend/hlo_text/cursor.h"
#include "ir/module.h"

namespace stead::frontend {

// True where a computation stands, with or without the mark ENTRY.
bool BeginsComputation(Cursor cursor);

// `HloModule name, key=value, ...` and the tables FileNames, FunctionNames, FileLocations and StackFrames, when present.
// Where a computation comes first, there is no header, and the module has no name yet.
Status ReadHeader(Cursor& cursor, ir::Module& module);

}  // namespace stead::frontend
