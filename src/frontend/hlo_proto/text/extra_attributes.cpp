#include "frontend/hlo_proto/text/extra_attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "frontend/hlo_proto/data/shape.h"
#include "frontend/hlo_proto/text/device_text.h"
#include "frontend/hlo_text/shape_parser.h"

namespace stead::frontend {

namespace {

using Text = std::optional<std::string>;
using Field = InstructionField;

constexpr std::string_view kDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr std::string_view kPaddingTypes[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
constexpr std::string_view kSchedules[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr std::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                             "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
                                             "API_VERSION_TYPED_FFI"};
constexpr std::string_view kTriStates[] = {"", "true", "false"};
constexpr int kOriginalApi = 1;

bool IsOneOf(ir::Opcode opcode, std::initializer_list<ir::Opcode> opcodes) {
  return std::ranges::find(opcodes, opcode) != opcodes.end();
}

bool IsBatchNorm(ir::Opcode opcode) {
  return IsOneOf(opcode, {ir::Opcode::kBatchNormGrad, ir::Opcode::kBatchNormInference, ir::Opcode::kBatchNormTraining});
}

bool HasReplicaGroups(ir::Opcode opcode) {
  return IsOneOf(opcode, {ir::Opcode::kAllGather, ir::Opcode::kAllGatherStart, ir::Opcode::kAllReduce,
                          ir::Opcode::kAllReduceStart, ir::Opcode::kAllToAll, ir::Opcode::kRaggedAllToAll,
                          ir::Opcode::kCollectiveBroadcast, ir::Opcode::kReduceScatter});
}

// Numbers, flags, lists, names and words, which are absent when they are 0 or empty.
template <Field field>
Text TakeNumber(MessageFields& fields, ir::Opcode) {
  const int64_t number = fields.TakeInteger(field);
  return number == 0 ? Text() : std::to_string(number);
}
template <Field field>
Status WriteNumber(InstructionMessage& message, Cursor& cursor) {
  TRY(int64_t number, cursor.ReadInteger("a number"));
  message.add_int64(field, number);
  return {};
}

template <Field field>
Text TakeCount(MessageFields& fields, ir::Opcode) {
  const int64_t count = fields.TakeInteger(field);
  return count <= 1 ? Text() : std::to_string(count);
}

template <Field field>
Text TakeTrue(MessageFields& fields, ir::Opcode) {
  return fields.TakeFlag(field) ? "true" : Text();
}
template <Field field>
Status WriteBoolean(InstructionMessage& message, Cursor& cursor) {
  const bool is_true = cursor.TryConsumeWord("true");
  if (!is_true && !cursor.TryConsumeWord("false")) return cursor.Unexpected("`true` or `false`");
  message.add_bool(field, is_true);
  return {};
}

template <Field field>
Text TakeList(MessageFields& fields, ir::Opcode) {
  const std::vector<int64_t> list = fields.TakeIntegers(field);
  return list.empty() ? Text() : fmt::format("{{{}}}", fmt::join(list, ","));
}
template <Field field>
Status WriteList(InstructionMessage& message, Cursor& cursor) {
  TRY(std::vector<int64_t> list, ReadBracedIntegers(cursor));
  AddIntegers(message, field, list);
  return {};
}

template <Field field>
Text TakeQuoted(MessageFields& fields, ir::Opcode) {
  const std::string_view text = fields.TakeBytes(field);
  return text.empty() ? Text() : QuotedText(text);
}
template <Field field>
Status WriteQuoted(InstructionMessage& message, Cursor& cursor) {
  TRY(std::string text, cursor.ReadString("a quoted string"));
  message.add_bytes(field, text);
  return {};
}

template <Field field, const auto& words>
Text TakeWord(MessageFields& fields, ir::Opcode) {
  const int64_t number = fields.TakeInteger(field);
  return number <= 0 || number >= std::ssize(words) ? Text() : std::string(words[number]);
}
template <Field field, const auto& words>
Status WriteWord(InstructionMessage& message, Cursor& cursor) {
  TRY(std::string_view word, cursor.ReadWord("a word"));
  const auto found = std::ranges::find(words, word);
  if (found == std::end(words)) return cursor.Error(fmt::format("unknown word `{}`", word));
  message.add_enum(field, static_cast<int32_t>(found - std::begin(words)));
  return {};
}

// A message that one of the functions of value_text.h turns into text; it stays where it is when that function cannot.
template <Field field, auto to_text>
Text TakeAsText(MessageFields& fields, ir::Opcode) {
  const std::optional<std::string_view> message = fields.PeekMessage(field);
  if (!message) return std::nullopt;
  Text text = to_text(*message);
  if (text || message->empty()) fields.Drop(field);
  return text;
}

Text TakeWindowText(MessageFields& fields, ir::Opcode) { return TakeWindow(fields); }
Text TakeLabelsText(MessageFields& fields, ir::Opcode) { return TakeConvolutionLabels(fields); }

// Fields that are always printed for their ops, and others with rules of their own.
Text TakeEpsilon(MessageFields& fields, ir::Opcode opcode) {
  const float epsilon = fields.TakeFloat(Field::kEpsilon);
  return IsBatchNorm(opcode) ? fmt::format("{}", epsilon) : Text();
}
Status WriteEpsilon(InstructionMessage& message, Cursor& cursor) {
  TRY(std::string_view word, cursor.ReadValue("a number"));
  float epsilon = 0;
  const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), epsilon);
  if (error != std::errc() || last != word.data() + word.size()) return cursor.Unexpected("a number");
  message.add_float(Field::kEpsilon, epsilon);
  return {};
}
Text TakeFeatureIndex(MessageFields& fields, ir::Opcode opcode) {
  const int64_t index = fields.TakeInteger(Field::kFeatureIndex);
  return IsBatchNorm(opcode) ? std::to_string(index) : Text();
}

Text TakeGroups(MessageFields& fields, ir::Opcode opcode) {
  Text groups = TakeReplicaGroups(fields);
  // One group of all, unless they are named by the axes of a mesh.
  const bool is_one_group = HasReplicaGroups(opcode) && !fields.Has(Field::kMeshAxesReplicaGroupList);
  if (!groups && is_one_group) groups = "{}";
  return groups;
}
Text TakePairs(MessageFields& fields, ir::Opcode) { return TakeSourceTargetPairs(fields); }
Text TakeReplication(MessageFields& fields, ir::Opcode) { return TakeParameterReplication(fields); }
Text TakeDomainText(MessageFields& fields, ir::Opcode) { return TakeDomain(fields); }

// Read where the rank of the operand is known: instruction_reader.cpp.
Text TakeNothing(MessageFields&, ir::Opcode) { return std::nullopt; }
Status WriteSliceSizes(InstructionMessage& message, Cursor& cursor) {
  std::vector<int64_t> sizes;
  TRY_STATUS(cursor.Expect("{", "before the sizes of slices"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(std::vector<int64_t> slice, ReadBracedIntegers(cursor));
    sizes.insert(sizes.end(), slice.begin(), slice.end());
  }
  AddIntegers(message, Field::kDynamicSliceSizes, sizes);
  return {};
}

// Of reduce-scatter XLA prints them before its dimensions, of others behind.
Text TakeEarlyDeviceIds(MessageFields& fields, ir::Opcode opcode) {
  return opcode == ir::Opcode::kReduceScatter ? TakeTrue<Field::kUseGlobalDeviceIds>(fields, opcode) : Text();
}

// The operands' layouts of a custom call; other ops with a constrained layout say only so.
Text TakeConstrainLayout(MessageFields& fields, ir::Opcode opcode) {
  return opcode == ir::Opcode::kCustomCall ? Text() : TakeTrue<Field::kConstrainLayout>(fields, opcode);
}

Text TakeOperandLayouts(MessageFields& fields, ir::Opcode) {
  if (!fields.TakeFlag(Field::kConstrainLayout)) return std::nullopt;
  MessageFields ahead = fields;
  Result<std::string> text = ShapesText(ahead.TakeAll(Field::kOperandShapesWithLayout));
  if (!text.ok()) return std::nullopt;
  fields.Drop(Field::kOperandShapesWithLayout);
  return *text;
}

Text TakeOutfeedShape(MessageFields& fields, ir::Opcode) {
  const std::optional<std::string_view> message = fields.PeekMessage(Field::kOutfeedShape);
  if (!message) return std::nullopt;
  Result<ir::Shape> shape = ReadShape(*message);
  if (!shape.ok()) return std::nullopt;
  fields.Drop(Field::kOutfeedShape);
  return shape->ToString();
}
Status WriteOutfeedShape(InstructionMessage& message, Cursor& cursor) {
  TRY(ir::Shape shape, ReadShape(cursor));
  ProtoMessage<ShapeField> shape_message(message, Field::kOutfeedShape);
  return WriteShape(shape_message, shape);
}

// Of ops whose attribute struct does not have them: fusion.
Text TakeAliases(MessageFields& fields, ir::Opcode) {
  if (!fields.Has(Field::kOutputOperandAliasing)) return std::nullopt;
  MessageFields ahead = fields;
  Result<std::string> text = AliasesText(ahead);
  if (!text.ok()) return std::nullopt;
  fields.Drop(Field::kOutputOperandAliasing);
  return *text;
}

// Readers merge these with the message of the other dimension numbers.
template <RaggedDotField field>
Text TakeRaggedDimensions(MessageFields& fields, ir::Opcode) {
  const std::optional<std::string_view> numbers = fields.PeekMessage(Field::kRaggedDotDimensionNumbers);
  if (!numbers) return std::nullopt;
  MessageFields ragged(*numbers);
  const std::vector<int64_t> dimensions = ragged.TakeIntegers(field);
  return dimensions.empty() ? Text() : fmt::format("{{{}}}", fmt::join(dimensions, ","));
}
template <RaggedDotField field>
Status WriteRaggedDimensions(InstructionMessage& message, Cursor& cursor) {
  TRY(std::vector<int64_t> dimensions, ReadBracedIntegers(cursor));
  ProtoMessage<RaggedDotField> ragged(message, Field::kRaggedDotDimensionNumbers);
  AddIntegers(ragged, field, dimensions);
  return {};
}

// Both parts stand in one message, which the second takes away.
Text TakeOperandPrecision(MessageFields& fields, ir::Opcode) {
  const std::optional<std::string_view> config = fields.PeekMessage(Field::kPrecisionConfig);
  return config ? OperandPrecisionText(*config) : Text();
}
Text TakeAlgorithm(MessageFields& fields, ir::Opcode) {
  const std::optional<std::string_view> config = fields.TakeMessage(Field::kPrecisionConfig);
  return config ? AlgorithmText(*config) : Text();
}

Text TakePrefetchIndex(MessageFields& fields, ir::Opcode) {
  if (!fields.Has(Field::kCrossProgramPrefetchIndex)) return std::nullopt;
  return std::to_string(fields.TakeInteger(Field::kCrossProgramPrefetchIndex));
}

Text TakeLargest(MessageFields& fields, ir::Opcode opcode) {
  const bool is_largest = fields.TakeFlag(Field::kLargest);
  return opcode == ir::Opcode::kTopK ? (is_largest ? "true" : "false") : Text();
}

// Old writers left the version unspecified and meant the original one, which text leaves out.
Text TakeApiVersion(MessageFields& fields, ir::Opcode) {
  const int64_t version = fields.TakeInteger(Field::kCustomCallApiVersion);
  return version <= kOriginalApi || version >= std::ssize(kApiVersions) ? Text() : std::string(kApiVersions[version]);
}

Text TakeThread(MessageFields& fields, ir::Opcode) {
  const std::string_view thread = fields.TakeBytes(Field::kAsyncExecutionThread);
  return thread.empty() || thread == "main" ? Text() : QuotedText(thread);
}

Text TakeBackendConfig(MessageFields& fields, ir::Opcode) {
  const std::string_view config = fields.TakeBytes(Field::kBackendConfig);
  return config.empty() ? Text() : BackendConfigText(config);
}

Status WriteShardingField(InstructionMessage& message, Cursor& cursor) {
  std::string bytes;
  ProtoMessage<ShardingField> sharding(bytes);
  TRY_STATUS(WriteSharding(sharding, cursor));
  message.add_message(Field::kSharding, bytes);
  return {};
}

Status WriteFrontendAttributesField(InstructionMessage& message, Cursor& cursor) {
  ProtoMessage<FrontendAttributesField> attributes(message, Field::kFrontendAttributes);
  return WriteFrontendAttributes(attributes, cursor);
}

struct Row {
  std::string_view key;
  Text (*take)(MessageFields&, ir::Opcode);
  Status (*write)(InstructionMessage&, Cursor&);
};

// In the order in which XLA prints them.
constexpr Row kRows[] = {
    {"epsilon", TakeEpsilon, WriteEpsilon},
    {"feature_index", TakeFeatureIndex, WriteNumber<Field::kFeatureIndex>},
    {"channel_id", TakeNumber<Field::kChannelId>, WriteNumber<Field::kChannelId>},
    {"replica_groups", TakeGroups, WriteReplicaGroups},
    {"constrain_layout", TakeConstrainLayout, WriteBoolean<Field::kConstrainLayout>},
    {"source_target_pairs", TakePairs, WriteSourceTargetPairs},
    {"use_global_device_ids", TakeEarlyDeviceIds, WriteBoolean<Field::kUseGlobalDeviceIds>},
    {"slice_sizes", TakeNothing, WriteSliceSizes},
    {"dimensions", TakeList<Field::kDimensions>, WriteList<Field::kDimensions>},
    {"use_global_device_ids", TakeTrue<Field::kUseGlobalDeviceIds>, WriteBoolean<Field::kUseGlobalDeviceIds>},
    {"is_host_transfer", TakeTrue<Field::kIsHostTransfer>, WriteBoolean<Field::kIsHostTransfer>},
    {"window", TakeWindowText, WriteWindow},
    {"dim_labels", TakeLabelsText, WriteConvolutionLabels},
    {"feature_group_count", TakeCount<Field::kFeatureGroupCount>, WriteNumber<Field::kFeatureGroupCount>},
    {"batch_group_count", TakeCount<Field::kBatchGroupCount>, WriteNumber<Field::kBatchGroupCount>},
    {"operand_precision", TakeOperandPrecision, WriteOperandPrecision},
    {"algorithm", TakeAlgorithm, WriteAlgorithm},
    {"padding_type", TakeWord<Field::kPaddingType, kPaddingTypes>, WriteWord<Field::kPaddingType, kPaddingTypes>},
    {"lhs_ragged_dims", TakeRaggedDimensions<RaggedDotField::kLhsRagged>,
     WriteRaggedDimensions<RaggedDotField::kLhsRagged>},
    {"rhs_group_dims", TakeRaggedDimensions<RaggedDotField::kRhsGroup>,
     WriteRaggedDimensions<RaggedDotField::kRhsGroup>},
    {"outfeed_shape", TakeOutfeedShape, WriteOutfeedShape},
    {"infeed_config", TakeQuoted<Field::kInfeedConfig>, WriteQuoted<Field::kInfeedConfig>},
    {"outfeed_config", TakeQuoted<Field::kOutfeedConfig>, WriteQuoted<Field::kOutfeedConfig>},
    {"parameter_replication", TakeReplication, WriteParameterReplication},
    {"cross_program_prefetch_index", TakePrefetchIndex, WriteNumber<Field::kCrossProgramPrefetchIndex>},
    {"domain", TakeDomainText, WriteDomain},
    {"delta", TakeNumber<Field::kDelta>, WriteNumber<Field::kDelta>},
    {"distribution", TakeWord<Field::kDistribution, kDistributions>, WriteWord<Field::kDistribution, kDistributions>},
    {"k", TakeNumber<Field::kK>, WriteNumber<Field::kK>},
    {"largest", TakeLargest, WriteBoolean<Field::kLargest>},
    {"operand_layout_constraints", TakeOperandLayouts, WriteOperandLayouts},
    {"output_to_operand_aliasing", TakeAliases, WriteAliases},
    {"schedule", TakeWord<Field::kCustomCallSchedule, kSchedules>, WriteWord<Field::kCustomCallSchedule, kSchedules>},
    {"api_version", TakeApiVersion, WriteWord<Field::kCustomCallApiVersion, kApiVersions>},
    {"num_carries", TakeNumber<Field::kNumCarries>, WriteNumber<Field::kNumCarries>},
    {"is_reverse", TakeTrue<Field::kIsReverse>, WriteBoolean<Field::kIsReverse>},
    {"is_associative", TakeWord<Field::kIsAssociative, kTriStates>, WriteWord<Field::kIsAssociative, kTriStates>},
    {"async_execution_thread", TakeThread, WriteQuoted<Field::kAsyncExecutionThread>},
    {"is_composite", TakeTrue<Field::kIsComposite>, WriteBoolean<Field::kIsComposite>},
    {"sharding", TakeAsText<Field::kSharding, ShardingText>, WriteShardingField},
    {"frontend_attributes", TakeAsText<Field::kFrontendAttributes, FrontendAttributesText>,
     WriteFrontendAttributesField},
    {"statistics", TakeAsText<Field::kStatisticsViz, StatisticsText>, WriteStatistics},
    {"result_accuracy", TakeAsText<Field::kResultAccuracy, ResultAccuracyText>, WriteResultAccuracy},
    {"backend_config", TakeBackendConfig, WriteBackendConfig},
};

Status WriteExtraAttribute(InstructionMessage& message, const ir::ExtraAttribute& extra) {
  if (ir::IsOnlyInProto(extra)) return WriteVerbatimField(message, extra);
  const auto row = std::ranges::find(kRows, extra.key, &Row::key);
  if (row == std::end(kRows)) return Unimplemented(fmt::format("attribute `{}` as a protocol buffer", extra.key));
  const SourceText source(extra.value, "");
  Cursor cursor(source);
  Status status = row->write(message, cursor);
  if (status.ok() && !cursor.AtEnd()) status = cursor.Unexpected("the end of the attribute");
  if (status.ok()) return status;
  return Unimplemented(fmt::format("attribute `{}={}` as a protocol buffer", extra.key, extra.value), {},
                       status.error().what);
}

}  // namespace

std::vector<ir::ExtraAttribute> TakeExtraAttributes(MessageFields& fields, ir::Opcode opcode) {
  std::vector<ir::ExtraAttribute> extra;
  for (const Row& row : kRows) {
    if (Text text = row.take(fields, opcode)) extra.push_back({std::string(row.key), std::move(*text)});
  }
  fields.Drop(Field::kRaggedDotDimensionNumbers);
  // Convolutions have one, which is empty unless they are sparse.
  if (fields.PeekMessage(Field::kSparsityConfig) == std::string_view()) fields.Drop(Field::kSparsityConfig);
  TakeVerbatimFields(fields, extra);
  return extra;
}

Status WriteExtraAttributes(InstructionMessage& message, const ir::Instruction& instruction) {
  for (const ir::ExtraAttribute& extra : instruction.extra) TRY_STATUS(WriteExtraAttribute(message, extra));
  // Readers take a missing version for an unspecified one.
  const bool has_version =
      std::ranges::find(instruction.extra, "api_version", &ir::ExtraAttribute::key) != instruction.extra.end();
  if (instruction.opcode == ir::Opcode::kCustomCall && !has_version) {
    message.add_enum(Field::kCustomCallApiVersion, kOriginalApi);
  }
  return {};
}

void TakeVerbatimFields(MessageFields& fields, std::vector<ir::ExtraAttribute>& extra) {
  for (const auto& [number, bytes] : fields.TakeRest()) {
    extra.push_back({fmt::format("{}{}", ir::kProtoFieldPrefix, number), QuotedText(bytes)});
  }
}

Result<std::string> VerbatimBytes(const ir::ExtraAttribute& extra) {
  const Diagnostic malformed = InvalidArgument(
      fmt::format("`{}` does not hold field {}", extra.key, extra.key.substr(ir::kProtoFieldPrefix.size())));
  const std::string& value = extra.value;
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return malformed;
  std::string bytes = Unescape(std::string_view(value).substr(1, value.size() - 2));
  try {
    for (ProtoTag number : MessageFields(bytes).RestNumbers()) {
      if (extra.key != fmt::format("{}{}", ir::kProtoFieldPrefix, number)) return malformed;
    }
  } catch (const protozero::exception&) {
    return malformed;
  }
  return bytes;
}

}  // namespace stead::frontend
