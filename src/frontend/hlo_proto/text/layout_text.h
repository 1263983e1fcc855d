// What a layout says beyond the order of dimensions, which the module keeps as HLO text has it (":T(8,128)S(1)"), as
// fields of LayoutProto, both ways.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"

namespace stead::frontend {

// Takes all that is left in the message. RETURNS Unimplemented for what is not written in HLO text.
Result<std::string> TakeLayoutSuffix(MessageFields& layout);

// RETURNS Unimplemented for a suffix that has no known form.
Status WriteLayoutSuffix(ProtoMessage<LayoutField>& message, std::string_view suffix);

}  // namespace stead::frontend
