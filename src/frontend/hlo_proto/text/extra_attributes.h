// The attributes that the module keeps as HLO text (Instruction::extra) as fields of HloInstructionProto: one table, by
// which they are read and written.
//   A field that nobody knows, or that says more than HLO text has words for, is kept as hlo_proto_field_N="...", its bytes
//   as they were, and written back. HLO text shows it so too, where it belongs to an instruction: our reader takes that
//   back, XLA's refuses it.
#pragma once

#include <vector>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_proto/text/value_text.h"
#include "ir/module.h"
#include "ir/text/print_attributes.h"

namespace stead::frontend {

// Takes all that is left of an instruction's fields, in the order in which XLA prints it.
std::vector<ir::ExtraAttribute> TakeExtraAttributes(MessageFields& fields, ir::Opcode opcode);

// RETURNS Unimplemented for an attribute that has no known form.
Status WriteExtraAttributes(InstructionMessage& message, const ir::Instruction& instruction);

// Appends what is left of the fields to `extra`.
void TakeVerbatimFields(MessageFields& fields, std::vector<ir::ExtraAttribute>& extra);

// REQUIRES: the key has ir::kProtoFieldPrefix. RETURNS an error when the value is not what TakeVerbatimFields makes.
Result<std::string> VerbatimBytes(const ir::ExtraAttribute& extra);

template <typename Field>
Status WriteVerbatimField(ProtoMessage<Field>& message, const ir::ExtraAttribute& extra) {
  TRY(std::string bytes, VerbatimBytes(extra));
  AddVerbatim(message, bytes);
  return {};
}

}  // namespace stead::frontend
