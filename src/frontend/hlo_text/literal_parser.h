// Constant values in HLO text: `1.5`, `{ {1, 2}, {3, 4} }`, `(1, {2, 3})`, `{...}` (elided), for a known shape.
#pragma once

#include "base/result.h"
#include "frontend/hlo_text/cursor.h"
#include "ir/literal.h"

namespace stead::frontend {

Result<ir::Literal> ReadLiteral(Cursor& cursor, const ir::Shape& shape);

}  // namespace stead::frontend
