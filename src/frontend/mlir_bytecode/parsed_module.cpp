#include "frontend/mlir_bytecode/parsed_module.h"

namespace stead::frontend::mlir {

namespace {

// Property number `position` of an operation whose properties lie at `range`.
Result<std::optional<AttributeId>> ReadProperty(const AttributePool& pool, ByteRange range, size_t position,
                                                bool is_optional) {
  ByteCursor cursor(pool.file(), range);
  for (size_t skipped = 0; skipped < position; ++skipped) cursor.ReadVarint();
  size_t start = cursor.offset();
  uint64_t reference = cursor.ReadVarint();
  bool is_present = !is_optional || (reference & 1) != 0;
  uint64_t index = is_optional ? reference >> 1 : reference;
  if (is_present && index >= pool.attribute_count()) cursor.Fail(start, "a property refers to no attribute");
  TRY_STATUS(cursor.status());
  if (!is_present) return std::optional<AttributeId>();
  return std::optional<AttributeId>(AttributeId(index));
}

}  // namespace

Result<std::optional<AttributeId>> ParsedModule::FindAttribute(const Operation& op, std::string_view name) const {
  const OpProperties* properties = op_names[op.name_id].properties;
  if (properties != nullptr && op.properties.size() > 0) {
    std::optional<size_t> position = PropertyPosition(*properties, name);
    if (position) return ReadProperty(pool, op.properties, *position, properties->are_optional);
  }
  if (!op.dictionary_id.valid()) return std::optional<AttributeId>();
  TRY(DictionaryAttribute dictionary, pool.Get<DictionaryAttribute>(op.dictionary_id));
  for (const DictionaryAttribute::Entry& entry : dictionary.entries) {
    if (entry.name == name) return std::optional<AttributeId>(entry.value);
  }
  return std::optional<AttributeId>();
}

}  // namespace stead::frontend::mlir
