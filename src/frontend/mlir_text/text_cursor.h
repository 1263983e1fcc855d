// A position in MLIR assembly and the words that can be read there.
//   Each function skips blanks and comments first. RETURNS an error with its place when the text is something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stead::frontend::mlir {

class TextCursor {
 public:
  // Reads `text`, which must outlive the cursor.
  TextCursor(std::string_view text, std::string file_name);

  const std::string& file_name() const { return file_name_; }
  std::string_view text() const { return text_; }
  // Line and column (in bytes) of an offset, from 1.
  SourcePlace PlaceOf(size_t offset) const;
  // Goes back, or on, to an offset where something begins.
  void MoveTo(size_t offset) { position_ = offset; }
  // The end of what was taken last.
  size_t offset() const { return position_; }

  // What stands here, without taking it.
  size_t Next();
  bool AtEnd() { return Next() == text_.size(); }
  char Peek();  // '\0' at the end
  bool Sees(std::string_view symbol);
  bool SeesWord();
  bool SeesInteger();

  // Takes `symbol` when it stands there; a word only when it is not the beginning of a longer one.
  bool TryConsume(std::string_view symbol);
  bool TryConsumeWord(std::string_view word);
  Status Expect(std::string_view symbol);
  Status ExpectWord(std::string_view word);

  // [A-Za-z_][A-Za-z0-9_$.]*, as keywords, operation names and attribute names are.
  Result<std::string_view> ReadWord(std::string_view what);
  // The same after a mark that stands directly before it: "%0", "@main", "#loc1", "^bb0". Without the mark.
  Result<std::string_view> ReadMarked(char mark, std::string_view what);
  // A quoted string as it stands, without its quotes, escapes unresolved.
  Result<std::string_view> ReadQuoted(std::string_view what);
  Result<int64_t> ReadInteger(std::string_view what);
  // A number of any form, with its sign: "-1.5e+3", "0x7F80".
  Result<std::string_view> ReadNumber();
  // What stands between an opening bracket and its closing one, both left out; brackets inside match, quotes are skipped.
  Result<std::string_view> SkipBalanced();

  Diagnostic Unexpected(std::string_view expected);
  Diagnostic ErrorAt(size_t offset, std::string what) const;

 private:
  std::string_view Rest() const { return text_.substr(position_); }
  std::string_view Take(size_t length);
  void SkipBlanks();

  std::string_view text_;
  std::string file_name_;
  std::vector<uint32_t> line_starts_;
  size_t position_ = 0;
};

// The escapes of MLIR resolved: \n, \t, \", \\ and \0A.
std::string UnescapeMlir(std::string_view quoted);

}  // namespace stead::frontend::mlir
