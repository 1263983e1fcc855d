#include "frontend/mlir_text/vhlo_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace stead::frontend::mlir {

namespace {

// Attributes whose fields VHLO has as attributes of the operation itself.
constexpr std::array<std::string_view, 4> kStructures = {"algorithm", "dimension_numbers", "dot_dimension_numbers",
                                                         "scatter_dimension_numbers"};

struct DefaultValue {
  std::string_view op_name, attribute;
  bool is_bool;
  int64_t value;
};

constexpr std::array<DefaultValue, 10> kDefaults = {{
    {"stablehlo.cholesky", "lower", true, 0},
    {"stablehlo.composite", "version", false, 0},
    {"stablehlo.custom_call", "has_side_effect", true, 0},
    {"stablehlo.gather", "index_vector_dim", false, 0},
    {"stablehlo.gather", "indices_are_sorted", true, 0},
    {"stablehlo.scatter", "index_vector_dim", false, 0},
    {"stablehlo.scatter", "indices_are_sorted", true, 0},
    {"stablehlo.scatter", "unique_indices", true, 0},
    {"stablehlo.sort", "dimension", false, -1},
    {"stablehlo.sort", "is_stable", true, 0},
}};

DictionaryAttribute::Entry* FindEntry(DictionaryAttribute& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes.entries, name, &DictionaryAttribute::Entry::name);
  return found == attributes.entries.end() ? nullptr : &*found;
}

Status TakeStructuresApart(AttributeReader& reader, DictionaryAttribute& attributes) {
  for (std::string_view name : kStructures) {
    const DictionaryAttribute::Entry* entry = FindEntry(attributes, name);
    if (entry == nullptr) continue;
    TRY(Attribute structure, reader.pool().attribute(entry->value));
    const auto* fields = std::get_if<DictionaryAttribute>(&structure);
    if (fields == nullptr) continue;
    attributes.entries.erase(attributes.entries.begin() + (entry - attributes.entries.data()));
    attributes.entries.insert(attributes.entries.end(), fields->entries.begin(), fields->entries.end());
  }
  return {};
}

// The text has the version of a foreign call's interface as a number.
Status NameCallVersion(AttributeReader& reader, DictionaryAttribute& attributes) {
  DictionaryAttribute::Entry* entry = FindEntry(attributes, "api_version");
  if (entry == nullptr) return {};
  TRY(Attribute version, reader.pool().attribute(entry->value));
  const auto* number = std::get_if<IntegerAttribute>(&version);
  if (number == nullptr || number->value < 0) return {};
  entry->value = reader.pool().Add(EnumAttribute{EnumKind::kCustomCallVersion, static_cast<uint64_t>(number->value)});
  return {};
}

}  // namespace

Status ToVhloForm(AttributeReader& reader, std::string_view op_name, size_t start, DictionaryAttribute& attributes) {
  if (!op_name.starts_with("stablehlo.")) return {};
  TRY_STATUS(TakeStructuresApart(reader, attributes));
  if (op_name == "stablehlo.custom_call") TRY_STATUS(NameCallVersion(reader, attributes));
  for (const DefaultValue& fallback : kDefaults) {
    if (fallback.op_name != op_name || FindEntry(attributes, fallback.attribute) != nullptr) continue;
    attributes.entries.push_back({fallback.attribute, fallback.is_bool ? reader.AddBool(fallback.value != 0)
                                                                       : reader.AddInteger(fallback.value)});
  }
  if (op_name == "stablehlo.compare" && FindEntry(attributes, "compare_type") == nullptr) {
    constexpr uint64_t kNoType = 0;
    attributes.entries.push_back(
        {"compare_type", reader.pool().Add(EnumAttribute{EnumKind::kComparisonType, kNoType})});
  }
  std::ranges::sort(attributes.entries, {}, &DictionaryAttribute::Entry::name);
  const auto twice = std::ranges::adjacent_find(attributes.entries, {}, &DictionaryAttribute::Entry::name);
  if (twice == attributes.entries.end()) return {};
  return reader.cursor().ErrorAt(start, fmt::format("attribute `{}` is given twice", twice->name));
}

}  // namespace stead::frontend::mlir
