// Any bytes as HLO text: the parser answers with a module or a diagnostic, and what it accepts verifies or is refused.
#include <cstdint>
#include <string_view>

#include "frontend/hlo_text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  stead::Result<stead::ir::Module> module = stead::frontend::ParseHloText(text, "fuzz.hlo");
  if (module.ok() && stead::ir::VerifyModule(module.value()).ok()) stead::ir::PrintModule(module.value());
  return 0;
}
