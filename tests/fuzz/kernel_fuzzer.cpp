// HLO text with a TPU kernel in it: most changed letters of the kernel's base64 are other bits of its body. Lowering answers
// with a module or a diagnostic.
#include <cstdint>
#include <string_view>

#include "frontend/hlo_text/parser.h"
#include "frontend/mosaic/lower_kernels.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  stead::Result<stead::ir::Module> module = stead::frontend::ParseHloText(text, "fuzz.hlo");
  if (!module.ok() || !stead::ir::VerifyModule(module.value()).ok()) return 0;
  if (stead::frontend::LowerKernels(module.value()).ok()) (void)stead::ir::VerifyModule(module.value());
  return 0;
}
