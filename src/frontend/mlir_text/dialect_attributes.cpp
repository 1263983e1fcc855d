// Attributes of StableHLO's dialect, "#stablehlo.gather<...>", and of others, which are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "frontend/mlir_text/attribute_reader.h"

namespace stead::frontend::mlir {

namespace {

// A closed list: its members stand at the numbers that VHLO gives them.
struct ClosedList {
  EnumKind kind;
  std::string_view keyword;
  std::array<std::string_view, 6> members;
};

constexpr std::array<ClosedList, 8> kClosedLists = {{
    {EnumKind::kComparisonDirection, "comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}},
    {EnumKind::kComparisonType, "comparison_type", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
    {EnumKind::kFftType, "fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
    {EnumKind::kPrecision, "precision", {"DEFAULT", "HIGH", "HIGHEST"}},
    {EnumKind::kRngAlgorithm, "rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}},
    {EnumKind::kRngDistribution, "rng_distribution", {"INVALID", "UNIFORM", "NORMAL"}},
    {EnumKind::kTranspose, "transpose", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
    {EnumKind::kCustomCallVersion,
     "custom_call_api_version",
     {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"}},
}};

// Of the dialects whose attributes are spelled alike: "gather" of "mhlo.gather"; nothing of another dialect's.
std::string_view StablehloName(std::string_view name) {
  for (std::string_view dialect : {"stablehlo.", "mhlo."}) {
    if (name.starts_with(dialect)) return name.substr(dialect.size());
  }
  return {};
}

}  // namespace

Result<AttributeId> AttributeReader::ReadEnum(EnumKind kind) {
  const auto list = std::ranges::find(kClosedLists, kind, &ClosedList::kind);
  const size_t start = cursor_.Next();
  TRY(std::string_view word, cursor_.ReadWord("a keyword"));
  const auto member = std::ranges::find(list->members, word);
  if (member == list->members.end()) return cursor_.ErrorAt(start, fmt::format("`{}` is no `{}`", word, list->keyword));
  return pool_.Add(EnumAttribute{kind, static_cast<uint64_t>(member - list->members.begin())});
}

// "<precision HIGH>"; keywords of other lists are not needed.
Result<AttributeId> AttributeReader::ReadStablehloKeyword() {
  const size_t start = cursor_.Next();
  TRY_STATUS(cursor_.Expect("<"));
  TRY(std::string_view keyword, cursor_.ReadWord("a keyword"));
  const auto list = std::ranges::find(kClosedLists, keyword, &ClosedList::keyword);
  if (list == kClosedLists.end()) {
    cursor_.MoveTo(start);
    TRY([[maybe_unused]] std::string_view contents, cursor_.SkipBalanced());
    return pool_.Add(UnknownAttribute{"stablehlo", 0});
  }
  TRY(AttributeId member, ReadEnum(list->kind));
  TRY_STATUS(cursor_.Expect(">"));
  return member;
}

Result<AttributeId> AttributeReader::ReadHashAttribute() {
  TRY(std::string_view name, cursor_.ReadMarked('#', "an attribute"));
  const bool has_contents = cursor_.offset() < cursor_.text().size() && cursor_.text()[cursor_.offset()] == '<';
  if (!has_contents && name.find('.') == std::string_view::npos) return AttributeNamed(name);
  if (!has_contents) return pool_.Add(UnknownAttribute{name, 0});
  if (name == "stablehlo" || name == "mhlo") return ReadStablehloKeyword();
  const std::string_view stablehlo_name = StablehloName(name);
  for (std::string_view structure : {"gather", "scatter", "dot", "dot_algorithm"}) {
    if (stablehlo_name != structure) continue;
    TRY(DictionaryAttribute fields, ReadStructure());
    return pool_.Add(std::move(fields));
  }
  if (stablehlo_name == "output_operand_alias") return ReadOutputOperandAlias();
  if (stablehlo_name == "conv") {
    TRY_STATUS(cursor_.Expect("<"));
    TRY(DictionaryAttribute dimensions, ReadConvolutionDimensions());
    TRY_STATUS(cursor_.Expect(">"));
    return pool_.Add(std::move(dimensions));
  }
  TRY([[maybe_unused]] std::string_view contents, cursor_.SkipBalanced());
  return pool_.Add(UnknownAttribute{name, 0});
}

Result<DictionaryAttribute> AttributeReader::ReadStructure() {
  DictionaryAttribute fields;
  TRY_STATUS(cursor_.Expect("<"));
  if (cursor_.TryConsume(">")) return fields;
  do {
    TRY(std::string_view name, cursor_.ReadWord("the name of a field"));
    TRY_STATUS(cursor_.Expect("="));
    TRY(AttributeId value, cursor_.Peek() == '[' ? ReadIntegerList() : ReadAttribute());
    fields.entries.push_back({name, value});
  } while (cursor_.TryConsume(","));
  TRY_STATUS(cursor_.Expect(">"));
  return fields;
}

Result<AttributeId> AttributeReader::ReadOutputOperandAlias() {
  OutputOperandAliasAttribute alias;
  const bool kept = keeps_integer_lists_;
  keeps_integer_lists_ = true;
  Result<DictionaryAttribute> fields = ReadStructure();
  keeps_integer_lists_ = kept;
  if (!fields.ok()) return fields.error();
  for (const DictionaryAttribute::Entry& field : fields->entries) {
    if (field.name == "operand_index") {
      TRY(IntegerAttribute index, pool_.Get<IntegerAttribute>(field.value));
      alias.operand_index = index.value;
      continue;
    }
    TRY(IntegersAttribute indices, pool_.Get<IntegersAttribute>(field.value));
    (field.name == "output_tuple_indices" ? alias.output_tuple_indices : alias.operand_tuple_indices) = indices.values;
  }
  return pool_.Add(std::move(alias));
}

// One array's dimensions: a letter for each special one, and the numbers of the spatial ones.
Status AttributeReader::ReadConvolutionGroup(std::string_view group, DictionaryAttribute& entries) {
  std::vector<std::pair<int64_t, int64_t>> spatial;  // number and position
  TRY_STATUS(cursor_.Expect("["));
  for (int64_t position = 0; !cursor_.TryConsume("]"); ++position) {
    if (position > 0) TRY_STATUS(cursor_.Expect(","));
    if (cursor_.SeesInteger()) {
      TRY(int64_t number, cursor_.ReadInteger("the number of a dimension"));
      spatial.emplace_back(number, position);
      continue;
    }
    if (cursor_.TryConsume("?")) continue;
    TRY(std::string_view letter, cursor_.ReadWord("a dimension"));
    const std::string_view role = letter == "b"   ? "batch"
                                  : letter == "f" ? "feature"
                                  : letter == "i" ? "input_feature"
                                  : letter == "o" ? "output_feature"
                                                  : "";
    if (role.empty()) return cursor_.Unexpected("b, f, i, o or a number");
    entries.entries.push_back({pool_.Keep(fmt::format("{}_{}_dimension", group, role)), AddInteger(position)});
  }
  std::ranges::sort(spatial);
  std::vector<int64_t> positions;
  for (const auto& [number, position] : spatial) positions.push_back(position);
  entries.entries.push_back({pool_.Keep(fmt::format("{}_spatial_dimensions", group)), AddIntegers(positions, false)});
  return {};
}

Result<DictionaryAttribute> AttributeReader::ReadConvolutionDimensions() {
  DictionaryAttribute entries;
  TRY_STATUS(ReadConvolutionGroup("input", entries));
  TRY_STATUS(cursor_.Expect("x"));
  TRY_STATUS(ReadConvolutionGroup("kernel", entries));
  TRY_STATUS(cursor_.Expect("->"));
  TRY_STATUS(ReadConvolutionGroup("output", entries));
  return entries;
}

}  // namespace stead::frontend::mlir
