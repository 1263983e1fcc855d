// The strings, attributes and types of one program: entries of a bytecode file, decoded when asked for, or values that a text
// spelled out.
//   Input: the file's tables of names and entry sizes (reader.cpp), or values (frontend/mlir_text).  Output: Attribute and
//   Type values.
//   An entry of a file is delimited by its size, so one that nobody asks for, or of an unknown kind, is never an error.
//   Decoding looks one level deep, whatever the file says; who follows ids must limit depth. Views live as long as the
//   bytes and the pool.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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

  // Values that are known already. `Set` gives one that was referred to before it was read its value.
  AttributeId Add(Attribute value) { return attributes_.Add(std::move(value)); }
  TypeId Add(Type value) { return types_.Add(std::move(value)); }
  void Set(AttributeId id, Attribute value) { attributes_[id] = std::move(value); }
  // Text that lives as long as the pool, for those values to view.
  std::string_view Keep(std::string text) { return kept_.emplace_back(std::move(text)); }

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
    return AtAttribute(id, fmt::format("expected {}, found {}", KindName(T{}), KindName(found)));
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
  // An error about the attribute, with its place where it has one in a file.
  Diagnostic AtAttribute(AttributeId id, std::string problem) const;
  int ScalarWidth(ByteCursor& cursor, TypeId type_id) const;

  std::span<const std::byte> file_;
  std::vector<std::string_view> strings_;
  IdVector<DialectId, std::string_view> dialects_;
  IdVector<AttributeId, std::variant<PoolEntry, Attribute>> attributes_;
  IdVector<TypeId, std::variant<PoolEntry, Type>> types_;
  std::deque<std::string> kept_;
};

}  // namespace stead::frontend::mlir
