#include "frontend/hlo_text/attribute_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "frontend/hlo_text/field_reader.h"
#include "ir/text/attribute_fields.h"

namespace stead::frontend {
namespace {

// Beyond this many attributes on one instruction the text is not HLO, and looking for duplicates would take long.
constexpr size_t kMaxAttributes = 1000;

// One value, but a literal with its shape, `s32[] 1`, and replica groups by the axes of a mesh:
// `mesh['a'=2,'b'=4], device_ids=(...) {'a'}`.
Result<std::string_view> ReadAttributeValue(Cursor& cursor, std::string_view key) {
  const std::string what = fmt::format("the value of `{}`", key);
  TRY(std::string_view value, cursor.ReadValue(what));
  const char* const start = value.data();
  if (key == "literal") {
    TRY(value, cursor.ReadValue(what));
    return std::string_view(start, static_cast<size_t>(value.data() + value.size() - start));
  }
  if (!value.starts_with("mesh[")) return value;
  if (cursor.TryConsume(", device_ids=")) {
    TRY(value, cursor.ReadValue(what));
  }
  if (cursor.Sees("{")) {
    TRY(value, cursor.ReadValue(what));
  }
  return std::string_view(start, static_cast<size_t>(value.data() + value.size() - start));
}

}  // namespace

Result<AttributeList> AttributeList::Read(Cursor& cursor) {
  AttributeList list(cursor.source());
  while (cursor.TryConsume(",")) {
    size_t start = cursor.NextOffset();
    TRY(std::string_view key, cursor.ReadWord("the name of an attribute"));
    TRY_STATUS(cursor.Expect("=", fmt::format("after the attribute name `{}`", key)));
    TRY(std::string_view value, ReadAttributeValue(cursor, key));
    if (list.Has(key)) return cursor.ErrorAt(start, fmt::format("attribute `{}` is given twice", key));
    if (list.entries_.size() >= kMaxAttributes) {
      return cursor.ErrorAt(start, fmt::format("more than {} attributes", kMaxAttributes));
    }
    list.entries_.push_back({key, value});
  }
  return list;
}

std::optional<Cursor> AttributeList::Take(std::string_view key) {
  for (Entry& entry : entries_) {
    if (entry.taken || entry.key != key) continue;
    entry.taken = true;
    return Cursor(*source_, entry.value);
  }
  return std::nullopt;
}

bool AttributeList::Has(std::string_view key) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.key == key && !entry.taken; });
}

std::vector<ir::ExtraAttribute> AttributeList::Rest() const {
  std::vector<ir::ExtraAttribute> rest;
  for (const Entry& entry : entries_) {
    if (!entry.taken) rest.push_back({std::string(entry.key), std::string(entry.value)});
  }
  return rest;
}

Result<ir::Attributes> TakeAttributes(ir::Opcode opcode, AttributeList& list, const Cursor& place, size_t offset) {
  ir::Attributes attributes = ir::DefaultAttributes(opcode);
  FieldReader reader(opcode, list, place, offset);
  std::visit([&](auto& fields) { ir::VisitFields(opcode, fields, reader); }, attributes);
  TRY_STATUS(reader.status());
  return attributes;
}

Result<ir::Metadata> TakeMetadata(AttributeList& list) {
  ir::Metadata metadata;
  std::optional<Cursor> cursor = list.Take("metadata");
  if (!cursor) return metadata;
  TRY_STATUS(cursor->Expect("{", "before metadata"));
  while (!cursor->TryConsume("}")) {
    cursor->TryConsume(",");
    TRY(std::string_view key, cursor->ReadWord("a metadata field"));
    TRY_STATUS(cursor->Expect("=", "after the name of a metadata field"));
    if (key == "op_name") {
      TRY(metadata.op_name, cursor->ReadString("a quoted name"));
    } else if (key == "op_type") {
      TRY(metadata.op_type, cursor->ReadString("a quoted name"));
    } else if (key == "source_file") {
      TRY(metadata.source_file, cursor->ReadString("a quoted file name"));
    } else if (key == "source_line" || key == "stack_frame_id") {
      TRY(int64_t number, cursor->ReadInteger("a number"));
      int& field = key == "source_line" ? metadata.source_line : metadata.stack_frame_id;
      field = static_cast<int>(std::clamp<int64_t>(number, 0, std::numeric_limits<int>::max()));
    } else {
      TRY(std::string_view value, cursor->ReadValue("the value of a metadata field"));
      metadata.extra.push_back({std::string(key), std::string(value)});
    }
  }
  return metadata;
}

Result<std::vector<std::string_view>> ReadNames(Cursor& cursor) {
  std::vector<std::string_view> names;
  if (!cursor.TryConsume("{")) {
    TRY(std::string_view name, cursor.ReadName("a name"));
    names.push_back(name);
    return names;
  }
  while (!cursor.TryConsume("}")) {
    if (!names.empty()) TRY_STATUS(cursor.Expect(",", "or `}` between names"));
    TRY(std::string_view name, cursor.ReadName("a name"));
    names.push_back(name);
  }
  return names;
}

std::optional<int64_t> KnownTripCount(std::string_view backend_config) {
  std::string unescaped;
  if (backend_config.starts_with("\"")) {
    unescaped = Unescape(backend_config);
    backend_config = unescaped;
  }
  size_t start = backend_config.find("\"known_trip_count\"");
  if (start == std::string_view::npos) return std::nullopt;
  start = backend_config.find("\"n\"", start);
  if (start == std::string_view::npos) return std::nullopt;
  start = backend_config.find_first_not_of(": \t\"", start + 3);
  if (start == std::string_view::npos) return std::nullopt;
  int64_t count = 0;
  auto [last, error] =
      std::from_chars(backend_config.data() + start, backend_config.data() + backend_config.size(), count);
  if (error != std::errc() || count < 0) return std::nullopt;
  return count;
}

std::optional<ir::CopyReason> TakeCopyReason(std::vector<ir::ExtraAttribute>& extra) {
  auto attribute = std::ranges::find(extra, "frontend_attributes", &ir::ExtraAttribute::key);
  if (attribute == extra.end()) return std::nullopt;
  std::string& value = attribute->value;
  size_t start = value.find(ir::kCopyReasonKey);
  if (start == std::string::npos || start == 0) return std::nullopt;
  size_t open = value.find('"', start);
  size_t close = open == std::string::npos ? open : value.find('"', open + 1);
  if (close == std::string::npos) return std::nullopt;
  std::optional<ir::CopyReason> reason =
      ir::CopyReasonFromCode(std::string_view(value).substr(open + 1, close - open - 1));
  if (!reason) return std::nullopt;
  // With the comma after it, or, where it stands last, the comma before it.
  size_t end = std::min(value.find_first_not_of(", ", close + 1), value.size());
  if (value[end] == '}') start = value.find_last_not_of(", ", start - 1) + 1;
  value.erase(start, end - start);
  if (value == "{}") extra.erase(attribute);
  return reason;
}

}  // namespace stead::frontend
