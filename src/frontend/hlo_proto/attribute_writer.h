// The attributes of an instruction as fields of its HloInstructionProto.
#pragma once

#include <string_view>

#include "frontend/hlo_proto/shape_writer.h"
#include "ir/module.h"

namespace stead::frontend {

// What the attribute structs of ir/attributes.h say.
void WriteAttributes(ProtoMessage<InstructionField>& message, const ir::Instruction& instruction);

// What stands as text in Instruction::extra, where a reader would show it again: frontend_attributes, backend_config,
// operand_precision, api_version, the fields of random ops and topk, sharding={replicated}. Other keys are left out.
void WriteExtraAttributes(ProtoMessage<InstructionField>& message, const ir::Instruction& instruction);

// {key="value",key="value"}, the text of frontend_attributes.
void WriteFrontendAttributes(ProtoMessage<FrontendAttributesField>& attributes, std::string_view text);

}  // namespace stead::frontend
