#include "frontend/hlo_proto/text/value_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "frontend/hlo_proto/attribute_list.h"
#include "frontend/hlo_proto/data/shape.h"
#include "frontend/hlo_proto/proto_field_reader.h"
#include "frontend/hlo_proto/proto_field_writer.h"
#include "frontend/hlo_text/field_reader.h"
#include "frontend/hlo_text/shape_parser.h"
#include "ir/text/print_attributes.h"

namespace stead::frontend {

namespace {

constexpr std::string_view kPrecisions[] = {"default", "high", "highest"};
constexpr std::string_view kAlgorithms[] = {"",
                                            "dot_any_f8_any_f8_f32",
                                            "dot_any_f8_any_f8_f32_fast_accum",
                                            "dot_f16_f16_f16",
                                            "dot_f16_f16_f32",
                                            "dot_bf16_bf16_bf16",
                                            "dot_bf16_bf16_f32",
                                            "dot_bf16_bf16_f32_x3",
                                            "dot_bf16_bf16_f32_x6",
                                            "dot_tf32_tf32_f32",
                                            "dot_tf32_tf32_f32_x3",
                                            "dot_f32_f32_f32",
                                            "dot_f64_f64_f64",
                                            "dot_bf16_bf16_f32_x9"};
constexpr std::string_view kAccuracyModes[] = {"default", "highest"};

bool IsWord(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsWordCharacter); }

// Whether readers of HLO text find the end of `text` without quotes around it.
bool IsDictionary(std::string_view text) {
  if (!text.starts_with('{') || !text.ends_with('}')) return false;
  const SourceText source(text, "");
  Cursor cursor(source);
  const Result<std::string_view> value = cursor.ReadValue("a dictionary");
  return value.ok() && value->size() == text.size();
}

std::string DictionaryOrQuoted(std::string_view text) {
  return IsDictionary(text) ? std::string(text) : QuotedText(text);
}

// A value as it stands, or what its quotes enclose.
Result<std::string> ReadPlainValue(Cursor& cursor) {
  TRY(std::string_view value, cursor.ReadValue("a value"));
  if (!value.starts_with('"')) return std::string(value);
  return Unescape(value.substr(1, value.size() - 2));
}

template <size_t count>
Result<int> ReadWordOf(Cursor& cursor, const std::string_view (&words)[count], std::string_view what) {
  TRY(std::string_view word, cursor.ReadWord(what));
  const auto found = std::ranges::find(words, word);
  if (found == std::end(words)) return Unimplemented(fmt::format("{} `{}` as a protocol buffer", what, word));
  return static_cast<int>(found - std::begin(words));
}

Result<double> ReadDouble(Cursor& cursor) {
  TRY(std::string_view word, cursor.ReadValue("a number"));
  double number = 0;
  const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && last == word.data() + word.size()) return number;
  return InvalidArgument(fmt::format("`{}` is no number", word));
}

}  // namespace

std::string QuotedText(std::string_view text) { return fmt::format("\"{}\"", ir::Escape(text)); }

Result<std::vector<int64_t>> ReadBracedIntegers(Cursor& cursor) {
  std::vector<int64_t> integers;
  TRY_STATUS(ReadField(cursor, integers));
  return integers;
}

std::string ListSeparator(size_t number) {
  if (number == 0) return "";
  return number % 5 == 0 ? fmt::format(", /*index={}*/", number) : ", ";
}

std::optional<std::string> FrontendAttributesText(std::string_view message) {
  MessageFields fields(message);
  std::map<std::string_view, std::string_view> attributes;
  for (std::string_view entry_message : fields.TakeAll(FrontendAttributesField::kMap)) {
    MessageFields entry(entry_message);
    const std::string_view key = entry.TakeBytes(MapEntryField::kKey);
    if (!IsWord(key)) return std::nullopt;
    attributes[key] = entry.TakeBytes(MapEntryField::kValue);
  }
  if (attributes.empty() || !fields.RestNumbers().empty()) return std::nullopt;
  std::vector<std::string> pairs;
  for (const auto& [key, value] : attributes) pairs.push_back(fmt::format("{}={}", key, DictionaryOrQuoted(value)));
  return fmt::format("{{{}}}", fmt::join(pairs, ","));
}

Status WriteFrontendAttributes(ProtoMessage<FrontendAttributesField>& message, Cursor& cursor) {
  TRY_STATUS(cursor.Expect("{", "before frontend attributes"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(std::string_view key, cursor.ReadWord("the name of a frontend attribute"));
    TRY_STATUS(cursor.Expect("=", "after the name of a frontend attribute"));
    TRY(std::string value, ReadPlainValue(cursor));
    ProtoMessage<MapEntryField> entry(message, FrontendAttributesField::kMap);
    entry.add_string(MapEntryField::kKey, key.data(), key.size());
    entry.add_string(MapEntryField::kValue, value);
  }
  return {};
}

std::string BackendConfigText(std::string_view config) { return DictionaryOrQuoted(config); }

Status WriteBackendConfig(InstructionMessage& message, Cursor& cursor) {
  TRY(std::string config, ReadPlainValue(cursor));
  message.add_bytes(InstructionField::kBackendConfig, config);
  return {};
}

std::optional<std::string> OperandPrecisionText(std::string_view message) {
  MessageFields fields(message);
  const std::vector<int64_t> precisions = fields.TakeIntegers(PrecisionConfigField::kOperandPrecision);
  if (std::ranges::all_of(precisions, [](int64_t precision) { return precision == 0; })) return std::nullopt;
  std::vector<std::string_view> words;
  for (int64_t precision : precisions) {
    if (precision < 0 || precision >= std::ssize(kPrecisions)) return std::nullopt;
    words.push_back(kPrecisions[precision]);
  }
  return fmt::format("{{{}}}", fmt::join(words, ","));
}

Status WriteOperandPrecision(InstructionMessage& message, Cursor& cursor) {
  std::vector<int64_t> precisions;
  TRY_STATUS(cursor.Expect("{", "before precisions"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(int precision, ReadWordOf(cursor, kPrecisions, "a precision"));
    precisions.push_back(precision);
  }
  // Readers merge this message with that of the algorithm.
  ProtoMessage<PrecisionConfigField> config(message, InstructionField::kPrecisionConfig);
  AddIntegers(config, PrecisionConfigField::kOperandPrecision, precisions);
  return {};
}

std::optional<std::string> AlgorithmText(std::string_view message) {
  MessageFields fields(message);
  const int64_t algorithm = fields.TakeInteger(PrecisionConfigField::kAlgorithm);
  if (algorithm <= 0 || algorithm >= std::ssize(kAlgorithms)) return std::nullopt;
  return std::string(kAlgorithms[algorithm]);
}

Status WriteAlgorithm(InstructionMessage& message, Cursor& cursor) {
  TRY(int algorithm, ReadWordOf(cursor, kAlgorithms, "an algorithm"));
  ProtoMessage<PrecisionConfigField> config(message, InstructionField::kPrecisionConfig);
  config.add_enum(PrecisionConfigField::kAlgorithm, algorithm);
  return {};
}

std::optional<std::string> ResultAccuracyText(std::string_view message) {
  MessageFields fields(message);
  if (const std::optional<std::string_view> tolerance_message = fields.TakeMessage(ResultAccuracyField::kTolerance)) {
    MessageFields tolerance(*tolerance_message);
    const double absolute = tolerance.TakeDouble(ToleranceField::kAbsolute);
    const double relative = tolerance.TakeDouble(ToleranceField::kRelative);
    return fmt::format("{{tolerance={{atol={},rtol={},ulps={}}}}}", absolute, relative,
                       tolerance.TakeInteger(ToleranceField::kUlps));
  }
  const int64_t mode = fields.TakeInteger(ResultAccuracyField::kMode);
  if (mode <= 0 || mode >= std::ssize(kAccuracyModes)) return std::nullopt;
  return fmt::format("{{mode={}}}", kAccuracyModes[mode]);
}

Status WriteResultAccuracy(InstructionMessage& message, Cursor& cursor) {
  ProtoMessage<ResultAccuracyField> accuracy(message, InstructionField::kResultAccuracy);
  TRY_STATUS(cursor.Expect("{", "before an accuracy"));
  if (cursor.TryConsume("mode=")) {
    TRY(int mode, ReadWordOf(cursor, kAccuracyModes, "a mode"));
    accuracy.add_enum(ResultAccuracyField::kMode, mode);
    return cursor.Expect("}", "after an accuracy");
  }
  TRY_STATUS(cursor.Expect("tolerance={atol=", "in an accuracy"));
  TRY(double absolute, ReadDouble(cursor));
  TRY_STATUS(cursor.Expect(",", "after atol"));
  TRY_STATUS(cursor.Expect("rtol=", "after atol"));
  TRY(double relative, ReadDouble(cursor));
  TRY_STATUS(cursor.Expect(",", "after rtol"));
  TRY_STATUS(cursor.Expect("ulps=", "after rtol"));
  TRY(int64_t ulps, cursor.ReadInteger("a number of units in the last place"));
  ProtoMessage<ToleranceField> tolerance(accuracy, ResultAccuracyField::kTolerance);
  tolerance.add_double(ToleranceField::kAbsolute, absolute);
  tolerance.add_double(ToleranceField::kRelative, relative);
  tolerance.add_int64(ToleranceField::kUlps, ulps);
  return cursor.Expect("}}", "after a tolerance");
}

std::optional<std::string> StatisticsText(std::string_view message) {
  MessageFields fields(message);
  std::string text = fmt::format("visualizing_index={}", fields.TakeInteger(StatisticsField::kVisualizedIndex));
  const std::vector<std::string_view> statistics = fields.TakeAll(StatisticsField::kStatistics);
  for (std::string_view statistic_message : statistics) {
    MessageFields statistic(statistic_message);
    const std::string_view name = statistic.TakeBytes(StatisticField::kName);
    if (!IsWord(name)) return std::nullopt;
    text += fmt::format(",{}={}", name, statistic.TakeDouble(StatisticField::kValue));
  }
  if (statistics.empty()) return std::nullopt;
  return fmt::format("{{{}}}", text);
}

Status WriteStatistics(InstructionMessage& message, Cursor& cursor) {
  ProtoMessage<StatisticsField> statistics(message, InstructionField::kStatisticsViz);
  TRY_STATUS(cursor.Expect("{", "before statistics"));
  TRY_STATUS(cursor.Expect("visualizing_index=", "in statistics"));
  TRY(int64_t index, cursor.ReadInteger("an index"));
  statistics.add_int64(StatisticsField::kVisualizedIndex, index);
  while (cursor.TryConsume(",")) {
    TRY(std::string_view name, cursor.ReadWord("the name of a statistic"));
    TRY_STATUS(cursor.Expect("=", "after the name of a statistic"));
    TRY(double value, ReadDouble(cursor));
    ProtoMessage<StatisticField> statistic(statistics, StatisticsField::kStatistics);
    statistic.add_string(StatisticField::kName, name.data(), name.size());
    statistic.add_double(StatisticField::kValue, value);
  }
  return cursor.Expect("}", "after statistics");
}

Result<std::string> ShapesText(const std::vector<std::string_view>& messages) {
  std::string text = "{";
  for (size_t number = 0; number < messages.size(); ++number) {
    TRY(ir::Shape shape, ReadShape(messages[number]));
    text += ListSeparator(number) + shape.ToString();
  }
  return text + "}";
}

Status WriteOperandLayouts(InstructionMessage& message, Cursor& cursor) {
  message.add_bool(InstructionField::kConstrainLayout, true);
  TRY_STATUS(cursor.Expect("{", "before the layouts of operands"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(ir::Shape shape, ReadShape(cursor));
    ProtoMessage<ShapeField> shape_message(message, InstructionField::kOperandShapesWithLayout);
    TRY_STATUS(WriteShape(shape_message, shape));
  }
  return {};
}

std::optional<std::string> TakeWindow(MessageFields& instruction) {
  if (!instruction.Has(InstructionField::kWindow)) return std::nullopt;
  std::vector<ir::WindowDimension> window;
  Status status;
  MessageFields ahead = instruction;
  ProtoFieldReader reader(ahead, status);
  VisitWindow(window, reader);
  if (!status.ok()) return std::nullopt;
  instruction.Drop(InstructionField::kWindow);
  return window.empty() ? std::nullopt : std::optional(ir::WindowText(window));
}

Status WriteWindow(InstructionMessage& message, Cursor& cursor) {
  std::vector<ir::WindowDimension> window;
  ir::WindowRef<std::vector<ir::WindowDimension>> reference{window};
  TRY_STATUS(ReadField(cursor, reference));
  Status status;
  ProtoFieldWriter<InstructionField> writer(message, status);
  VisitWindow(window, writer);
  return status;
}

std::optional<std::string> TakeConvolutionLabels(MessageFields& instruction) {
  if (!instruction.Has(InstructionField::kConvolutionDimensionNumbers)) return std::nullopt;
  ir::ConvolutionAttributes convolution;
  Status status;
  MessageFields ahead = instruction;
  ProtoFieldReader reader(ahead, status);
  VisitConvolutionNumbers(convolution, reader);
  const std::string labels = ir::ConvolutionLabelsText(convolution);
  if (!status.ok() || labels.find('?') != std::string::npos) return std::nullopt;
  instruction.Drop(InstructionField::kConvolutionDimensionNumbers);
  return labels;
}

Status WriteConvolutionLabels(InstructionMessage& message, Cursor& cursor) {
  ir::ConvolutionAttributes convolution;
  ir::ConvolutionLabelsRef<ir::ConvolutionAttributes> reference{convolution};
  TRY_STATUS(ReadField(cursor, reference));
  Status status;
  ProtoFieldWriter<InstructionField> writer(message, status);
  VisitConvolutionNumbers(convolution, writer);
  return status;
}

Result<std::string> AliasesText(MessageFields& fields) {
  std::vector<ir::OutputOperandAlias> aliases;
  Status status;
  ProtoFieldReader reader(fields, status);
  VisitAliases(aliases, reader);
  TRY_STATUS(status);
  std::vector<std::string> pieces;
  for (const ir::OutputOperandAlias& alias : aliases) {
    pieces.push_back(fmt::format("{}: ({}, {})", ir::ShapeIndexToString(alias.output_index), alias.operand,
                                 ir::ShapeIndexToString(alias.operand_index)));
  }
  return fmt::format("{{{}}}", fmt::join(pieces, ", "));
}

Status WriteAliases(InstructionMessage& message, Cursor& cursor) {
  std::vector<ir::OutputOperandAlias> aliases;
  ir::AliasesRef<std::vector<ir::OutputOperandAlias>> reference{aliases};
  TRY_STATUS(ReadField(cursor, reference));
  Status status;
  ProtoFieldWriter<InstructionField> writer(message, status);
  VisitAliases(aliases, writer);
  return status;
}

}  // namespace stead::frontend
