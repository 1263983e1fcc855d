#include "frontend/hlo_proto/instruction_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "frontend/hlo_proto/attribute_list.h"
#include "frontend/hlo_proto/data/literal.h"
#include "frontend/hlo_proto/data/shape.h"
#include "frontend/hlo_proto/metadata.h"
#include "frontend/hlo_proto/proto_field_writer.h"
#include "frontend/hlo_proto/text/extra_attributes.h"

namespace stead::frontend {

namespace {

using ir::Instruction;
using ir::Opcode;

// Readers hold the message in one piece of at most 2 GiB, and print no more than a few elements of a constant.
constexpr int64_t kLargestSmallConstantBytes = int64_t{1} << 20;

bool HasElements(const ir::Literal& literal) {
  return !literal.elided() && std::ranges::all_of(literal.elements(), HasElements);
}

// The protocol has the body of a loop first.
std::vector<ir::ComputationId> CalledInProtoOrder(const Instruction& instruction) {
  std::vector<ir::ComputationId> called = instruction.called;
  if (instruction.opcode == Opcode::kWhile) std::ranges::reverse(called);
  return called;
}

Status WriteConstant(InstructionMessage& message, const ir::Literal& literal, Constants constants) {
  const bool is_small = literal.shape().byte_size() <= kLargestSmallConstantBytes;
  if (!HasElements(literal) || (constants == Constants::kSmall && !is_small)) return {};
  ProtoMessage<LiteralField> literal_message(message, InstructionField::kLiteral);
  return WriteLiteral(literal_message, literal);
}

// As HLO text has it: among the frontend attributes, to which the instruction's own are added.
void WriteCopyReason(InstructionMessage& message, ir::CopyReason reason) {
  if (reason == ir::CopyReason::kWritten) return;
  ProtoMessage<FrontendAttributesField> attributes(message, InstructionField::kFrontendAttributes);
  ProtoMessage<MapEntryField> entry(attributes, FrontendAttributesField::kMap);
  entry.add_string(MapEntryField::kKey, ir::kCopyReasonKey.data(), ir::kCopyReasonKey.size());
  const std::string_view code = ir::CopyReasonCode(reason);
  entry.add_string(MapEntryField::kValue, code.data(), code.size());
}

// One message deeper than the numbers of other products; readers merge it with what stands there of the text attributes.
void WriteRaggedDot(InstructionMessage& message, const ir::DotAttributes& dot, Status& status) {
  ProtoFieldWriter<InstructionField> writer(message, status);
  writer.Message<RaggedDotField>(InstructionField::kRaggedDotDimensionNumbers, [&](auto& ragged) {
    ragged.template Message<DotField>(RaggedDotField::kDotDimensionNumbers,
                                      [&](auto& numbers) { VisitDotNumbers(dot, numbers); });
  });
}

template <typename A>
void WriteStruct(const A& attributes, ProtoFieldWriter<InstructionField>& writer) {
  if constexpr (HasProtoFields<const A>) VisitProtoFields(attributes, writer);
}

Status WriteAttributes(InstructionMessage& message, const Instruction& instruction, Constants constants) {
  if (const auto* literal = std::get_if<ir::Literal>(&instruction.attributes)) {
    return WriteConstant(message, *literal, constants);
  }
  Status status;
  if (const auto* copy = std::get_if<ir::CopyAttributes>(&instruction.attributes)) {
    WriteCopyReason(message, copy->reason);
  } else if (instruction.opcode == Opcode::kRaggedDot) {
    WriteRaggedDot(message, instruction.As<ir::DotAttributes>(), status);
  } else {
    ProtoFieldWriter<InstructionField> writer(message, status);
    std::visit([&](const auto& attributes) { WriteStruct(attributes, writer); }, instruction.attributes);
  }
  return status;
}

Status WriteFields(InstructionMessage& message, const Instruction& instruction, Constants constants) {
  {
    ProtoMessage<ShapeField> shape(message, InstructionField::kShape);
    TRY_STATUS(WriteShape(shape, instruction.shape));
  }
  if (!instruction.metadata.empty()) {
    ProtoMessage<MetadataField> metadata(message, InstructionField::kMetadata);
    TRY_STATUS(WriteMetadata(metadata, instruction.metadata));
  }
  TRY_STATUS(WriteAttributes(message, instruction, constants));
  return WriteExtraAttributes(message, instruction);
}

}  // namespace

Status WriteInstruction(InstructionMessage& message, const ir::Module& module, ir::InstrId id, Constants constants) {
  const Instruction& instruction = module.instruction(id);
  const std::string_view opcode = ir::OpcodeName(instruction.opcode);
  message.add_string(InstructionField::kName, instruction.name);
  message.add_string(InstructionField::kOpcode, opcode.data(), opcode.size());
  message.add_int64(InstructionField::kId, ProtoId(id));
  AddIntegers(message, InstructionField::kOperandIds, ProtoIdsOf(instruction.operands));
  AddIntegers(message, InstructionField::kControlPredecessorIds, ProtoIdsOf(instruction.control_predecessors));
  AddIntegers(message, InstructionField::kCalledComputationIds, ProtoIdsOf(CalledInProtoOrder(instruction)));
  Status status = WriteFields(message, instruction, constants);
  if (status.ok()) return status;
  Diagnostic error = status.error();
  error.what += fmt::format(", in instruction `{}`", instruction.name);
  return error;
}

}  // namespace stead::frontend
