// One ir::Instruction -> one HloInstructionProto.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "ir/module.h"

namespace stead::frontend {

// Which constants are written with their elements.
enum class Constants { kAll, kSmall };

// Ids in the message; unique in the module and never 0, which readers may take for "not set".
inline int64_t ProtoId(ir::InstrId id) { return int64_t{id.index()} + 1; }
inline int64_t ProtoId(ir::ComputationId id) { return int64_t{id.index()} + 1; }

template <typename IdType>
std::vector<int64_t> ProtoIdsOf(const std::vector<IdType>& ids) {
  std::vector<int64_t> numbers;
  numbers.reserve(ids.size());
  for (IdType id : ids) numbers.push_back(ProtoId(id));
  return numbers;
}

// RETURNS Unimplemented for an attribute that has no known form.
Status WriteInstruction(ProtoMessage<InstructionField>& message, const ir::Module& module, ir::InstrId id,
                        Constants constants);

}  // namespace stead::frontend
