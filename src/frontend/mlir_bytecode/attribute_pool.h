// The strings, attributes and types of one bytecode file, decoded when asked for.
//   Input: the file's tables of names and entry sizes (reader.cpp).  Output: Attribute and Type values.
//   Every entry is delimited by its size, so one that nobody asks for, or of an unknown kind, is never an error.
//   Decoding looks one level deep, whatever the file says; who follows ids must limit depth. Views live as long as the
//   bytes.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute.h"
#include "frontend/mlir_bytecode/cursor.h"

namespace stead::frontend::mlir {

using DialectId = Id<struct DialectTag>;

// Where an attribute or a type lies in the file and who defines its encoding.
struct PoolEntry {
  DialectId dialect_id;
  bool is_text = false;  // assembly text instead of the dialect's encoding
  ByteRange range;
};

class AttributePool {
 public:
  AttributePool() = default;
  AttributePool(std::span<const std::byte> file, std::vector<std::string_view> strings)
      : file_(file), strings_(std::move(strings)) {}

  DialectId AddDialect(std::string_view name) { return dialects_.Add(name); }
  void AddAttribute(PoolEntry entry) { attributes_.Add(entry); }
  void AddType(PoolEntry entry) { types_.Add(entry); }

  size_t dialect_count() const { return dialects_.size(); }
  size_t attribute_count() const { return attributes_.size(); }
  size_t type_count() const { return types_.size(); }
  std::string_view dialect(DialectId id) const { return dialects_[id]; }
  std::span<const std::byte> file() const { return file_; }
  std::optional<std::string_view> StringAt(uint64_t index) const {
    return index < strings_.size() ? std::optional(strings_[index]) : std::nullopt;
  }

  // The decoded entry; an error when its bytes break the format.
  Result<Attribute> attribute(AttributeId id) const;
  Result<Type> type(TypeId id) const;

  // The attribute as a `T`, one of the members of Attribute; an error when it is of another kind.
  template <typename T>
  Result<T> Get(AttributeId id) const {
    TRY(Attribute found, attribute(id));
    if (T* wanted = std::get_if<T>(&found)) return std::move(*wanted);
    return MalformedBytecode(attributes_[id].range.begin,
                             fmt::format("expected {}, found {}", KindName(T{}), KindName(found)));
  }

  // Reads of one reference each; a bad one fails the cursor and gives an id that is none.
  std::string_view ReadString(ByteCursor& cursor) const;
  AttributeId ReadAttributeId(ByteCursor& cursor) const;
  TypeId ReadTypeId(ByteCursor& cursor) const;
  std::vector<AttributeId> ReadAttributeIds(ByteCursor& cursor) const;
  std::vector<TypeId> ReadTypeIds(ByteCursor& cursor) const;
  // An attribute reference to a string, followed at once.
  std::string_view ReadStringAttribute(ByteCursor& cursor) const;
  // The bits of an integer (sign extended) or of a float, whose width is that of `type_id`.
  int64_t ReadInteger(ByteCursor& cursor, TypeId type_id) const;
  uint64_t ReadFloatBits(ByteCursor& cursor, TypeId type_id) const;

 private:
  int ScalarWidth(ByteCursor& cursor, TypeId type_id) const;

  std::span<const std::byte> file_;
  std::vector<std::string_view> strings_;
  IdVector<DialectId, std::string_view> dialects_;
  IdVector<AttributeId, PoolEntry> attributes_;
  IdVector<TypeId, PoolEntry> types_;
};

}  // namespace stead::frontend::mlir
