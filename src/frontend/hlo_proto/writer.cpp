#include "frontend/hlo_proto/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "frontend/hlo_proto/attribute_writer.h"
#include "frontend/hlo_proto/shape_writer.h"

namespace stead::frontend {

namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ModuleMessage = ProtoMessage<ModuleField>;

constexpr size_t kLargestMessage = (size_t{1} << 31) - 1;

// Ids in the message; unique in the module and never 0, which readers may take for "not set".
int64_t ProtoId(InstrId id) { return int64_t{id.index()} + 1; }
int64_t ProtoId(ComputationId id) { return int64_t{id.index()} + 1; }

template <typename IdType>
std::vector<int64_t> ProtoIds(const std::vector<IdType>& ids) {
  std::vector<int64_t> numbers;
  numbers.reserve(ids.size());
  for (IdType id : ids) numbers.push_back(ProtoId(id));
  return numbers;
}

std::unordered_set<ComputationId> FusionComputations(const Module& module,
                                                     const std::vector<ComputationId>& computations) {
  std::unordered_set<ComputationId> fusions;
  for (ComputationId computation : computations) {
    for (InstrId id : module.computation(computation).instructions) {
      const Instruction& instruction = module.instruction(id);
      if (instruction.opcode == ir::Opcode::kFusion)
        fusions.insert(instruction.called.begin(), instruction.called.end());
    }
  }
  return fusions;
}

void WriteMetadata(ProtoMessage<InstructionField>& message, const ir::Metadata& metadata) {
  if (metadata.empty()) return;
  ProtoMessage<MetadataField> fields(message, InstructionField::kMetadata);
  if (!metadata.op_type.empty()) fields.add_string(MetadataField::kOpType, metadata.op_type);
  if (!metadata.op_name.empty()) fields.add_string(MetadataField::kOpName, metadata.op_name);
  if (!metadata.source_file.empty()) fields.add_string(MetadataField::kSourceFile, metadata.source_file);
  if (metadata.source_line != 0) fields.add_int32(MetadataField::kSourceLine, metadata.source_line);
  if (metadata.stack_frame_id != 0) fields.add_int32(MetadataField::kStackFrameId, metadata.stack_frame_id);
}

// The layouts that a custom call wants, which are those its operands have.
void WriteOperandLayouts(ProtoMessage<InstructionField>& message, const Module& module,
                         const Instruction& instruction) {
  const bool is_constrained = std::ranges::any_of(
      instruction.extra, [](const ir::ExtraAttribute& extra) { return extra.key == "operand_layout_constraints"; });
  if (!is_constrained) return;
  message.add_bool(InstructionField::kConstrainLayout, true);
  for (InstrId operand : instruction.operands) {
    ProtoMessage<ShapeField> shape(message, InstructionField::kOperandShapesWithLayout);
    WriteShape(shape, module.shape(operand));
  }
}

// The protocol has the body of a loop first.
std::vector<ComputationId> CalledInProtoOrder(const Instruction& instruction) {
  std::vector<ComputationId> called = instruction.called;
  if (instruction.opcode == ir::Opcode::kWhile) std::ranges::reverse(called);
  return called;
}

void WriteInstruction(ProtoMessage<InstructionField>& message, const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  message.add_string(InstructionField::kName, instruction.name);
  message.add_string(InstructionField::kOpcode, ir::OpcodeName(instruction.opcode).data(),
                     ir::OpcodeName(instruction.opcode).size());
  {
    ProtoMessage<ShapeField> shape(message, InstructionField::kShape);
    WriteShape(shape, instruction.shape);
  }
  WriteMetadata(message, instruction.metadata);
  WriteAttributes(message, instruction);
  WriteExtraAttributes(message, instruction);
  WriteOperandLayouts(message, module, instruction);
  message.add_int64(InstructionField::kId, ProtoId(id));
  AddIntegers(message, InstructionField::kOperandIds, ProtoIds(instruction.operands));
  AddIntegers(message, InstructionField::kControlPredecessorIds, ProtoIds(instruction.control_predecessors));
  AddIntegers(message, InstructionField::kCalledComputationIds, ProtoIds(CalledInProtoOrder(instruction)));
}

// The parameters and result of the entry as they come and go: the layout given for them, or that of the instructions.
ir::ProgramShape EntryShape(const Module& module) {
  if (module.entry_layout) return *module.entry_layout;
  const ir::Computation& entry = module.entry_computation();
  ir::ProgramShape shape;
  for (InstrId parameter : entry.parameters) shape.parameters.push_back(module.shape(parameter));
  shape.result = module.shape(entry.root);
  return shape;
}

std::vector<std::string> ParameterNames(const Module& module, const ir::Computation& computation) {
  std::vector<std::string> names;
  for (InstrId parameter : computation.parameters) names.push_back(module.instruction(parameter).name);
  return names;
}

void WriteComputation(ProtoMessage<ComputationField>& message, const Module& module, ComputationId id, bool is_fusion) {
  const ir::Computation& computation = module.computation(id);
  message.add_string(ComputationField::kName, computation.name);
  for (InstrId instruction : computation.instructions) {
    ProtoMessage<InstructionField> instruction_message(message, ComputationField::kInstructions);
    WriteInstruction(instruction_message, module, instruction);
  }
  {
    std::vector<ir::Shape> parameters;
    for (InstrId parameter : computation.parameters) parameters.push_back(module.shape(parameter));
    ProtoMessage<ProgramShapeField> shape(message, ComputationField::kProgramShape);
    WriteProgramShape(shape, parameters, ParameterNames(module, computation), module.shape(computation.root));
  }
  message.add_int64(ComputationField::kId, ProtoId(id));
  message.add_int64(ComputationField::kRootId, ProtoId(computation.root));
  message.add_bool(ComputationField::kIsFusionComputation, is_fusion);
  message.add_string(ComputationField::kExecutionThread,
                     computation.execution_thread.empty() ? "main" : computation.execution_thread);
}

void WriteSchedule(ModuleMessage& message, const Module& module, const std::vector<ComputationId>& computations,
                   const std::unordered_set<ComputationId>& fusions) {
  ProtoMessage<ScheduleField> schedule(message, ModuleField::kSchedule);
  for (ComputationId id : computations) {
    if (fusions.contains(id)) continue;
    ProtoMessage<MapEntryField> entry(schedule, ScheduleField::kSequences);
    entry.add_int64(MapEntryField::kKey, ProtoId(id));
    ProtoMessage<SequenceField> sequence(entry, MapEntryField::kValue);
    AddIntegers(sequence, SequenceField::kInstructionIds, ProtoIds(module.computation(id).instructions));
  }
}

void WriteDonations(ModuleMessage& message, const Module& module) {
  {
    ProtoMessage<EntriesField> aliases(message, ModuleField::kInputOutputAlias);
    for (const ir::InputOutputAlias& alias : module.input_output_aliases) {
      ProtoMessage<AliasEntryField> entry(aliases, EntriesField::kEntries);
      AddIntegers(entry, AliasEntryField::kOutputShapeIndex, alias.output_index);
      entry.add_int64(AliasEntryField::kParameterNumber, alias.parameter);
      AddIntegers(entry, AliasEntryField::kParameterShapeIndex, alias.parameter_index);
      entry.add_enum(AliasEntryField::kKind, alias.must ? kMustAlias : kMayAlias);
    }
  }
  ProtoMessage<EntriesField> donors(message, ModuleField::kBufferDonor);
  for (const ir::BufferDonor& donor : module.buffer_donors) {
    ProtoMessage<DonorEntryField> entry(donors, EntriesField::kEntries);
    entry.add_int64(DonorEntryField::kParameterNumber, donor.parameter);
    AddIntegers(entry, DonorEntryField::kParameterShapeIndex, donor.parameter_index);
  }
}

void WriteStackFrames(ModuleMessage& message, const ir::StackFrames& frames) {
  if (frames.empty()) return;
  ProtoMessage<StackFrameIndexField> index(message, ModuleField::kStackFrameIndex);
  for (const std::string& name : frames.file_names) index.add_string(StackFrameIndexField::kFileNames, name);
  for (const std::string& name : frames.function_names) index.add_string(StackFrameIndexField::kFunctionNames, name);
  for (const ir::StackFrames::Location& location : frames.locations) {
    ProtoMessage<FileLocationField> entry(index, StackFrameIndexField::kFileLocations);
    entry.add_int32(FileLocationField::kFileNameId, location.file_name_id);
    entry.add_int32(FileLocationField::kFunctionNameId, location.function_name_id);
    entry.add_int32(FileLocationField::kLine, location.line);
    entry.add_int32(FileLocationField::kColumn, location.column);
    entry.add_int32(FileLocationField::kEndLine, location.end_line);
    entry.add_int32(FileLocationField::kEndColumn, location.end_column);
  }
  for (const ir::StackFrames::Frame& frame : frames.frames) {
    ProtoMessage<StackFrameField> entry(index, StackFrameIndexField::kStackFrames);
    entry.add_int32(StackFrameField::kFileLocationId, frame.file_location_id);
    // HLO text counts parents from 1 for "none"; the protocol has 0 for that.
    entry.add_int32(StackFrameField::kParentFrameId, std::max(frame.parent_frame_id - 1, 0));
  }
}

void WriteModuleExtra(ModuleMessage& message, const Module& module) {
  for (const ir::ExtraAttribute& extra : module.extra) {
    if (extra.key != "frontend_attributes") continue;
    ProtoMessage<FrontendAttributesField> attributes(message, ModuleField::kFrontendAttributes);
    WriteFrontendAttributes(attributes, extra.value);
  }
}

void WriteModule(ModuleMessage& message, const Module& module) {
  const std::vector<ComputationId> computations = module.ComputationsPostOrder();
  const std::unordered_set<ComputationId> fusions = FusionComputations(module, computations);
  message.add_string(ModuleField::kName, module.name);
  message.add_string(ModuleField::kEntryComputationName, module.entry_computation().name);
  for (ComputationId id : computations) {
    ProtoMessage<ComputationField> computation(message, ModuleField::kComputations);
    WriteComputation(computation, module, id, fusions.contains(id));
  }
  {
    const ir::ProgramShape shape = EntryShape(module);
    ProtoMessage<ProgramShapeField> shape_message(message, ModuleField::kHostProgramShape);
    WriteProgramShape(shape_message, shape.parameters, ParameterNames(module, module.entry_computation()),
                      shape.result);
  }
  message.add_int64(ModuleField::kEntryComputationId, ProtoId(module.entry));
  if (module.is_scheduled) WriteSchedule(message, module, computations, fusions);
  WriteDonations(message, module);
  WriteStackFrames(message, module.stack_frames);
  WriteModuleExtra(message, module);
}

void WriteConfig(ProtoMessage<ModuleConfigField>& message, const Module& module) {
  {
    const ir::ProgramShape shape = EntryShape(module);
    ProtoMessage<ProgramShapeField> layout(message, ModuleConfigField::kEntryComputationLayout);
    WriteProgramShape(layout, shape.parameters, ParameterNames(module, module.entry_computation()), shape.result);
  }
  message.add_int64(ModuleConfigField::kReplicaCount, 1);
  message.add_int64(ModuleConfigField::kNumPartitions, 1);
}

Result<std::string> Checked(std::string message) {
  if (message.size() > kLargestMessage) {
    return ResourceExhausted(fmt::format("the module takes {} bytes as a protocol buffer; the limit is {}",
                                         message.size(), kLargestMessage));
  }
  return message;
}

}  // namespace

Result<std::string> WriteHloProto(const Module& module) {
  std::string bytes;
  ModuleMessage message(bytes);
  WriteModule(message, module);
  return Checked(std::move(bytes));
}

Result<std::string> WriteHloProtoWithConfig(const Module& module) {
  std::string bytes;
  ProtoMessage<ModuleWithConfigField> message(bytes);
  {
    ModuleMessage module_message(message, ModuleWithConfigField::kHloModule);
    WriteModule(module_message, module);
  }
  {
    ProtoMessage<ModuleConfigField> config(message, ModuleWithConfigField::kConfig);
    WriteConfig(config, module);
  }
  return Checked(std::move(bytes));
}

}  // namespace stead::frontend
