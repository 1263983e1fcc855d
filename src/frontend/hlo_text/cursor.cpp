#include "frontend/hlo_text/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stead::frontend {
namespace {

// Longest piece of the user's text that a message repeats.
constexpr size_t kLongestQuote = 40;

bool IsBlank(char character) { return character == ' ' || (character >= '\t' && character <= '\r'); }
bool IsDigit(char character) { return character >= '0' && character <= '9'; }
bool IsOctal(char character) { return character >= '0' && character <= '7'; }

int HexValue(char character) {
  if (IsDigit(character)) return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

// A piece of hostile text made fit for a message.
std::string Printable(std::string_view text) {
  std::string shown;
  for (char character : text) {
    bool plain = character >= ' ' && character <= '~';
    shown += plain ? std::string(1, character) : fmt::format("\\x{:02x}", static_cast<unsigned char>(character));
  }
  return shown;
}

// Length of the comment at the start of `text`, 0 when there is none. An unfinished comment reaches to the end.
size_t CommentLength(std::string_view text) {
  if (text.starts_with("//")) return std::min(text.find('\n'), text.size());
  if (!text.starts_with("/*")) return 0;
  size_t close = text.find("*/", 2);
  return close == std::string_view::npos ? text.size() : close + 2;
}

// Length of the quoted string at the start of `text`, quotes included; 0 when it does not end.
size_t QuotedLength(std::string_view text) {
  for (size_t position = 1; position < text.size(); ++position) {
    if (text[position] == '\\') {
      ++position;
    } else if (text[position] == '"') {
      return position + 1;
    }
  }
  return 0;
}

size_t WordLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsWordCharacter(text[length]) && !text.substr(length).starts_with("->")) ++length;
  return length;
}

// Resolves the escape that follows a backslash at text[position]; moves position past it.
char ResolveEscape(std::string_view text, size_t& position) {
  char character = text[position++];
  switch (character) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    default: break;
  }
  if (character == 'x') {
    int value = 0;
    for (int digit = 0; digit < 2 && position < text.size() && HexValue(text[position]) >= 0; ++digit) {
      value = value * 16 + HexValue(text[position++]);
    }
    return static_cast<char>(value);
  }
  if (!IsOctal(character)) return character;
  int value = character - '0';
  for (int digit = 0; digit < 2 && position < text.size() && IsOctal(text[position]); ++digit) {
    value = value * 8 + (text[position++] - '0');
  }
  return static_cast<char>(value);
}

}  // namespace

bool IsWordCharacter(char character) {
  return IsDigit(character) || (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         character == '_' || character == '.' || character == '-';
}

std::string Unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    char character = text[position++];
    if (character == '\\' && position < text.size()) character = ResolveEscape(text, position);
    plain += character;
  }
  return plain;
}

SourceText::SourceText(std::string_view text, std::string file_name) : text_(text), file_name_(std::move(file_name)) {
  line_starts_.push_back(0);
  for (size_t position = text.find('\n'); position != std::string_view::npos;
       position = text.find('\n', position + 1)) {
    line_starts_.push_back(position + 1);
  }
}

SourcePlace SourceText::PlaceOf(size_t offset) const {
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  size_t line = static_cast<size_t>(after - line_starts_.begin());
  return {file_name_, static_cast<int>(line), static_cast<int>(offset - line_starts_[line - 1]) + 1};
}

Cursor::Cursor(const SourceText& source, std::string_view span)
    : source_(&source),
      position_(static_cast<size_t>(span.data() - source.text().data())),
      end_(position_ + span.size()) {}

void Cursor::SkipBlanks() {
  while (position_ < end_) {
    if (IsBlank(PeekHere())) {
      ++position_;
    } else if (size_t comment = PeekHere() == '/' ? CommentLength(Rest()) : 0; comment > 0) {
      position_ += comment;
    } else {
      return;
    }
  }
}

std::string_view Cursor::Take(size_t length) {
  std::string_view taken = Rest().substr(0, length);
  position_ += length;
  return taken;
}

size_t Cursor::NextOffset() {
  SkipBlanks();
  return position_;
}

bool Cursor::AtEnd() {
  SkipBlanks();
  return position_ == end_;
}

char Cursor::Peek() {
  SkipBlanks();
  return PeekHere();
}

std::string_view Cursor::PeekWord() {
  SkipBlanks();
  return Rest().substr(0, WordLength(Rest()));
}

bool Cursor::Sees(std::string_view symbol) {
  SkipBlanks();
  return Rest().starts_with(symbol);
}

bool Cursor::TryConsume(std::string_view symbol) {
  if (!Sees(symbol)) return false;
  position_ += symbol.size();
  return true;
}

bool Cursor::TryConsumeWord(std::string_view word) {
  if (PeekWord() != word) return false;
  position_ += word.size();
  return true;
}

Status Cursor::Expect(std::string_view symbol, std::string_view where) {
  if (TryConsume(symbol)) return {};
  return Unexpected(fmt::format("`{}` {}", symbol, where));
}

Result<std::string_view> Cursor::ReadName(std::string_view what) {
  SkipBlanks();
  size_t start = position_;
  if (PeekHere() == '%') ++position_;
  size_t length = WordLength(Rest());
  if (length > 0) return Take(length);
  position_ = start;
  return Unexpected(what);
}

Result<std::string_view> Cursor::ReadWord(std::string_view what) {
  size_t length = PeekWord().size();
  if (length == 0) return Unexpected(what);
  return Take(length);
}

Result<int64_t> Cursor::ReadInteger(std::string_view what) {
  SkipBlanks();
  int64_t value = 0;
  const char* first = Rest().data();
  auto [last, error] = std::from_chars(first, first + remaining_bytes(), value);
  if (error == std::errc::result_out_of_range) return Error(fmt::format("{} does not fit in 64 bits", what));
  if (error != std::errc()) return Unexpected(what);
  position_ += static_cast<size_t>(last - first);
  return value;
}

Result<std::string_view> Cursor::ReadQuoted(std::string_view what) {
  if (Peek() != '"') return Unexpected(what);
  size_t length = QuotedLength(Rest());
  if (length == 0) return Error(fmt::format("the string that begins here does not end; expected {}", what));
  return Take(length);
}

Result<std::string> Cursor::ReadString(std::string_view what) {
  TRY(std::string_view quoted, ReadQuoted(what));
  return Unescape(quoted.substr(1, quoted.size() - 2));
}

Result<std::string_view> Cursor::ReadValue(std::string_view what) {
  SkipBlanks();
  size_t start = position_;
  int64_t depth = 0;
  while (position_ < end_) {
    char character = PeekHere();
    if (character == '"') {
      size_t length = QuotedLength(Rest());
      if (length == 0) return Error("the string that begins here does not end");
      position_ += length;
      continue;
    }
    if (depth == 0 && (IsBlank(character) || character == ',')) break;
    if (character == '{' || character == '(' || character == '[') ++depth;
    if (character == '}' || character == ')' || character == ']') {
      if (depth == 0) break;
      --depth;
    }
    ++position_;
  }
  if (depth > 0) return ErrorAt(start, fmt::format("a bracket in {} is not closed before the text ends", what));
  if (position_ == start) return Unexpected(what);
  return source_->text().substr(start, position_ - start);
}

Diagnostic Cursor::Unexpected(std::string_view expected) {
  SkipBlanks();
  if (position_ == end_) return Error(fmt::format("expected {}, found the end of the text", expected));
  size_t length = Rest()[0] == '%' ? 1 + WordLength(Rest().substr(1)) : WordLength(Rest());
  length = std::clamp<size_t>(length, 1, kLongestQuote);
  return Error(fmt::format("expected {}, found `{}`", expected, Printable(Rest().substr(0, length))));
}

Diagnostic Cursor::ErrorAt(size_t offset, std::string what, std::string why, std::string fix) const {
  return InvalidArgument(std::move(what), source_->PlaceOf(offset), std::move(why), std::move(fix));
}

Diagnostic Cursor::Error(std::string what, std::string why, std::string fix) const {
  return ErrorAt(position_, std::move(what), std::move(why), std::move(fix));
}

}  // namespace stead::frontend
