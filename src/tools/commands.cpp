#include "tools/commands.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "base/file.h"

namespace stead::tools {
namespace {

// "custom-call.2:0" or "custom-call.2{1}:0".
Result<driver::AssumedAlias> ParseAssumedAlias(const std::string& text) {
  Diagnostic wrong =
      InvalidArgument(fmt::format("`--assume-alias {}` is not NAME:OPERAND", text), {}, "",
                      "for example --assume-alias custom-call.2:0, or custom-call.2{1}:0 for result {1}");
  driver::AssumedAlias alias;
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return wrong;
  std::string name = text.substr(0, colon);
  const char* end = text.data() + text.size();
  if (auto parsed = std::from_chars(text.data() + colon + 1, end, alias.operand);
      parsed.ec != std::errc() || parsed.ptr != end) {
    return wrong;
  }
  if (size_t brace = name.find('{'); brace != std::string::npos) {
    int64_t element = 0;
    const char* close = name.data() + name.size() - 1;
    auto parsed = std::from_chars(name.data() + brace + 1, close, element);
    if (*close != '}') return wrong;
    if (parsed.ptr != name.data() + brace + 1) alias.output_index.push_back(element);
    if (parsed.ptr != close) return wrong;
    name.resize(brace);
  }
  alias.instruction = name.starts_with('%') ? name.substr(1) : name;
  return alias;
}

}  // namespace

Result<Program> LoadProgram(const std::string& path) {
  Program program;
  TRY(program.bytes, ReadFile(path));
  TRY(program.module, driver::Load(std::as_bytes(std::span(program.bytes)), nullptr, path));
  return program;
}

int Refuse(const Diagnostic& diagnostic) {
  fmt::print(stderr, "stead: {}\n", diagnostic.ToString());
  return kRefused;
}

Result<driver::Options> ToDriverOptions(const CommonOptions& options) {
  driver::Options result;
  result.file_name = options.file;
  result.dump_to = options.dump_to;
  result.plan.always_copy = options.always_copy;
  for (const std::string& text : options.assumed_aliases) {
    TRY(driver::AssumedAlias alias, ParseAssumedAlias(text));
    result.assumed_aliases.push_back(std::move(alias));
  }
  return result;
}

}  // namespace stead::tools
