// The attributes of an instruction as fields of its HloInstructionProto.
#pragma once

#include "frontend/hlo_proto/shape_writer.h"
#include "ir/module.h"

namespace stead::frontend {

// What the attribute structs of ir/attributes.h say.
void WriteAttributes(ProtoMessage<InstructionField>& message, const ir::Instruction& instruction);

// What stands as text in Instruction::extra, where a reader would show it again: frontend_attributes, backend_config,
// operand_precision, distribution, api_version, the sharding of one device. Other keys are left out.
void WriteExtraAttributes(ProtoMessage<InstructionField>& message, const ir::Instruction& instruction);

}  // namespace stead::frontend
