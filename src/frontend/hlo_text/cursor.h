// A position in HLO text and the words that can be read there. HLO text has no token grammar of its own (`3x3`, `b01f_01io`,
// `{1,0:T(8,128)}` and raw JSON stand side by side), so every reader takes characters from a cursor.
//   Each Read function skips blanks and comments first. RETURNS an error with its place when the text is something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stead::frontend {

// A text and where its lines begin. Does not own the text.
class SourceText {
 public:
  SourceText(std::string_view text, std::string file_name);
  std::string_view text() const { return text_; }
  // Line and column (in bytes) of an offset, from 1.
  SourcePlace PlaceOf(size_t offset) const;

 private:
  std::string_view text_;
  std::string file_name_;
  std::vector<size_t> line_starts_;
};

class Cursor {
 public:
  explicit Cursor(const SourceText& source) : Cursor(source, source.text()) {}
  // Reads only `span`, a part of the source's text.
  Cursor(const SourceText& source, std::string_view span);

  const SourceText& source() const { return *source_; }
  // Offset in the whole text.
  size_t offset() const { return position_; }
  size_t remaining_bytes() const { return end_ - position_; }

  // Skips blanks and comments, then tells what stands there without taking it.
  size_t NextOffset();  // where it stands
  bool AtEnd();
  char Peek();                  // '\0' at the end
  std::string_view PeekWord();  // the longest run of word characters; may be empty
  bool Sees(std::string_view symbol);
  // The character that directly follows, without skipping blanks.
  char PeekHere() const { return position_ < end_ ? source_->text()[position_] : '\0'; }

  // Takes `symbol` when it stands there.
  bool TryConsume(std::string_view symbol);
  // As TryConsume, but `word` must not be the beginning of a longer word.
  bool TryConsumeWord(std::string_view word);
  Status Expect(std::string_view symbol, std::string_view where);

  // A name with or without '%'; the result has none. `what` says what is named, for the message.
  Result<std::string_view> ReadName(std::string_view what);
  Result<std::string_view> ReadWord(std::string_view what);
  Result<int64_t> ReadInteger(std::string_view what);
  // A quoted string with its quotes and escapes, as it stands.
  Result<std::string_view> ReadQuoted(std::string_view what);
  // A quoted string without quotes, escapes resolved.
  Result<std::string> ReadString(std::string_view what);
  // Any value: text up to a blank, comma or closing bracket outside of brackets and quotes.
  Result<std::string_view> ReadValue(std::string_view what);

  // "expected `expected`, found `...`" at the current place.
  Diagnostic Unexpected(std::string_view expected);
  // A complaint about text that begins at `offset`.
  Diagnostic ErrorAt(size_t offset, std::string what, std::string why = {}, std::string fix = {}) const;
  Diagnostic Error(std::string what, std::string why = {}, std::string fix = {}) const;

 private:
  const SourceText* source_;
  size_t position_;
  size_t end_;

  void SkipBlanks();
  std::string_view Take(size_t length);
  std::string_view Rest() const { return source_->text().substr(position_, end_ - position_); }
};

// [A-Za-z0-9_.-]
bool IsWordCharacter(char character);

// Resolves the escapes of C (\n, \", \x41, \101) in the inside of a quoted string.
std::string Unescape(std::string_view text);

}  // namespace stead::frontend
