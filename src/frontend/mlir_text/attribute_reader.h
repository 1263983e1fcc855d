// Attributes, types and locations of MLIR assembly -> values in an AttributePool, in the forms that VHLO has for them: lists
// of numbers become tensors, members of closed lists their numbers.
//   Dialect attributes that nobody here needs are skipped by their brackets and become UnknownAttribute.
//   Nesting is limited. What an alias stands for may come later in the text; it is filled in then.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute_pool.h"
#include "frontend/mlir_text/text_cursor.h"

namespace stead::frontend::mlir {

class AttributeReader {
 public:
  AttributeReader(TextCursor& cursor, AttributePool& pool)
      : cursor_(cursor), pool_(pool), file_name_(pool.Keep(cursor.file_name())) {}

  TextCursor& cursor() { return cursor_; }
  AttributePool& pool() { return pool_; }

  Result<TypeId> ReadType();
  Result<AttributeId> ReadAttribute();
  // "{name = value, ...}" when one stands here; its entries in the order of their names.
  Result<DictionaryAttribute> ReadOptionalDictionary();
  // The fields of a structure, "<name = value, ...>"; lists of numbers in them are tensors.
  Result<DictionaryAttribute> ReadStructure();
  // "loc(...)" when one stands here.
  Result<std::optional<AttributeId>> ReadOptionalLocation();
  // The place of `offset` in this text, as a location.
  AttributeId LocationOf(size_t offset);
  // "#name = value" and "!name = type" outside of operations.
  Status ReadAliasDefinition();
  // RETURNS an error when an alias was used and never defined.
  Status CheckAliases() const;

  // "[1, 2]" or "[[1, 2], [3, 4]]" as one list of 64-bit integers; of bools when it lists those.
  Result<AttributeId> ReadIntegerList();
  // The text of a string, escapes resolved.
  Result<std::string_view> ReadString(std::string_view what);
  // "@name", "@\"name\"".
  Result<std::string_view> ReadSymbol();
  // A word of the closed list `kind`, as its number.
  Result<AttributeId> ReadEnum(EnumKind kind);
  // "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" as the entries that VHLO has for the dimensions of a convolution.
  Result<DictionaryAttribute> ReadConvolutionDimensions();
  AttributeId AddIntegers(const std::vector<int64_t>& values, bool are_bools);
  AttributeId AddInteger(int64_t value);
  AttributeId AddBool(bool value) { return pool_.Add(IntegerAttribute{TypeId(), value}); }

  // How lists of numbers are kept while set: as IntegersAttribute, in which the attributes of a module are.
  void KeepIntegerLists(bool keep) { keeps_integer_lists_ = keep; }

 private:
  // types.cpp
  Result<TypeId> ReadTypeUncached();
  Result<Type> ReadShapedType(TypeKind kind);
  Result<Type> ReadFunctionType();
  Result<Type> ReadDialectType();
  Result<std::vector<TypeId>> ReadTypeList(std::string_view closing);
  TypeId ScalarNamed(std::string_view name);

  // attribute_reader.cpp
  Result<AttributeId> ReadNumberAttribute();
  Result<AttributeId> ReadKeywordAttribute();
  Result<AttributeId> ReadStringAttribute();
  Result<AttributeId> ReadList();
  Result<AttributeId> ReadDenseArray();
  Status ReadIntegersInto(std::vector<int64_t>& values, bool& are_bools, bool may_nest);
  Result<AttributeId> ReadDenseElements();
  Result<AttributeId> AttributeNamed(std::string_view alias);

  // dialect_attributes.cpp
  Result<AttributeId> ReadHashAttribute();
  Result<AttributeId> ReadStablehloKeyword();
  Status ReadConvolutionGroup(std::string_view group, DictionaryAttribute& entries);
  Result<AttributeId> ReadOutputOperandAlias();

  // locations.cpp
  Result<AttributeId> ReadLocationBody();
  Result<AttributeId> ReadNamedLocation();
  Result<AttributeId> ReadFusedLocation();

  TextCursor& cursor_;
  AttributePool& pool_;
  std::string_view file_name_;
  std::unordered_map<std::string_view, TypeId> types_;  // by their spelling
  std::unordered_map<std::string_view, TypeId> type_aliases_;
  struct Alias {
    AttributeId id;
    bool is_defined = false;
    size_t first_use = 0;
  };
  std::unordered_map<std::string_view, Alias> aliases_;
  bool keeps_integer_lists_ = false;
  int depth_ = 0;  // attributes, types and locations, open at once
};

}  // namespace stead::frontend::mlir
