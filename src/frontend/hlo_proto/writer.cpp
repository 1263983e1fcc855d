#include "frontend/hlo_proto/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "frontend/hlo_proto/data/shape.h"
#include "frontend/hlo_proto/instruction_writer.h"
#include "frontend/hlo_proto/text/extra_attributes.h"

namespace stead::frontend {

namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using HloModuleMessage = ProtoMessage<ModuleField>;

constexpr size_t kLargestMessage = (size_t{1} << 31) - 1;

// What HLO text says of a module's configuration, for which HloModuleProto has no place.
constexpr std::string_view kConfigurationKeys[] = {"replica_count", "num_partitions", "alias_passthrough_params",
                                                   "allow_spmd_sharding_propagation_to_parameters",
                                                   "allow_spmd_sharding_propagation_to_output"};

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

Status WriteComputation(ProtoMessage<ComputationField>& message, const Module& module, ComputationId id, bool is_fusion,
                        Constants constants) {
  const ir::Computation& computation = module.computation(id);
  message.add_string(ComputationField::kName, computation.name);
  for (InstrId instruction : computation.instructions) {
    ProtoMessage<InstructionField> instruction_message(message, ComputationField::kInstructions);
    TRY_STATUS(WriteInstruction(instruction_message, module, instruction, constants));
  }
  {
    ir::ProgramShape shape;
    for (InstrId parameter : computation.parameters) shape.parameters.push_back(module.shape(parameter));
    shape.result = module.shape(computation.root);
    ProtoMessage<ProgramShapeField> shape_message(message, ComputationField::kProgramShape);
    TRY_STATUS(WriteProgramShape(shape_message, shape, ParameterNames(module, computation)));
  }
  message.add_int64(ComputationField::kId, ProtoId(id));
  message.add_int64(ComputationField::kRootId, ProtoId(computation.root));
  message.add_bool(ComputationField::kIsFusionComputation, is_fusion);
  message.add_string(ComputationField::kExecutionThread,
                     computation.execution_thread.empty() ? "main" : computation.execution_thread);
  return {};
}

void WriteSchedule(HloModuleMessage& message, const Module& module, const std::vector<ComputationId>& computations,
                   const std::unordered_set<ComputationId>& fusions) {
  ProtoMessage<ScheduleField> schedule(message, ModuleField::kSchedule);
  for (ComputationId id : computations) {
    if (fusions.contains(id)) continue;
    ProtoMessage<MapEntryField> entry(schedule, ScheduleField::kSequences);
    entry.add_int64(MapEntryField::kKey, ProtoId(id));
    ProtoMessage<SequenceField> sequence(entry, MapEntryField::kValue);
    AddIntegers(sequence, SequenceField::kInstructionIds, ProtoIdsOf(module.computation(id).instructions));
  }
}

void WriteDonations(HloModuleMessage& message, const Module& module) {
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

void WriteStackFrames(HloModuleMessage& message, const ir::StackFrames& frames) {
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

Status WriteModuleExtra(HloModuleMessage& message, const Module& module) {
  for (const ir::ExtraAttribute& extra : module.extra) {
    if (ir::IsOnlyInProto(extra)) {
      TRY_STATUS(WriteVerbatimField(message, extra));
    } else if (extra.key == "frontend_attributes") {
      const SourceText source(extra.value, "");
      Cursor cursor(source);
      ProtoMessage<FrontendAttributesField> attributes(message, ModuleField::kFrontendAttributes);
      TRY_STATUS(WriteFrontendAttributes(attributes, cursor));
    } else if (std::ranges::find(kConfigurationKeys, extra.key) == std::end(kConfigurationKeys)) {
      return Unimplemented(fmt::format("module attribute `{}` as a protocol buffer", extra.key));
    }
  }
  return {};
}

Status WriteModule(HloModuleMessage& message, const Module& module, Constants constants) {
  const std::vector<ComputationId> computations = module.ComputationsPostOrder();
  const std::unordered_set<ComputationId> fusions = FusionComputations(module, computations);
  message.add_string(ModuleField::kName, module.name);
  message.add_string(ModuleField::kEntryComputationName, module.entry_computation().name);
  for (ComputationId id : computations) {
    ProtoMessage<ComputationField> computation(message, ModuleField::kComputations);
    TRY_STATUS(WriteComputation(computation, module, id, fusions.contains(id), constants));
  }
  {
    ProtoMessage<ProgramShapeField> shape_message(message, ModuleField::kHostProgramShape);
    TRY_STATUS(
        WriteProgramShape(shape_message, EntryShape(module), ParameterNames(module, module.entry_computation())));
  }
  message.add_int64(ModuleField::kEntryComputationId, ProtoId(module.entry));
  if (module.is_scheduled) WriteSchedule(message, module, computations, fusions);
  WriteDonations(message, module);
  WriteStackFrames(message, module.stack_frames);
  return WriteModuleExtra(message, module);
}

// A number that stands in the header of HLO text; 1 when it does not.
int64_t HeaderCount(const Module& module, std::string_view key) {
  const auto extra = std::ranges::find(module.extra, key, &ir::ExtraAttribute::key);
  if (extra == module.extra.end()) return 1;
  const SourceText source(extra->value, "");
  Cursor cursor(source);
  const Result<int64_t> count = cursor.ReadInteger("a count");
  return count.ok() ? *count : 1;
}

Status WriteConfig(ProtoMessage<ModuleConfigField>& message, const Module& module) {
  {
    ProtoMessage<ProgramShapeField> layout(message, ModuleConfigField::kEntryComputationLayout);
    TRY_STATUS(WriteProgramShape(layout, EntryShape(module), ParameterNames(module, module.entry_computation())));
  }
  message.add_int64(ModuleConfigField::kReplicaCount, HeaderCount(module, "replica_count"));
  message.add_int64(ModuleConfigField::kNumPartitions, HeaderCount(module, "num_partitions"));
  return {};
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
  HloModuleMessage message(bytes);
  TRY_STATUS(WriteModule(message, module, Constants::kAll));
  return Checked(std::move(bytes));
}

Result<std::string> WriteHloProtoWithConfig(const Module& module) {
  std::string bytes;
  ProtoMessage<ModuleWithConfigField> message(bytes);
  {
    HloModuleMessage module_message(message, ModuleWithConfigField::kHloModule);
    TRY_STATUS(WriteModule(module_message, module, Constants::kSmall));
  }
  {
    ProtoMessage<ModuleConfigField> config(message, ModuleWithConfigField::kConfig);
    TRY_STATUS(WriteConfig(config, module));
  }
  return Checked(std::move(bytes));
}

}  // namespace stead::frontend
