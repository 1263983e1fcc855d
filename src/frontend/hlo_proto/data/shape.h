// Shapes as protocol buffers (ShapeProto, ProgramShapeProto), both ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "ir/module.h"

namespace stead::frontend {

// RETURNS an error for a shape of an unknown type, with a layout that is no order of its dimensions, or larger than
// ir::kMaxReadableBytes.
Result<ir::Shape> ReadShape(std::string_view message);

// Layouts are always written out: row major unless the shape says otherwise.
Status WriteShape(ProtoMessage<ShapeField>& message, const ir::Shape& shape);

Result<ir::ProgramShape> ReadProgramShape(std::string_view message);

Status WriteProgramShape(ProtoMessage<ProgramShapeField>& message, const ir::ProgramShape& shape,
                         const std::vector<std::string>& parameter_names);

}  // namespace stead::frontend
