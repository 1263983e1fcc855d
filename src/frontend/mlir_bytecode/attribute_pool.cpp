#include "frontend/mlir_bytecode/attribute_pool.h"

#include <array>

#include "frontend/mlir_bytecode/decode.h"

namespace stead::frontend::mlir {

std::string_view KindName(const Attribute& attribute) {
  static constexpr std::array<std::string_view, std::variant_size_v<Attribute>> kNames = {
      "an attribute of an unknown kind",
      "a unit attribute",
      "an array",
      "a dictionary",
      "a string",
      "an integer",
      "a float",
      "a type",
      "an enumeration",
      "a tensor",
      "a list of integers",
      "an output operand alias",
      "a file location",
      "a name location",
      "a call site location",
      "a fused location",
      "an attribute in text form",
      "a mesh of devices",
      "an axis of a mesh",
      "a part of an axis",
      "a reference to an axis",
      "the sharding of a dimension",
      "the sharding of an array",
      "a list of shardings",
      "a list of manual axes"};
  return kNames[attribute.index()];
}

Diagnostic AttributePool::AtAttribute(AttributeId id, std::string problem) const {
  const auto* entry = std::get_if<PoolEntry>(&attributes_[id]);
  return entry != nullptr ? MalformedBytecode(entry->range.begin, std::move(problem))
                          : InvalidArgument(std::move(problem));
}

Result<Attribute> AttributePool::attribute(AttributeId id) const {
  if (const auto* value = std::get_if<Attribute>(&attributes_[id])) return *value;
  const PoolEntry& entry = std::get<PoolEntry>(attributes_[id]);
  ByteCursor cursor(file_, entry.range);
  std::string_view dialect_name = dialect(entry.dialect_id);
  Attribute decoded = UnknownAttribute{dialect_name, 0};
  if (entry.is_text) decoded = TextAttribute{cursor.ReadTerminatedText()};
  if (!entry.is_text && dialect_name == "builtin") decoded = DecodeBuiltinAttribute(*this, cursor);
  if (!entry.is_text && dialect_name == "vhlo") decoded = DecodeVhloAttribute(*this, cursor);
  if (!entry.is_text && dialect_name == "sdy") decoded = DecodeShardyAttribute(*this, cursor);
  TRY_STATUS(cursor.status());
  return decoded;
}

Result<Type> AttributePool::type(TypeId id) const {
  if (const auto* value = std::get_if<Type>(&types_[id])) return *value;
  const PoolEntry& entry = std::get<PoolEntry>(types_[id]);
  ByteCursor cursor(file_, entry.range);
  std::string_view dialect_name = dialect(entry.dialect_id);
  Type decoded{.name = dialect_name};
  if (!entry.is_text && dialect_name == "builtin") decoded = DecodeBuiltinType(*this, cursor);
  if (!entry.is_text && dialect_name == "vhlo") decoded = DecodeVhloType(*this, cursor);
  if (!entry.is_text && dialect_name == "stablehlo") decoded = DecodeStablehloType(cursor);
  TRY_STATUS(cursor.status());
  return decoded;
}

std::string_view AttributePool::ReadString(ByteCursor& cursor) const {
  size_t index = cursor.ReadIndex(strings_.size(), "string");
  return cursor.ok() ? strings_[index] : std::string_view();
}

AttributeId AttributePool::ReadAttributeId(ByteCursor& cursor) const {
  size_t index = cursor.ReadIndex(attributes_.size(), "attribute");
  return cursor.ok() ? AttributeId(index) : AttributeId();
}

TypeId AttributePool::ReadTypeId(ByteCursor& cursor) const {
  size_t index = cursor.ReadIndex(types_.size(), "type");
  return cursor.ok() ? TypeId(index) : TypeId();
}

std::vector<AttributeId> AttributePool::ReadAttributeIds(ByteCursor& cursor) const {
  std::vector<AttributeId> ids(cursor.ReadCount());
  for (AttributeId& id : ids) id = ReadAttributeId(cursor);
  return ids;
}

std::vector<TypeId> AttributePool::ReadTypeIds(ByteCursor& cursor) const {
  std::vector<TypeId> ids(cursor.ReadCount());
  for (TypeId& id : ids) id = ReadTypeId(cursor);
  return ids;
}

std::string_view AttributePool::ReadStringAttribute(ByteCursor& cursor) const {
  size_t start = cursor.offset();
  AttributeId id = ReadAttributeId(cursor);
  if (!id.valid()) return {};
  // Only a string is followed: it refers to nothing, so no file can make this recurse.
  const PoolEntry& entry = std::get<PoolEntry>(attributes_[id]);
  ByteCursor target(file_, entry.range);
  bool is_builtin = dialect(entry.dialect_id) == "builtin";
  uint64_t code = target.ReadVarint();
  constexpr uint64_t kBuiltinString = 2, kBuiltinStringWithType = 3, kVhloString = 14;
  bool is_string = is_builtin ? code == kBuiltinString || code == kBuiltinStringWithType : code == kVhloString;
  if (entry.is_text || !target.ok() || !is_string) {
    cursor.Fail(start, fmt::format("attribute {} is not the string that is expected here", id.index()));
    return {};
  }
  std::string_view text = ReadString(target);
  if (!target.ok()) cursor.Fail(start, fmt::format("the string in attribute {} is cut off", id.index()));
  return text;
}

int AttributePool::ScalarWidth(ByteCursor& cursor, TypeId type_id) const {
  if (!type_id.valid()) return 0;
  Result<Type> found = type(type_id);
  if (found.ok() && found->kind == TypeKind::kScalar) return found->bit_width;
  cursor.Fail(fmt::format("type {} of a number is not a scalar type", type_id.index()));
  return 0;
}

int64_t AttributePool::ReadInteger(ByteCursor& cursor, TypeId type_id) const {
  int width = ScalarWidth(cursor, type_id);
  if (width == 0) return 0;
  if (width == 1) return cursor.ReadByte() & 1;
  if (width <= 8) return static_cast<int8_t>(cursor.ReadByte());
  if (width <= 64) return cursor.ReadSignedVarint();
  cursor.Fail(fmt::format("an integer of {} bits is wider than 64", width));
  return 0;
}

uint64_t AttributePool::ReadFloatBits(ByteCursor& cursor, TypeId type_id) const {
  int width = ScalarWidth(cursor, type_id);
  if (width == 0) return 0;
  if (width <= 8) return cursor.ReadByte();
  if (width <= 64) return static_cast<uint64_t>(cursor.ReadSignedVarint());
  cursor.Fail(fmt::format("a float of {} bits is wider than 64", width));
  return 0;
}

}  // namespace stead::frontend::mlir
