#include "frontend/read_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "frontend/hlo_proto/reader.h"
#include "frontend/hlo_text/parser.h"
#include "frontend/stablehlo/devices/border.h"
#include "frontend/stablehlo/import.h"

namespace stead::frontend {

namespace {

// The first byte of every protocol buffer that begins with a name or a message in field 1, as those with a module do.
constexpr char kFirstField = '\x0A';

bool LooksLikeText(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return std::ranges::none_of(head, [](char character) { return character == '\0'; });
}

Diagnostic UnknownFormat(std::string_view text, const std::string& file_name) {
  SourcePlace place{file_name, 0, 0};
  if (text.empty()) {
    return InvalidArgument("the program is empty", place, "",
                           "give an HLO text, an HloModuleProto, a StableHLO artifact or its text");
  }
  return InvalidArgument(
      "unknown format", place,
      "a program is HLO text (it holds `HloModule`), a protocol buffer with an HloModuleProto, StableHLO text, or "
      "MLIR bytecode (it starts with 4D 4C EF 52)");
}

}  // namespace

Result<ir::Module> ReadModule(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& file_name) {
  if (IsMlirBytecode(bytes)) return ImportStablehlo(bytes, std::move(owner), file_name);
  if (IsHloProto(bytes)) return ReadHloProto(bytes, file_name);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (LooksLikeText(text) && IsMlirText(text)) return ImportStablehloText(text, file_name);
  if (LooksLikeText(text) && LooksLikeHloText(text)) return ParseHloText(text, file_name);
  // A damaged protocol buffer: its reader says what is wrong.
  if (!LooksLikeText(text) && text.starts_with(kFirstField)) return ReadHloProto(bytes, file_name);
  return UnknownFormat(text, file_name);
}

Result<ir::BorderTilings> ReadBorder(std::span<const std::byte> bytes, int64_t device_count) {
  if (IsMlirBytecode(bytes)) return ReadBorderTilings(bytes, device_count);
  return Unimplemented(fmt::format("a program for {} devices that is not StableHLO", device_count));
}

}  // namespace stead::frontend
