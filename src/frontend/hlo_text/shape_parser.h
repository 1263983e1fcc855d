// Shapes in HLO text: `f32[2,3]{1,0:T(8,128)}`, `(s32[], token[])`, `b(f32[2])`, `(f32[2]) -> f32[]`.
#pragma once

#include "base/result.h"
#include "frontend/hlo_text/cursor.h"
#include "ir/module.h"

namespace stead::frontend {

// True when the word under the cursor begins a shape: an element type, `token` or `opaque` before `[`, or `(` or `b(`.
bool SeesShape(Cursor& cursor);

Result<ir::Shape> ReadShape(Cursor& cursor);

// "{0,1}" or "{}".
Result<ir::ShapeIndex> ReadShapeIndex(Cursor& cursor);

// "(shape, shape)->shape".
Result<ir::ProgramShape> ReadProgramShape(Cursor& cursor);

}  // namespace stead::frontend
