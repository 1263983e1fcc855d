// What a user reads when something is wrong: what was seen, where, why, and how to fix it.
//   Built by the room that finds the fault; rendered once, at a door. Style: HOUSE rules 14-16 (docs/style.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stead {

// A place in the user's text or program. `line` and `column` count from 1; 0 means unknown.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;
  bool known() const { return !file.empty() || line > 0; }
};

// The kinds of failure a caller can act on; named after the status codes of PJRT (and absl), which they become at the doors.
enum class ErrorCode {
  kInvalidArgument,
  kNotFound,
  kFailedPrecondition,
  kResourceExhausted,
  kUnimplemented,
  kInternal
};

// "INVALID_ARGUMENT" and so on.
std::string_view ErrorCodeName(ErrorCode code);

struct Diagnostic {
  ErrorCode code = ErrorCode::kInternal;
  std::string what;   // one line, lower case, no full stop, names in backticks
  SourcePlace where;  // may be unknown
  std::string why;    // optional: the rule that was broken, with its number in the StableHLO specification
  std::string fix;    // optional: what to do about it

  // "UNIMPLEMENTED: op `fft` ... \n  --> file:line:column\n  why: ...\n  fix: ..."
  std::string ToString() const;
};

Diagnostic InvalidArgument(std::string what, SourcePlace where = {}, std::string why = {}, std::string fix = {});
Diagnostic Unimplemented(std::string what, SourcePlace where = {}, std::string why = {}, std::string fix = {});
Diagnostic NotFound(std::string what, SourcePlace where = {}, std::string why = {}, std::string fix = {});
Diagnostic ResourceExhausted(std::string what, SourcePlace where = {}, std::string why = {}, std::string fix = {});

}  // namespace stead
