// Any bytes as an HloModuleProto: the reader answers with a module or a diagnostic, and what verifies can be written.
#include <cstddef>
#include <cstdint>
#include <span>

#include "frontend/hlo_proto/reader.h"
#include "frontend/hlo_proto/writer.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  stead::Result<stead::ir::Module> module = stead::frontend::ReadHloProto(bytes, "fuzz.pb");
  if (module.ok() && stead::ir::VerifyModule(module.value()).ok()) (void)stead::frontend::WriteHloProto(module.value());
  return 0;
}
