// Constants as protocol buffers (LiteralProto), both ways.
#pragma once

#include <string_view>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "ir/literal.h"

namespace stead::frontend {

// A literal of `shape`; the message must be of the same types and dimensions. The elements are copied.
Result<ir::Literal> ReadLiteral(std::string_view message, const ir::Shape& shape);

// REQUIRES: no part of the literal is elided.
Status WriteLiteral(ProtoMessage<LiteralField>& message, const ir::Literal& literal);

}  // namespace stead::frontend
