#include "frontend/mlir_text/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace stead::frontend::mlir {

namespace {

bool IsLetter(char character) { return std::isalpha(static_cast<unsigned char>(character)) != 0 || character == '_'; }
bool IsDigit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }
bool IsInWord(char character) {
  return IsLetter(character) || IsDigit(character) || character == '$' || character == '.';
}
bool IsInMarked(char character) { return IsInWord(character) || character == '-'; }

template <typename Predicate>
size_t LengthWhile(std::string_view text, Predicate predicate) {
  return static_cast<size_t>(std::ranges::find_if_not(text, predicate) - text.begin());
}

int HexValue(char character) {
  if (IsDigit(character)) return character - '0';
  return std::tolower(static_cast<unsigned char>(character)) - 'a' + 10;
}

}  // namespace

TextCursor::TextCursor(std::string_view text, std::string file_name) : text_(text), file_name_(std::move(file_name)) {
  line_starts_.push_back(0);
  for (size_t offset = 0; offset < text.size(); ++offset) {
    if (text[offset] == '\n') line_starts_.push_back(static_cast<uint32_t>(offset + 1));
  }
}

SourcePlace TextCursor::PlaceOf(size_t offset) const {
  const auto next_line = std::ranges::upper_bound(line_starts_, offset);
  const size_t line = static_cast<size_t>(next_line - line_starts_.begin());
  return {file_name_, static_cast<int>(line), static_cast<int>(offset - line_starts_[line - 1] + 1)};
}

void TextCursor::SkipBlanks() {
  while (position_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[position_]))) {
      ++position_;
    } else if (Rest().starts_with("//")) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      return;
    }
  }
}

std::string_view TextCursor::Take(size_t length) {
  std::string_view taken = Rest().substr(0, length);
  position_ += taken.size();
  return taken;
}

size_t TextCursor::Next() {
  SkipBlanks();
  return position_;
}

char TextCursor::Peek() { return AtEnd() ? '\0' : text_[position_]; }

bool TextCursor::Sees(std::string_view symbol) {
  SkipBlanks();
  return Rest().starts_with(symbol);
}

bool TextCursor::SeesWord() { return IsLetter(Peek()); }

bool TextCursor::SeesInteger() {
  const char first = Peek();
  return IsDigit(first) || (first == '-' && Rest().size() > 1 && IsDigit(Rest()[1]));
}

bool TextCursor::TryConsume(std::string_view symbol) {
  if (!Sees(symbol)) return false;
  Take(symbol.size());
  return true;
}

bool TextCursor::TryConsumeWord(std::string_view word) {
  if (!Sees(word)) return false;
  if (Rest().size() > word.size() && IsInWord(Rest()[word.size()])) return false;
  Take(word.size());
  return true;
}

Status TextCursor::Expect(std::string_view symbol) {
  if (TryConsume(symbol)) return {};
  return Unexpected(fmt::format("`{}`", symbol));
}

Status TextCursor::ExpectWord(std::string_view word) {
  if (TryConsumeWord(word)) return {};
  return Unexpected(fmt::format("`{}`", word));
}

Result<std::string_view> TextCursor::ReadWord(std::string_view what) {
  if (!SeesWord()) return Unexpected(what);
  return Take(LengthWhile(Rest(), IsInWord));
}

Result<std::string_view> TextCursor::ReadMarked(char mark, std::string_view what) {
  if (Peek() != mark) return Unexpected(what);
  const size_t length = LengthWhile(Rest().substr(1), IsInMarked);
  if (length == 0) return Unexpected(what);
  return Take(length + 1).substr(1);
}

Result<std::string_view> TextCursor::ReadQuoted(std::string_view what) {
  if (Peek() != '"') return Unexpected(what);
  const size_t begin = position_;
  for (size_t end = begin + 1; end < text_.size(); ++end) {
    if (text_[end] == '\\') {
      ++end;
    } else if (text_[end] == '"') {
      position_ = end + 1;
      return text_.substr(begin + 1, end - begin - 1);
    }
  }
  return ErrorAt(begin, "a string does not end");
}

Result<std::string_view> TextCursor::ReadNumber() {
  Next();
  size_t length = Rest().starts_with('-') ? 1 : 0;
  const std::string_view digits = Rest().substr(length);
  if (digits.starts_with("0x") && digits.size() > 2 && std::isxdigit(static_cast<unsigned char>(digits[2]))) {
    length += 2 + LengthWhile(digits.substr(2), [](unsigned char letter) { return std::isxdigit(letter) != 0; });
    return Take(length);
  }
  if (digits.empty() || !IsDigit(digits[0])) return Unexpected("a number");
  length += LengthWhile(digits, IsDigit);
  if (length < Rest().size() && Rest()[length] == '.') length += 1 + LengthWhile(Rest().substr(length + 1), IsDigit);
  if (length < Rest().size() && (Rest()[length] == 'e' || Rest()[length] == 'E')) {
    size_t exponent = length + 1;
    if (exponent < Rest().size() && (Rest()[exponent] == '+' || Rest()[exponent] == '-')) ++exponent;
    const size_t exponent_digits = LengthWhile(Rest().substr(std::min(exponent, Rest().size())), IsDigit);
    if (exponent_digits > 0) length = exponent + exponent_digits;
  }
  return Take(length);
}

Result<int64_t> TextCursor::ReadInteger(std::string_view what) {
  if (!SeesInteger()) return Unexpected(what);
  const size_t start = position_;
  const std::string_view digits = Take(LengthWhile(Rest().substr(1), IsDigit) + 1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    return ErrorAt(start, fmt::format("`{}` is no integer of 64 bits", digits));
  return value;
}

Result<std::string_view> TextCursor::SkipBalanced() {
  constexpr std::string_view kOpening = "([{<", kClosing = ")]}>";
  const size_t start = Next();
  std::string expected;
  while (!AtEnd()) {
    const char character = text_[position_];
    if (character == '"') {
      TRY([[maybe_unused]] std::string_view quoted, ReadQuoted("a string"));
      continue;
    }
    if (Rest().starts_with("->")) {
      Take(2);
      continue;
    }
    if (const size_t opening = kOpening.find(character); opening != std::string_view::npos) {
      expected.push_back(kClosing[opening]);
    } else if (kClosing.find(character) != std::string_view::npos) {
      if (expected.empty() || expected.back() != character) return Unexpected("a matching bracket");
      expected.pop_back();
    }
    Take(1);
    if (expected.empty()) break;
  }
  if (position_ < start + 2 || !expected.empty()) return ErrorAt(start, "a bracket does not close");
  return text_.substr(start + 1, position_ - start - 2);
}

Diagnostic TextCursor::Unexpected(std::string_view expected) {
  constexpr size_t kShownLength = 20;
  if (AtEnd()) return ErrorAt(position_, fmt::format("expected {}, found the end of the text", expected));
  std::string_view found = Rest().substr(0, std::min(Rest().find('\n'), kShownLength));
  return ErrorAt(position_, fmt::format("expected {}, found `{}`", expected, found));
}

Diagnostic TextCursor::ErrorAt(size_t offset, std::string what) const {
  return InvalidArgument(std::move(what), PlaceOf(offset));
}

std::string UnescapeMlir(std::string_view quoted) {
  std::string result;
  for (size_t position = 0; position < quoted.size(); ++position) {
    if (quoted[position] != '\\' || position + 1 == quoted.size()) {
      result += quoted[position];
      continue;
    }
    const char escaped = quoted[++position];
    const bool is_code = position + 1 < quoted.size() && std::isxdigit(static_cast<unsigned char>(escaped)) &&
                         std::isxdigit(static_cast<unsigned char>(quoted[position + 1]));
    if (escaped == 'n') {
      result += '\n';
    } else if (escaped == 't') {
      result += '\t';
    } else if (is_code) {
      result += static_cast<char>(HexValue(escaped) * 16 + HexValue(quoted[++position]));
    } else {
      result += escaped;
    }
  }
  return result;
}

}  // namespace stead::frontend::mlir
