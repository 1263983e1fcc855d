#include "frontend/mlir_text/attribute_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "frontend/mlir_text/dense_elements.h"
#include "frontend/mlir_text/depth_guard.h"

namespace stead::frontend::mlir {

namespace {

constexpr int kMaximumAttributeDepth = 64;

bool IsFloatText(std::string_view number) {
  return !number.starts_with("0x") && !number.starts_with("-0x") && number.find_first_of(".eE") != std::string::npos;
}

}  // namespace

Result<AttributeId> AttributeReader::ReadAttribute() {
  DepthGuard guard(depth_);
  TRY_STATUS(guard.Check(cursor_, "attributes", kMaximumAttributeDepth));
  switch (cursor_.Peek()) {
    case '{': {
      TRY(DictionaryAttribute dictionary, ReadOptionalDictionary());
      return pool_.Add(std::move(dictionary));
    }
    case '[': return ReadList();
    case '"': return ReadStringAttribute();
    case '#': return ReadHashAttribute();
    case '@': {
      TRY(std::string_view name, ReadSymbol());
      return pool_.Add(StringAttribute{name});
    }
    default: break;
  }
  if (cursor_.SeesInteger()) return ReadNumberAttribute();
  if (cursor_.SeesWord()) return ReadKeywordAttribute();
  TRY(TypeId type, ReadType());
  return pool_.Add(TypeAttribute{type});
}

Result<AttributeId> AttributeReader::ReadKeywordAttribute() {
  if (cursor_.TryConsumeWord("true")) return AddBool(true);
  if (cursor_.TryConsumeWord("false")) return AddBool(false);
  if (cursor_.TryConsumeWord("unit")) return pool_.Add(UnitAttribute{});
  if (cursor_.TryConsumeWord("dense")) return ReadDenseElements();
  if (cursor_.TryConsumeWord("array")) return ReadDenseArray();
  const size_t start = cursor_.Next();
  if (cursor_.TryConsumeWord("dense_resource"))
    return Unimplemented("constants kept outside of their operation are not read", cursor_.PlaceOf(start));
  if (cursor_.TryConsumeWord("loc")) {
    cursor_.MoveTo(start);
    TRY(std::optional<AttributeId> location, ReadOptionalLocation());
    return *location;
  }
  for (std::string_view skipped : {"affine_map", "affine_set", "strided", "sparse"}) {
    if (!cursor_.TryConsumeWord(skipped)) continue;
    TRY(std::string_view text, cursor_.SkipBalanced());
    return pool_.Add(TextAttribute{text});
  }
  TRY(TypeId type, ReadType());
  return pool_.Add(TypeAttribute{type});
}

Result<AttributeId> AttributeReader::ReadNumberAttribute() {
  const size_t start = cursor_.Next();
  TRY(std::string_view number, cursor_.ReadNumber());
  const bool is_float = IsFloatText(number);
  TypeId type_id = ScalarNamed(is_float ? "f64" : "i64");
  if (cursor_.TryConsume(":")) {
    TRY(type_id, ReadType());
  }
  TRY(Type type, pool_.type(type_id));
  if (type.kind != TypeKind::kScalar) return cursor_.ErrorAt(start, "a number is of a type that is no scalar");
  TRY(uint64_t bits, NumberBits(cursor_, start, number, type));
  if (IsFloatType(type)) return pool_.Add(FloatAttribute{type_id, bits});
  const int unused_bits = 64 - std::max(type.bit_width, 1);
  const bool is_unsigned = type.name.starts_with("ui") || type.name == "bool";
  const int64_t value =
      is_unsigned ? static_cast<int64_t>(bits) : static_cast<int64_t>(bits << unused_bits) >> unused_bits;
  return pool_.Add(IntegerAttribute{type_id, value});
}

Result<std::string_view> AttributeReader::ReadString(std::string_view what) {
  TRY(std::string_view quoted, cursor_.ReadQuoted(what));
  if (quoted.find('\\') == std::string_view::npos) return quoted;
  return pool_.Keep(UnescapeMlir(quoted));
}

Result<AttributeId> AttributeReader::ReadStringAttribute() {
  TRY(std::string_view text, ReadString("a string"));
  if (cursor_.TryConsume(":")) {
    TRY([[maybe_unused]] TypeId type, ReadType());
  }
  return pool_.Add(StringAttribute{text});
}

Result<std::string_view> AttributeReader::ReadSymbol() {
  const size_t start = cursor_.Next();
  if (cursor_.Sees("@\"")) {
    TRY_STATUS(cursor_.Expect("@"));
    return ReadString("a name");
  }
  TRY(std::string_view name, cursor_.ReadMarked('@', "a name that begins with `@`"));
  if (cursor_.Sees("::")) return cursor_.ErrorAt(start, "names inside of other names are not read");
  return name;
}

Result<AttributeId> AttributeReader::ReadList() {
  ArrayAttribute array;
  TRY_STATUS(cursor_.Expect("["));
  if (!cursor_.TryConsume("]")) {
    do {
      TRY(AttributeId item, ReadAttribute());
      array.items.push_back(item);
    } while (cursor_.TryConsume(","));
    TRY_STATUS(cursor_.Expect("]"));
  }
  return pool_.Add(std::move(array));
}

Result<DictionaryAttribute> AttributeReader::ReadOptionalDictionary() {
  DictionaryAttribute dictionary;
  const size_t start = cursor_.Next();
  if (!cursor_.TryConsume("{")) return dictionary;
  if (!cursor_.TryConsume("}")) {
    do {
      const bool is_quoted = cursor_.Peek() == '"';
      TRY(std::string_view name, is_quoted ? ReadString("a name") : cursor_.ReadWord("the name of an attribute"));
      AttributeId value;
      if (cursor_.TryConsume("=")) {
        TRY(value, ReadAttribute());
      } else {
        value = pool_.Add(UnitAttribute{});
      }
      dictionary.entries.push_back({name, value});
    } while (cursor_.TryConsume(","));
    TRY_STATUS(cursor_.Expect("}"));
  }
  std::ranges::sort(dictionary.entries, {}, &DictionaryAttribute::Entry::name);
  const auto twice = std::ranges::adjacent_find(dictionary.entries, {}, &DictionaryAttribute::Entry::name);
  if (twice != dictionary.entries.end())
    return cursor_.ErrorAt(start, fmt::format("attribute `{}` is given twice", twice->name));
  return dictionary;
}

AttributeId AttributeReader::AddInteger(int64_t value) {
  return pool_.Add(IntegerAttribute{ScalarNamed("i64"), value});
}

AttributeId AttributeReader::AddIntegers(const std::vector<int64_t>& values, bool are_bools) {
  if (keeps_integer_lists_) return pool_.Add(IntegersAttribute{values});
  const DenseShape shape{.element = are_bools ? Type{.kind = TypeKind::kScalar, .name = "bool", .bit_width = 1}
                                              : Type{.kind = TypeKind::kScalar, .name = "i64", .bit_width = 64},
                         .dimensions = {static_cast<int64_t>(values.size())}};
  const std::string_view payload = pool_.Keep(PackIntegers(values, shape.element));
  const TypeId type = pool_.Add(Type{
      .kind = TypeKind::kTensor, .dimensions = shape.dimensions, .parts = {ScalarNamed(are_bools ? "i1" : "i64")}});
  return pool_.Add(TensorAttribute{type, std::as_bytes(std::span(payload))});
}

Status AttributeReader::ReadIntegersInto(std::vector<int64_t>& values, bool& are_bools, bool may_nest) {
  TRY_STATUS(cursor_.Expect("["));
  if (cursor_.TryConsume("]")) return {};
  do {
    if (may_nest && cursor_.Peek() == '[') {
      TRY_STATUS(ReadIntegersInto(values, are_bools, false));
      continue;
    }
    const bool is_true = cursor_.TryConsumeWord("true");
    const bool is_bool = is_true || cursor_.TryConsumeWord("false");
    int64_t value = is_true;
    if (!is_bool) {
      TRY(value, cursor_.ReadInteger("an integer"));
    }
    are_bools = are_bools || is_bool;
    values.push_back(value);
  } while (cursor_.TryConsume(","));
  return cursor_.Expect("]");
}

Result<AttributeId> AttributeReader::ReadIntegerList() {
  std::vector<int64_t> values;
  bool are_bools = false;
  TRY_STATUS(ReadIntegersInto(values, are_bools, true));
  return AddIntegers(values, are_bools);
}

// "array<i64: 1, 2>". Of other numbers than integers and bools nothing is needed.
Result<AttributeId> AttributeReader::ReadDenseArray() {
  TRY_STATUS(cursor_.Expect("<"));
  TRY(TypeId type_id, ReadType());
  TRY(Type type, pool_.type(type_id));
  std::vector<int64_t> values;
  if (cursor_.TryConsume(":")) {
    do {
      const bool is_true = cursor_.TryConsumeWord("true");
      int64_t value = is_true;
      if (!is_true && !cursor_.TryConsumeWord("false")) {
        const size_t start = cursor_.Next();
        TRY(std::string_view number, cursor_.ReadNumber());
        if (IsFloatType(type)) continue;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
        if (error != std::errc() || end != number.data() + number.size())
          return cursor_.ErrorAt(start, fmt::format("`{}` is no integer of 64 bits", number));
      }
      values.push_back(value);
    } while (cursor_.TryConsume(","));
  }
  TRY_STATUS(cursor_.Expect(">"));
  if (IsFloatType(type)) return pool_.Add(UnknownAttribute{"builtin", 0});
  return AddIntegers(values, type.name == "bool");
}

// "dense<...> : type": the type says how the elements are packed, and comes after them.
Result<AttributeId> AttributeReader::ReadDenseElements() {
  const size_t elements_start = cursor_.Next();
  TRY(std::string_view elements, cursor_.SkipBalanced());
  TRY_STATUS(cursor_.Expect(":"));
  const size_t type_start = cursor_.Next();
  TRY(TypeId type_id, ReadType());
  const size_t end = cursor_.offset();
  TRY(Type type, pool_.type(type_id));
  if (type.kind != TypeKind::kTensor && type.kind != TypeKind::kVector)
    return cursor_.ErrorAt(type_start, "a constant is no array");
  TRY(Type element, pool_.type(type.parts[0]));
  const bool is_complex = element.kind == TypeKind::kComplex;
  if (is_complex) {
    TRY(element, pool_.type(element.parts[0]));
  }
  cursor_.MoveTo(elements_start + 1);
  TRY(std::string payload, ReadDensePayload(cursor_, elements.size(), {element, is_complex, type.dimensions}));
  cursor_.MoveTo(end);
  return pool_.Add(TensorAttribute{type_id, std::as_bytes(std::span(pool_.Keep(std::move(payload))))});
}

Result<AttributeId> AttributeReader::AttributeNamed(std::string_view alias) {
  auto [found, is_new] = aliases_.try_emplace(alias);
  if (is_new) {
    found->second.first_use = cursor_.offset();
    found->second.id = pool_.Add(UnknownAttribute{});
  }
  return found->second.id;
}

Status AttributeReader::ReadAliasDefinition() {
  const bool is_type = cursor_.Peek() == '!';
  const size_t start = cursor_.Next();
  TRY(std::string_view name, cursor_.ReadMarked(is_type ? '!' : '#', "an alias"));
  TRY_STATUS(cursor_.Expect("="));
  if (is_type) {
    TRY(TypeId type, ReadType());
    if (!type_aliases_.emplace(name, type).second) return cursor_.ErrorAt(start, "an alias is defined twice");
    return {};
  }
  TRY(AttributeId named, AttributeNamed(name));
  if (aliases_[name].is_defined) return cursor_.ErrorAt(start, "an alias is defined twice");
  TRY(AttributeId value_id, ReadAttribute());
  TRY(Attribute value, pool_.attribute(value_id));
  pool_.Set(named, std::move(value));
  aliases_[name].is_defined = true;
  return {};
}

Status AttributeReader::CheckAliases() const {
  for (const auto& [name, alias] : aliases_) {
    if (!alias.is_defined)
      return cursor_.ErrorAt(alias.first_use, fmt::format("alias `#{}` is used but not defined", name));
  }
  return {};
}

}  // namespace stead::frontend::mlir
