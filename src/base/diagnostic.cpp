#include "base/diagnostic.h"

#include <fmt/format.h>

#include <utility>

namespace stead {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "INVALID_ARGUMENT";
    case ErrorCode::kNotFound: return "NOT_FOUND";
    case ErrorCode::kFailedPrecondition: return "FAILED_PRECONDITION";
    case ErrorCode::kResourceExhausted: return "RESOURCE_EXHAUSTED";
    case ErrorCode::kUnimplemented: return "UNIMPLEMENTED";
    case ErrorCode::kInternal: return "INTERNAL";
  }
  return "INTERNAL";
}

std::string Diagnostic::ToString() const {
  std::string text = fmt::format("{}: {}", ErrorCodeName(code), what);
  if (where.known()) {
    text += fmt::format("\n  --> {}", where.file.empty() ? "line " : where.file);
    if (where.line > 0) text += fmt::format("{}{}", where.file.empty() ? "" : ":", where.line);
    if (where.column > 0) text += fmt::format(":{}", where.column);
  }
  if (!why.empty()) text += fmt::format("\n  why: {}", why);
  if (!fix.empty()) text += fmt::format("\n  fix: {}", fix);
  return text;
}

namespace {
Diagnostic Make(ErrorCode code, std::string what, SourcePlace where, std::string why, std::string fix) {
  return {code, std::move(what), std::move(where), std::move(why), std::move(fix)};
}
}  // namespace

Diagnostic InvalidArgument(std::string what, SourcePlace where, std::string why, std::string fix) {
  return Make(ErrorCode::kInvalidArgument, std::move(what), std::move(where), std::move(why), std::move(fix));
}
Diagnostic Unimplemented(std::string what, SourcePlace where, std::string why, std::string fix) {
  return Make(ErrorCode::kUnimplemented, std::move(what), std::move(where), std::move(why), std::move(fix));
}
Diagnostic NotFound(std::string what, SourcePlace where, std::string why, std::string fix) {
  return Make(ErrorCode::kNotFound, std::move(what), std::move(where), std::move(why), std::move(fix));
}
Diagnostic ResourceExhausted(std::string what, SourcePlace where, std::string why, std::string fix) {
  return Make(ErrorCode::kResourceExhausted, std::move(what), std::move(where), std::move(why), std::move(fix));
}

}  // namespace stead
