#include "frontend/mlir_text/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/mlir_text/operation_reader.h"

namespace stead::frontend::mlir {

namespace {

// Offsets in the text are kept in 32 bits.
constexpr size_t kLargestText = size_t{1} << 31;

// Shardings are skipped as they are read, so that a program which needs them would mean another one.
Status CheckDeviceCount(const ParsedModule& module) {
  TRY(std::optional<IntegerAttribute> count, module.Find<IntegerAttribute>(module.root, "mhlo.num_partitions"));
  if (!count || count->value == 1) return {};
  return Unimplemented(
      fmt::format("text of a program for several devices is not read: mhlo.num_partitions = {}", count->value), {}, {},
      "hand it over as a portable artifact");
}

}  // namespace

bool IsMlirText(std::string_view text) {
  constexpr size_t kHead = 1 << 16;
  TextCursor cursor(text.substr(0, kHead), "");
  if (cursor.TryConsumeWord("module")) {
    return cursor.Peek() == '@' || cursor.Peek() == '{' || cursor.Sees("attributes");
  }
  constexpr std::array<std::string_view, 6> kBeginnings = {"builtin.module", "\"builtin.module\"", "func.func",
                                                           "\"func.func\"",  "sdy.mesh",           "{-#"};
  if (std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return cursor.Sees(beginning); })) return true;
  const char mark = cursor.Peek();
  return (mark == '#' || mark == '!') && cursor.ReadMarked(mark, "an alias").ok() && cursor.Sees("=");
}

Result<ParsedModule> ReadMlirText(std::string_view text, const std::string& file_name) {
  if (text.size() >= kLargestText) return InvalidArgument("the text is larger than 2 GiB", {file_name, 0, 0});
  TextCursor cursor(text, file_name);
  ParsedModule module;
  module.producer = "text";
  OperationReader reader(cursor, module);
  TRY(module.root, reader.ReadProgram());
  TRY_STATUS(CheckDeviceCount(module));
  return module;
}

}  // namespace stead::frontend::mlir
