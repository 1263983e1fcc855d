#include "frontend/hlo_proto/metadata.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/hlo_proto/text/extra_attributes.h"
#include "frontend/hlo_proto/text/value_text.h"
#include "frontend/hlo_text/cursor.h"

namespace stead::frontend {

namespace {

// What the module keeps as text, in the order in which XLA prints it.
struct NumberRow {
  std::string_view key;
  MetadataField field;
};
constexpr NumberRow kNumbers[] = {
    {"source_end_line", MetadataField::kSourceEndLine},
    {"source_column", MetadataField::kSourceColumn},
    {"source_end_column", MetadataField::kSourceEndColumn},
};
constexpr NumberRow kTexts[] = {
    {"deduplicated_name", MetadataField::kDeduplicatedName},
    {"scheduling_name", MetadataField::kSchedulingName},
};
constexpr std::string_view kProfileTypeKey = "profile_type";

int SmallNumber(int64_t number) {
  return static_cast<int>(std::clamp<int64_t>(number, 0, std::numeric_limits<int>::max()));
}

Status WriteExtra(ProtoMessage<MetadataField>& message, const ir::ExtraAttribute& extra) {
  if (ir::IsOnlyInProto(extra)) return WriteVerbatimField(message, extra);
  const SourceText source(extra.value, "");
  Cursor cursor(source);
  for (const NumberRow& row : kNumbers) {
    if (row.key != extra.key) continue;
    TRY(int64_t number, cursor.ReadInteger("a number"));
    message.add_int64(row.field, number);
    return {};
  }
  for (const NumberRow& row : kTexts) {
    if (row.key != extra.key) continue;
    TRY(std::string text, cursor.ReadString("a quoted name"));
    message.add_string(row.field, text);
    return {};
  }
  if (extra.key != kProfileTypeKey) {
    return Unimplemented(fmt::format("metadata field `{}` as a protocol buffer", extra.key));
  }
  TRY(std::vector<int64_t> types, ReadBracedIntegers(cursor));
  AddIntegers(message, MetadataField::kProfileType, types);
  return {};
}

}  // namespace

ir::Metadata ReadMetadata(std::string_view message) {
  MessageFields fields(message);
  ir::Metadata metadata;
  metadata.op_type = fields.TakeBytes(MetadataField::kOpType);
  metadata.op_name = fields.TakeBytes(MetadataField::kOpName);
  metadata.source_file = fields.TakeBytes(MetadataField::kSourceFile);
  metadata.source_line = SmallNumber(fields.TakeInteger(MetadataField::kSourceLine));
  metadata.stack_frame_id = SmallNumber(fields.TakeInteger(MetadataField::kStackFrameId));
  for (const NumberRow& row : kNumbers) {
    const int64_t number = fields.TakeInteger(row.field);
    if (number != 0) metadata.extra.push_back({std::string(row.key), std::to_string(number)});
  }
  const std::vector<int64_t> types = fields.TakeIntegers(MetadataField::kProfileType);
  if (!types.empty()) {
    metadata.extra.push_back({std::string(kProfileTypeKey), fmt::format("{{{}}}", fmt::join(types, ","))});
  }
  for (const NumberRow& row : kTexts) {
    const std::string_view text = fields.TakeBytes(row.field);
    if (!text.empty()) metadata.extra.push_back({std::string(row.key), QuotedText(text)});
  }
  TakeVerbatimFields(fields, metadata.extra);
  return metadata;
}

Status WriteMetadata(ProtoMessage<MetadataField>& message, const ir::Metadata& metadata) {
  if (!metadata.op_type.empty()) message.add_string(MetadataField::kOpType, metadata.op_type);
  if (!metadata.op_name.empty()) message.add_string(MetadataField::kOpName, metadata.op_name);
  if (!metadata.source_file.empty()) message.add_string(MetadataField::kSourceFile, metadata.source_file);
  if (metadata.source_line != 0) message.add_int32(MetadataField::kSourceLine, metadata.source_line);
  if (metadata.stack_frame_id != 0) message.add_int32(MetadataField::kStackFrameId, metadata.stack_frame_id);
  for (const ir::ExtraAttribute& extra : metadata.extra) TRY_STATUS(WriteExtra(message, extra));
  return {};
}

}  // namespace stead::frontend
