// Where an instruction comes from as a protocol buffer (OpMetadata), both ways.
#pragma once

#include <string_view>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "ir/attributes.h"

namespace stead::frontend {

// Fields that HLO text has no word for are kept as ir::IsOnlyInProto says.
ir::Metadata ReadMetadata(std::string_view message);

// RETURNS Unimplemented for a field of HLO text that has no known form.
Status WriteMetadata(ProtoMessage<MetadataField>& message, const ir::Metadata& metadata);

}  // namespace stead::frontend
