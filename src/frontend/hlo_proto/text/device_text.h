// Attributes that the module keeps as HLO text, as messages, both ways: those that name devices. As value_text.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_proto/text/value_text.h"

namespace stead::frontend {

// {replicated}, {maximal device=0}, {devices=[2,2]<=[4] last_tile_dim_replicate}, {{manual}, {unknown}}, {mesh['a'=2], [{'a'}]}.
// Nothing for shardings with metadata.
std::optional<std::string> ShardingText(std::string_view message);
Status WriteSharding(ProtoMessage<ShardingField>& message, Cursor& cursor);

// {kind="sharding", entry={...}, exit={...}}
std::optional<std::string> TakeDomain(MessageFields& instruction);
Status WriteDomain(InstructionMessage& message, Cursor& cursor);

// {{0,1},{2,3}}, [2,2]<=[4] or mesh['a'=2] {'a'}, from whichever of the fields holds it.
std::optional<std::string> TakeReplicaGroups(MessageFields& instruction);
Status WriteReplicaGroups(InstructionMessage& message, Cursor& cursor);

// {{0,1},{1,0}}
std::optional<std::string> TakeSourceTargetPairs(MessageFields& instruction);
Status WriteSourceTargetPairs(InstructionMessage& message, Cursor& cursor);

// {true,false}
std::optional<std::string> TakeParameterReplication(MessageFields& instruction);
Status WriteParameterReplication(InstructionMessage& message, Cursor& cursor);

}  // namespace stead::frontend
