#include "frontend/hlo_text/field_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>

#include "base/spelling.h"
#include "frontend/hlo_text/shape_parser.h"

namespace stead::frontend {
namespace {

using ir::Dimensions;

constexpr size_t kMaxSpatialDimensions = 10;

// "3x1x2" or "1_1x0_2": the pieces between the 'x'.
std::vector<std::string_view> SplitAtX(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find('x', start), text.size());
    pieces.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return pieces;
}

// "1_-2_0": integers joined by '_'.
Result<Dimensions> ParseJoined(const Cursor& place, std::string_view text, size_t at_least, size_t at_most) {
  Dimensions values;
  const char* next = text.data();
  const char* end = text.data() + text.size();
  size_t offset = static_cast<size_t>(text.data() - place.source().text().data());
  while (next < end) {
    int64_t value = 0;
    auto [last, error] = std::from_chars(next, end, value);
    if (error != std::errc() || (last != end && (*last != '_' || last + 1 == end))) {
      return place.ErrorAt(offset, fmt::format("expected integers joined by `_`, found `{}`", text));
    }
    values.push_back(value);
    next = last == end ? end : last + 1;
  }
  if (values.size() < at_least || values.size() > at_most) {
    return place.ErrorAt(
        offset, fmt::format("`{}` has {} integers, expected {} to {}", text, values.size(), at_least, at_most));
  }
  return values;
}

// Calls set(dimension, value) for each piece of "3x1x2".
Status ReadWindowNumbers(Cursor& cursor, std::vector<ir::WindowDimension>& window, size_t values_per_dimension,
                         const std::function<void(ir::WindowDimension&, const Dimensions&)>& set) {
  TRY(std::string_view word, cursor.ReadValue("a number for each window dimension"));
  std::vector<std::string_view> pieces = SplitAtX(word);
  if (window.empty()) window.resize(pieces.size());
  if (window.size() != pieces.size()) {
    return cursor.Error(fmt::format("`{}` has {} dimensions, the window has {}", word, pieces.size(), window.size()));
  }
  for (size_t dim = 0; dim < pieces.size(); ++dim) {
    TRY(Dimensions values, ParseJoined(cursor, pieces[dim], values_per_dimension, values_per_dimension));
    set(window[dim], values);
  }
  return {};
}

Status ReadWindowPart(Cursor& cursor, std::vector<ir::WindowDimension>& window) {
  using Window = ir::WindowDimension;
  size_t start = cursor.NextOffset();
  TRY(std::string_view key, cursor.ReadWord("a part of a window"));
  TRY_STATUS(cursor.Expect("=", "after the name of a part of a window"));
  auto field = [&](int64_t Window::* member) {
    return ReadWindowNumbers(cursor, window, 1,
                             [=](Window& dim, const Dimensions& values) { dim.*member = values[0]; });
  };
  if (key == "size") return field(&Window::size);
  if (key == "stride") return field(&Window::stride);
  if (key == "lhs_dilate") return field(&Window::base_dilation);
  if (key == "rhs_dilate") return field(&Window::window_dilation);
  if (key == "rhs_reversal") {
    return ReadWindowNumbers(cursor, window, 1,
                             [](Window& dim, const Dimensions& values) { dim.reversal = values[0] != 0; });
  }
  if (key == "pad") {
    return ReadWindowNumbers(cursor, window, 2, [](Window& dim, const Dimensions& values) {
      dim.padding_low = values[0];
      dim.padding_high = values[1];
    });
  }
  static constexpr std::string_view kParts[] = {"size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"};
  return cursor.ErrorAt(start, fmt::format("a window has no part `{}`", key), {}, DidYouMean(key, kParts));
}

// "b01f": where the two letters and the digits stand.
Status ReadLabels(Cursor& cursor, std::string_view letters, int64_t& first, int64_t& second, Dimensions& spatial) {
  size_t start = cursor.NextOffset();
  std::string_view word = cursor.PeekWord();
  word = word.substr(0, word.find('_'));
  cursor.TryConsume(word);
  if (word.size() < 2 || word.size() > kMaxSpatialDimensions + 2) {
    return cursor.ErrorAt(start, fmt::format("expected dimension labels such as `{}01`, found `{}`", letters, word));
  }
  constexpr int64_t kNotSeen = -1;
  first = second = kNotSeen;
  spatial.assign(word.size() - 2, kNotSeen);
  for (size_t dim = 0; dim < word.size(); ++dim) {
    int64_t* place = nullptr;
    if (word[dim] == letters[0]) place = &first;
    if (word[dim] == letters[1]) place = &second;
    size_t number = static_cast<size_t>(word[dim] - '0');
    if (word[dim] >= '0' && number < spatial.size()) place = &spatial[number];
    if (place == nullptr || *place != kNotSeen) {
      return cursor.ErrorAt(start + dim,
                            fmt::format("`{}` in dimension labels `{}` is unknown or stands twice", word[dim], word));
    }
    *place = static_cast<int64_t>(dim);
  }
  return {};
}

template <typename Enum>
Status ReadEnum(Cursor& cursor, Enum& field, std::optional<Enum> (*from_name)(std::string_view),
                std::string_view what) {
  size_t start = cursor.NextOffset();
  TRY(std::string_view word, cursor.ReadWord(what));
  std::optional<Enum> value = from_name(word);
  if (!value) return cursor.ErrorAt(start, fmt::format("expected {}, found `{}`", what, word));
  field = *value;
  return {};
}

// "[start:limit:stride]", stride optional.
Status ReadSliceRange(Cursor& cursor, ir::SliceAttributes& fields) {
  TRY_STATUS(cursor.Expect("[", "before a range"));
  TRY(int64_t start, cursor.ReadInteger("the start of a range"));
  TRY_STATUS(cursor.Expect(":", "after the start of a range"));
  TRY(int64_t limit, cursor.ReadInteger("the limit of a range"));
  int64_t stride = 1;
  if (cursor.TryConsume(":")) {
    TRY(stride, cursor.ReadInteger("the stride of a range"));
  }
  fields.starts.push_back(start);
  fields.limits.push_back(limit);
  fields.strides.push_back(stride);
  return cursor.Expect("]", "after a range");
}

// "{0}: (1, {})"; the operand may stand alone: "{0}: 1".
Result<ir::OutputOperandAlias> ReadOutputOperandAlias(Cursor& cursor) {
  ir::OutputOperandAlias alias;
  TRY(alias.output_index, ReadShapeIndex(cursor));
  TRY_STATUS(cursor.Expect(":", "after an output index"));
  if (!cursor.TryConsume("(")) {
    TRY(alias.operand, cursor.ReadInteger("an operand number"));
    return alias;
  }
  TRY(alias.operand, cursor.ReadInteger("an operand number"));
  TRY_STATUS(cursor.Expect(",", "after an operand number"));
  TRY(alias.operand_index, ReadShapeIndex(cursor));
  TRY_STATUS(cursor.Expect(")", "after an operand index"));
  return alias;
}

}  // namespace

Diagnostic FieldReader::Missing(std::string_view key) const {
  return place_.ErrorAt(offset_, fmt::format("`{}` needs the attribute `{}`", ir::OpcodeName(opcode_), key));
}

Status ReadField(Cursor& cursor, int64_t& field) {
  TRY(field, cursor.ReadInteger("an integer"));
  return {};
}

Status ReadField(Cursor& cursor, bool& field) {
  field = cursor.TryConsumeWord("true") || cursor.TryConsumeWord("1");
  if (field || cursor.TryConsumeWord("false") || cursor.TryConsumeWord("0")) return {};
  return cursor.Unexpected("`true` or `false`");
}

Status ReadField(Cursor& cursor, Dimensions& field) {
  TRY_STATUS(cursor.Expect("{", "before a list of integers"));
  while (!cursor.TryConsume("}")) {
    if (!field.empty()) TRY_STATUS(cursor.Expect(",", "or `}` in a list of integers"));
    TRY(int64_t value, cursor.ReadInteger("an integer"));
    field.push_back(value);
  }
  return {};
}

Status ReadField(Cursor& cursor, std::string& field) {
  TRY(std::string_view word, cursor.ReadWord("a word"));
  field = word;
  return {};
}

Status ReadField(Cursor& cursor, ir::CompareAttributes::Direction& field) {
  return ReadEnum(cursor, field, ir::DirectionFromName, "a direction (EQ, NE, GE, GT, LE or LT)");
}

Status ReadField(Cursor& cursor, ir::CompareAttributes::Type& field) {
  return ReadEnum(cursor, field, ir::CompareTypeFromName, "a comparison type (FLOAT, TOTALORDER, SIGNED or UNSIGNED)");
}

Status ReadField(Cursor& cursor, ir::OnlyElementRef<Dimensions>& field) {
  TRY(int64_t value, cursor.ReadInteger("an integer"));
  field.list = {value};
  return {};
}

Status ReadField(Cursor& cursor, ir::BracedIntegerRef<int64_t>& field) {
  TRY_STATUS(cursor.Expect("{", "before a dimension"));
  TRY(field.value, cursor.ReadInteger("a dimension"));
  return cursor.Expect("}", "after the only dimension");
}

Status ReadField(Cursor& cursor, ir::QuotedRef<std::string>& field) {
  TRY(field.text, cursor.ReadString("a quoted string"));
  return {};
}

Status ReadField(Cursor& cursor, ir::SliceRef<ir::SliceAttributes>& field) {
  TRY_STATUS(cursor.Expect("{", "before the ranges of a slice"));
  while (!cursor.TryConsume("}")) {
    if (!field.fields.starts.empty()) TRY_STATUS(cursor.Expect(",", "or `}` between ranges"));
    TRY_STATUS(ReadSliceRange(cursor, field.fields));
  }
  return {};
}

Status ReadField(Cursor& cursor, ir::PaddingRef<ir::PadAttributes>& field) {
  TRY(std::string_view word, cursor.ReadValue("padding such as `0_1x2_2_1`"));
  // The padding of a scalar.
  if (word == "{}") return {};
  for (std::string_view piece : SplitAtX(word)) {
    TRY(Dimensions values, ParseJoined(cursor, piece, 2, 3));
    field.fields.low.push_back(values[0]);
    field.fields.high.push_back(values[1]);
    field.fields.interior.push_back(values.size() == 3 ? values[2] : 0);
  }
  return {};
}

Status ReadField(Cursor& cursor, ir::WindowRef<std::vector<ir::WindowDimension>>& field) {
  TRY_STATUS(cursor.Expect("{", "before a window"));
  while (!cursor.TryConsume("}")) TRY_STATUS(ReadWindowPart(cursor, field.window));
  return {};
}

Status ReadField(Cursor& cursor, ir::ConvolutionLabelsRef<ir::ConvolutionAttributes>& field) {
  ir::ConvolutionAttributes& fields = field.fields;
  TRY_STATUS(ReadLabels(cursor, "bf", fields.input_batch, fields.input_feature, fields.input_spatial));
  TRY_STATUS(cursor.Expect("_", "between the labels of input and kernel"));
  TRY_STATUS(
      ReadLabels(cursor, "io", fields.kernel_input_feature, fields.kernel_output_feature, fields.kernel_spatial));
  TRY_STATUS(cursor.Expect("->", "before the labels of the output"));
  return ReadLabels(cursor, "bf", fields.output_batch, fields.output_feature, fields.output_spatial);
}

Status ReadField(Cursor& cursor, ir::AliasesRef<std::vector<ir::OutputOperandAlias>>& field) {
  TRY_STATUS(cursor.Expect("{", "before a list of aliases"));
  while (!cursor.TryConsume("}")) {
    if (!field.aliases.empty()) TRY_STATUS(cursor.Expect(",", "or `}` between aliases"));
    TRY(ir::OutputOperandAlias alias, ReadOutputOperandAlias(cursor));
    field.aliases.push_back(std::move(alias));
  }
  return {};
}

}  // namespace stead::frontend
