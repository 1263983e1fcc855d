#include "frontend/hlo_proto/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "frontend/hlo_proto/data/shape.h"
#include "frontend/hlo_proto/instruction_reader.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_proto/text/extra_attributes.h"

namespace stead::frontend {

namespace {

using ir::ComputationId;
using ir::InstrId;

// A snapshot holds an HloProto, which holds the module.
constexpr int kMostWrappers = 2;

struct ModuleMessage {
  std::string_view module;
  std::optional<std::string_view> config;
};

// THROWS protozero::exception for bytes that are no message.
std::optional<ModuleMessage> FindModuleInside(std::string_view bytes, int wrappers_left);

// As FindModuleInside; bytes that are no message hold no module.
std::optional<ModuleMessage> FindModule(std::string_view bytes, int wrappers_left) {
  try {
    return FindModuleInside(bytes, wrappers_left);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

// Field 1 of a module is its name, of everything else the next message inside.
std::optional<ModuleMessage> FindModuleInside(std::string_view bytes, int wrappers_left) {
  const MessageFields fields(bytes);
  if (wrappers_left > 0) {
    const std::string_view first = fields.PeekMessage(WrapperField::kModule).value_or(std::string_view());
    if (std::optional<ModuleMessage> inner = FindModule(first, wrappers_left - 1)) {
      const bool is_module_with_config =
          inner->module.size() == first.size() && fields.RestNumbers() == std::vector<ProtoTag>{1, 2};
      if (is_module_with_config) inner->config = fields.PeekMessage(ModuleWithConfigField::kConfig);
      return inner;
    }
  }
  const std::optional<std::string_view> computation = fields.PeekMessage(ModuleField::kComputations);
  const bool is_module = computation && MessageFields(*computation).PeekMessage(ComputationField::kInstructions);
  if (!is_module) return std::nullopt;
  return ModuleMessage{.module = bytes, .config = std::nullopt};
}

int PlaceNumber(int64_t number) {
  return static_cast<int>(std::clamp<int64_t>(number, 0, std::numeric_limits<int>::max()));
}

class ModuleReader {
 public:
  explicit ModuleReader(const ModuleMessage& message) : fields_(message.module), config_(message.config) {}

  Result<ir::Module> Read() {
    module_.name = fields_.TakeBytes(ModuleField::kName);
    for (std::string_view computation : fields_.TakeAll(ModuleField::kComputations)) {
      TRY_STATUS(ReadComputation(computation));
    }
    TRY_STATUS(FindEntry());
    if (const auto shape = fields_.TakeMessage(ModuleField::kHostProgramShape)) {
      TRY(module_.entry_layout, ReadProgramShape(*shape));
    }
    if (const auto schedule = fields_.TakeMessage(ModuleField::kSchedule)) TRY_STATUS(ReadSchedule(*schedule));
    ReadAliases();
    ReadDonors();
    ReadStackFrames();
    if (config_) TRY_STATUS(ReadConfig(*config_));
    ReadExtra();
    return std::move(module_);
  }

 private:
  MessageFields fields_;
  std::optional<std::string_view> config_;
  ir::Module module_;
  ProtoIds ids_;
  // By the index of the computation.
  std::vector<std::unordered_map<int64_t, InstrId>> instructions_;

  Status ReadComputation(std::string_view message) {
    MessageFields fields(message);
    const int64_t id = fields.TakeInteger(ComputationField::kId);
    if (ids_.computations.contains(id)) return InvalidArgument(fmt::format("two computations have the id {}", id));
    const ComputationId computation = module_.AddComputation(SanitizedName(fields.TakeBytes(ComputationField::kName)));
    const std::string& name = module_.computation(computation).name;
    const std::vector<std::string_view> instructions = fields.TakeAll(ComputationField::kInstructions);
    ids_.instructions.clear();
    for (std::string_view instruction : instructions) {
      TRY_STATUS(ReadInstruction(instruction, module_, computation, instructions.size(), ids_));
    }
    const auto root = ids_.instructions.find(fields.TakeInteger(ComputationField::kRootId));
    if (root == ids_.instructions.end()) return InvalidArgument(fmt::format("computation `{}` has no root", name));
    module_.SetRoot(computation, root->second);
    const std::string_view thread = fields.TakeBytes(ComputationField::kExecutionThread);
    if (!thread.empty() && thread != "main") module_.SetExecutionThread(computation, std::string(thread));
    // They repeat what instructions say.
    fields.Drop(ComputationField::kProgramShape);
    fields.Drop(ComputationField::kIsFusionComputation);
    const std::vector<ProtoTag> unknown = fields.RestNumbers();
    if (!unknown.empty()) {
      return Unimplemented(fmt::format("field {} of computation `{}`", unknown.front(), name));
    }
    ids_.computations.emplace(id, computation);
    instructions_.push_back(std::move(ids_.instructions));
    return {};
  }

  // By its id, or in old modules by its name.
  Status FindEntry() {
    const auto by_id = ids_.computations.find(fields_.TakeInteger(ModuleField::kEntryComputationId));
    const std::string name = SanitizedName(fields_.TakeBytes(ModuleField::kEntryComputationName));
    if (by_id != ids_.computations.end()) {
      module_.entry = by_id->second;
      return {};
    }
    for (const auto& [id, computation] : ids_.computations) {
      if (module_.computation(computation).name == name) module_.entry = computation;
    }
    if (module_.entry.valid()) return {};
    return InvalidArgument(fmt::format("the module has no entry computation `{}`", name));
  }

  // Computations that the schedule leaves out keep the order of their instructions.
  Status ReadSchedule(std::string_view message) {
    MessageFields fields(message);
    for (std::string_view entry_message : fields.TakeAll(ScheduleField::kSequences)) {
      MessageFields entry(entry_message);
      const int64_t id = entry.TakeInteger(MapEntryField::kKey);
      const auto computation = ids_.computations.find(id);
      if (computation == ids_.computations.end()) {
        return InvalidArgument(fmt::format("computation {} of the schedule does not exist", id));
      }
      MessageFields sequence(entry.TakeBytes(MapEntryField::kValue));
      TRY_STATUS(ReadOrder(computation->second, sequence.TakeIntegers(SequenceField::kInstructionIds)));
    }
    module_.is_scheduled = true;
    return {};
  }

  Status ReadOrder(ComputationId computation, const std::vector<int64_t>& ids) {
    const std::unordered_map<int64_t, InstrId>& instructions = instructions_[computation.index()];
    std::vector<InstrId> order;
    std::unordered_set<int64_t> seen;
    for (int64_t id : ids) {
      const auto instruction = instructions.find(id);
      if (instruction == instructions.end() || !seen.insert(id).second) break;
      order.push_back(instruction->second);
    }
    if (order.size() != instructions.size() || ids.size() != order.size()) {
      return InvalidArgument(fmt::format("the schedule of `{}` does not name each of its instructions once",
                                         module_.computation(computation).name));
    }
    module_.Reorder(computation, std::move(order));
    return {};
  }

  void ReadAliases() {
    MessageFields aliases(fields_.TakeBytes(ModuleField::kInputOutputAlias));
    for (std::string_view message : aliases.TakeAll(EntriesField::kEntries)) {
      MessageFields entry(message);
      ir::InputOutputAlias alias;
      alias.output_index = entry.TakeIntegers(AliasEntryField::kOutputShapeIndex);
      alias.parameter = entry.TakeInteger(AliasEntryField::kParameterNumber);
      alias.parameter_index = entry.TakeIntegers(AliasEntryField::kParameterShapeIndex);
      alias.must = entry.TakeInteger(AliasEntryField::kKind) == kMustAlias;
      module_.input_output_aliases.push_back(std::move(alias));
    }
    fields_.Drop(ModuleField::kInputOutputAlias);
  }

  void ReadDonors() {
    MessageFields donors(fields_.TakeBytes(ModuleField::kBufferDonor));
    for (std::string_view message : donors.TakeAll(EntriesField::kEntries)) {
      MessageFields entry(message);
      ir::BufferDonor donor;
      donor.parameter = entry.TakeInteger(DonorEntryField::kParameterNumber);
      donor.parameter_index = entry.TakeIntegers(DonorEntryField::kParameterShapeIndex);
      module_.buffer_donors.push_back(std::move(donor));
    }
    fields_.Drop(ModuleField::kBufferDonor);
  }

  void ReadStackFrames() {
    MessageFields index(fields_.TakeBytes(ModuleField::kStackFrameIndex));
    fields_.Drop(ModuleField::kStackFrameIndex);
    ir::StackFrames& frames = module_.stack_frames;
    for (std::string_view name : index.TakeAll(StackFrameIndexField::kFileNames)) frames.file_names.emplace_back(name);
    for (std::string_view name : index.TakeAll(StackFrameIndexField::kFunctionNames)) {
      frames.function_names.emplace_back(name);
    }
    for (std::string_view message : index.TakeAll(StackFrameIndexField::kFileLocations)) {
      MessageFields location(message);
      frames.locations.push_back(
          {.file_name_id = PlaceNumber(location.TakeInteger(FileLocationField::kFileNameId)),
           .function_name_id = PlaceNumber(location.TakeInteger(FileLocationField::kFunctionNameId)),
           .line = PlaceNumber(location.TakeInteger(FileLocationField::kLine)),
           .end_line = PlaceNumber(location.TakeInteger(FileLocationField::kEndLine)),
           .column = PlaceNumber(location.TakeInteger(FileLocationField::kColumn)),
           .end_column = PlaceNumber(location.TakeInteger(FileLocationField::kEndColumn))});
    }
    for (std::string_view message : index.TakeAll(StackFrameIndexField::kStackFrames)) {
      MessageFields frame(message);
      // HLO text counts parents from 1 for "none"; the protocol has 0 for that.
      const int64_t parent = frame.TakeInteger(StackFrameField::kParentFrameId);
      frames.frames.push_back({.file_location_id = PlaceNumber(frame.TakeInteger(StackFrameField::kFileLocationId)),
                               .parent_frame_id = PlaceNumber(std::min<int64_t>(parent, INT32_MAX - 1) + 1)});
    }
  }

  // Only what HLO text says of a configuration; the rest is about compilers.
  Status ReadConfig(std::string_view message) {
    MessageFields config(message);
    if (const auto layout = config.TakeMessage(ModuleConfigField::kEntryComputationLayout)) {
      TRY(module_.entry_layout, ReadProgramShape(*layout));
    }
    const int64_t replicas = config.TakeInteger(ModuleConfigField::kReplicaCount);
    const int64_t partitions = config.TakeInteger(ModuleConfigField::kNumPartitions);
    if (replicas > 1) module_.extra.push_back({"replica_count", std::to_string(replicas)});
    if (partitions > 1) module_.extra.push_back({"num_partitions", std::to_string(partitions)});
    return {};
  }

  void ReadExtra() {
    fields_.Drop(ModuleField::kId);
    fields_.Drop(ModuleField::kPjrtId);
    if (const auto message = fields_.PeekMessage(ModuleField::kFrontendAttributes)) {
      const std::optional<std::string> text = FrontendAttributesText(*message);
      if (text) module_.extra.push_back({"frontend_attributes", *text});
      if (text || message->empty()) fields_.Drop(ModuleField::kFrontendAttributes);
    }
    TakeVerbatimFields(fields_, module_.extra);
  }
};

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<ir::Module> ReadModule(std::string_view bytes) {
  try {
    const std::optional<ModuleMessage> message = FindModuleInside(bytes, kMostWrappers);
    if (!message) return InvalidArgument("the protocol buffer holds no HLO module");
    return ModuleReader(*message).Read();
  } catch (const protozero::exception& exception) {
    return InvalidArgument(fmt::format("the protocol buffer is cut off or damaged ({})", exception.what()));
  }
}

}  // namespace

bool IsHloProto(std::span<const std::byte> bytes) { return FindModule(Text(bytes), kMostWrappers).has_value(); }

Result<ir::Module> ReadHloProto(std::span<const std::byte> bytes, const std::string& file_name) {
  Result<ir::Module> module = ReadModule(Text(bytes));
  if (module.ok()) return module;
  Diagnostic error = module.error();
  if (!error.where.known() || error.where.file.empty()) error.where = SourcePlace{file_name, 0, 0};
  return error;
}

}  // namespace stead::frontend
