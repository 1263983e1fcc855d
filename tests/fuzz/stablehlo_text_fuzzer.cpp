// Any bytes as StableHLO text: the importer answers with a module or a diagnostic.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontend/stablehlo/import.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  stead::Result<stead::ir::Module> module = stead::frontend::ImportStablehloText(text, "fuzz.mlir");
  if (module.ok()) (void)stead::ir::VerifyModule(module.value());
  return 0;
}
