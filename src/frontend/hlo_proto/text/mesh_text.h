// What is said by the axes of a mesh of devices, as messages, both ways. As value_text.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_proto/text/value_text.h"

namespace stead::frontend {

// mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a','b':(1)2}, of replica groups.
std::optional<std::string> MeshGroupsText(std::string_view message);
Status WriteMeshGroups(InstructionMessage& message, Cursor& cursor);

// {mesh['a'=2,'b'=4], [{'a'}, {?}], replicated={'b'}}, of a sharding.
std::optional<std::string> NamedShardingText(std::string_view message);
// The text behind the opening brace, which is the caller's.
Status WriteNamedSharding(ProtoMessage<ShardingField>& message, Cursor& cursor);

}  // namespace stead::frontend
