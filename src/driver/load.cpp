// Tells the accepted formats apart by their content and reads them.
#include <algorithm>
#include <string_view>

#include "driver/compile.h"
#include "frontend/hlo_text/parser.h"
#include "frontend/stablehlo/import.h"
#include "ir/verify.h"

namespace stead::driver {
namespace {

bool LooksLikeText(std::string_view text) {
  std::string_view head = text.substr(0, 4096);
  return std::ranges::none_of(head, [](char c) { return c == '\0'; });
}

Diagnostic UnknownFormat(std::string_view text, const std::string& file_name) {
  SourcePlace place{file_name, 0, 0};
  if (text.empty())
    return InvalidArgument("the program is empty", place, "", "give an HLO text or a StableHLO artifact");
  if (text.substr(0, 512).find("func.func") != std::string_view::npos || text.starts_with("module @") ||
      text.starts_with("#loc")) {
    return InvalidArgument("this is StableHLO text (MLIR), which is not read", place, "",
                           "use HLO text (`lowered.as_text('hlo')`) or a portable artifact "
                           "(`jaxlib.mlir.dialects.stablehlo.serialize_portable_artifact_str`)");
  }
  return InvalidArgument("unknown format", place,
                         "a program is HLO text (it holds `HloModule`) or MLIR bytecode (it starts with 4D 4C EF 52)");
}

Result<ir::Module> Read(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const std::string& file_name) {
  if (frontend::IsMlirBytecode(bytes)) return frontend::ImportStablehlo(bytes, std::move(owner), file_name);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (LooksLikeText(text) && text.find("HloModule") != std::string_view::npos) {
    return frontend::ParseHloText(text, file_name);
  }
  return UnknownFormat(text, file_name);
}

}  // namespace

Result<ir::Module> Load(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const std::string& file_name) {
  TRY(ir::Module module, Read(bytes, std::move(owner), file_name));
  TRY_STATUS(ir::VerifyModule(module));
  return module;
}

}  // namespace stead::driver
