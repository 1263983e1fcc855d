// Any bytes as a StableHLO portable artifact: the importer answers with a module or a diagnostic.
#include <cstddef>
#include <cstdint>
#include <span>

#include "frontend/stablehlo/import.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  stead::Result<stead::ir::Module> module = stead::frontend::ImportStablehlo(bytes, nullptr, "fuzz.mlirbc");
  if (module.ok()) (void)stead::ir::VerifyModule(module.value());
  return 0;
}
