#include "frontend/stablehlo/attribute_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cctype>
#include <cstdlib>

#include "frontend/stablehlo/literals.h"
#include "frontend/stablehlo/types.h"
#include "ir/number/element_type.h"

namespace stead::frontend {

namespace {

constexpr int kMaximumTextDepth = 16;

Result<std::string> TextOf(const mlir::AttributePool& pool, mlir::AttributeId id, int depth);

std::string StringText(std::string_view text) {
  std::string result = "\"";
  for (unsigned char letter : text) {
    if (letter == '"' || letter == '\\' || !std::isprint(letter)) {
      result += letter == '\\' ? "\\\\" : fmt::format("\\{:02X}", letter);
    } else {
      result += static_cast<char>(letter);
    }
  }
  return result + "\"";
}

// Keys that are no identifiers stand in quotes.
std::string KeyText(std::string_view key) {
  bool is_identifier = !key.empty() && !std::isdigit(static_cast<unsigned char>(key[0]));
  for (unsigned char letter : key)
    is_identifier = is_identifier && (std::isalnum(letter) || letter == '_' || letter == '.');
  return is_identifier ? std::string(key) : StringText(key);
}

// VHLO does not tell signless from signed integers; MLIR writes those without a sign, and unsigned ones with "ui".
Result<std::string> TypeText(const mlir::AttributePool& pool, mlir::TypeId id, int depth) {
  TRY(mlir::Type type, pool.type(id));
  if (depth > kMaximumTextDepth) return InvalidArgument("types are nested too deeply");
  switch (type.kind) {
    case mlir::TypeKind::kScalar: return type.name == "bool" ? "i1" : std::string(type.name);
    case mlir::TypeKind::kComplex: {
      TRY(std::string part, TypeText(pool, type.parts[0], depth + 1));
      return fmt::format("complex<{}>", part);
    }
    case mlir::TypeKind::kTensor: {
      TRY(std::string element, TypeText(pool, type.parts[0], depth + 1));
      return fmt::format("tensor<{}{}{}>", fmt::join(type.dimensions, "x"), type.dimensions.empty() ? "" : "x",
                         element);
    }
    default: return Unimplemented("a configuration contains a type that it cannot spell");
  }
}

// Six digits where they say the value exactly, else as many as it takes.
template <typename Float>
std::string DecimalText(Float value) {
  std::string text = fmt::format("{:.6e}", value);
  return static_cast<Float>(std::strtod(text.c_str(), nullptr)) == value
             ? text
             : fmt::format("{:.{}e}", value, sizeof(Float) == 4 ? 8 : 16);
}

std::string FloatText(uint64_t bits, std::string_view type_name) {
  if (type_name == "f32") {
    float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    return value - value == 0 ? DecimalText(value) : fmt::format("0x{:08X}", bits & 0xFFFFFFFF);
  }
  if (type_name == "f64") {
    double value = std::bit_cast<double>(bits);
    return value - value == 0 ? DecimalText(value) : fmt::format("0x{:016X}", bits);
  }
  return fmt::format("0x{:04X}", bits & 0xFFFF);
}

std::string ElementText(const ir::Literal& literal, int64_t index) {
  switch (literal.shape().element_type) {
    case ir::ElementType::kPred: return literal.AsInteger(index) ? "true" : "false";
    case ir::ElementType::kF32: return FloatText(literal.data<uint32_t>()[static_cast<size_t>(index)], "f32");
    case ir::ElementType::kF64: return FloatText(literal.data<uint64_t>()[static_cast<size_t>(index)], "f64");
    case ir::ElementType::kU64: return fmt::format("{}", literal.data<uint64_t>()[static_cast<size_t>(index)]);
    default: return fmt::format("{}", literal.AsInteger(index));
  }
}

// The elements of a dense array, in one pair of brackets per dimension.
void AppendElements(const ir::Literal& literal, size_t dim, int64_t& index, std::string& text) {
  const std::vector<int64_t>& dimensions = literal.shape().dimensions;
  if (dim == dimensions.size()) {
    text += ElementText(literal, index++);
    return;
  }
  text += "[";
  for (int64_t position = 0; position < dimensions[dim]; ++position) {
    if (position > 0) text += ", ";
    AppendElements(literal, dim + 1, index, text);
  }
  text += "]";
}

Result<std::string> TensorText(const mlir::AttributePool& pool, const mlir::TensorAttribute& tensor) {
  TRY(std::string type_text, TypeText(pool, tensor.type, 0));
  TRY(ir::Shape shape, ImportType(pool, tensor.type));
  TRY(ImportedLiteral imported, ImportLiteral(tensor, shape, nullptr));
  bool is_plain = ir::IsInteger(shape.element_type) || shape.element_type == ir::ElementType::kPred ||
                  shape.element_type == ir::ElementType::kF32 || shape.element_type == ir::ElementType::kF64;
  if (!is_plain) return Unimplemented(fmt::format("a configuration contains an array {}", shape.ToString(false)));
  std::string elements;
  if (shape.element_count() > 0) {
    int64_t index = 0;
    AppendElements(imported.literal, 0, index, elements);
  }
  return fmt::format("dense<{}> : {}", elements, type_text);
}

Result<std::string> ListText(const mlir::AttributePool& pool, const mlir::ArrayAttribute& array, int depth) {
  std::string text = "[";
  for (mlir::AttributeId id : array.items) {
    TRY(std::string item, TextOf(pool, id, depth));
    text += fmt::format("{}{}", text.size() > 1 ? ", " : "", item);
  }
  return text + "]";
}

Result<std::string> DictionaryText(const mlir::AttributePool& pool, const mlir::DictionaryAttribute& dictionary,
                                   int depth) {
  std::string text = "{";
  for (const mlir::DictionaryAttribute::Entry& entry : dictionary.entries) {
    TRY(std::string value, TextOf(pool, entry.value, depth));
    text += fmt::format("{}{} = {}", text.size() > 1 ? ", " : "", KeyText(entry.name), value);
  }
  return text + "}";
}

Result<std::string> IntegerText(const mlir::AttributePool& pool, const mlir::IntegerAttribute& integer) {
  if (!integer.type.valid()) return std::string(integer.value ? "true" : "false");
  TRY(mlir::Type type, pool.type(integer.type));
  if (type.name == "bool") return std::string(integer.value ? "true" : "false");
  TRY(std::string type_text, TypeText(pool, integer.type, 0));
  bool is_unsigned = type.name.starts_with("ui");
  uint64_t mask = type.bit_width >= 64 ? ~uint64_t{0} : (uint64_t{1} << type.bit_width) - 1;
  uint64_t bits = static_cast<uint64_t>(integer.value) & mask;
  if (is_unsigned) return fmt::format("{} : {}", bits, type_text);
  return fmt::format("{} : {}", integer.value, type_text);
}

Result<std::string> TextOf(const mlir::AttributePool& pool, mlir::AttributeId id, int depth) {
  if (depth > kMaximumTextDepth) return InvalidArgument("a configuration is nested too deeply");
  TRY(mlir::Attribute attribute, pool.attribute(id));
  if (const auto* array = std::get_if<mlir::ArrayAttribute>(&attribute)) return ListText(pool, *array, depth + 1);
  if (const auto* members = std::get_if<mlir::DictionaryAttribute>(&attribute))
    return DictionaryText(pool, *members, depth + 1);
  if (const auto* text = std::get_if<mlir::StringAttribute>(&attribute)) return StringText(text->text);
  if (const auto* integer = std::get_if<mlir::IntegerAttribute>(&attribute)) return IntegerText(pool, *integer);
  if (const auto* tensor = std::get_if<mlir::TensorAttribute>(&attribute)) return TensorText(pool, *tensor);
  if (const auto* type = std::get_if<mlir::TypeAttribute>(&attribute)) return TypeText(pool, type->type, depth + 1);
  if (const auto* number = std::get_if<mlir::FloatAttribute>(&attribute)) {
    TRY(mlir::Type type, pool.type(number->type));
    return fmt::format("{} : {}", FloatText(number->bits, type.name), type.name);
  }
  return Unimplemented(fmt::format("a configuration contains {}", mlir::KindName(attribute)));
}

}  // namespace

Result<std::string> AttributeText(const mlir::AttributePool& pool, mlir::AttributeId id) { return TextOf(pool, id, 0); }

}  // namespace stead::frontend
