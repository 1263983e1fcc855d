// One HloInstructionProto -> one ir::Instruction.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// What ids in the messages stand for. A computation is known once it is read, so that none calls itself.
struct ProtoIds {
  std::unordered_map<int64_t, ir::ComputationId> computations;
  std::unordered_map<int64_t, ir::InstrId> instructions;  // of one computation
};

// Appends the instruction to the computation. Operands must stand before it. `instruction_count` of the computation bounds
// the numbers of parameters. THROWS protozero::exception for bytes that are no message.
Status ReadInstruction(std::string_view message, ir::Module& module, ir::ComputationId computation,
                       size_t instruction_count, ProtoIds& ids);

// A name as HLO text can have it: other characters become '_', as in XLA.
std::string SanitizedName(std::string_view name);

}  // namespace stead::frontend
