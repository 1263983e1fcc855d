#include "driver/compile.h"
#include "frontend/read_module.h"
#include "ir/verify.h"

namespace stead::driver {

Result<ir::Module> Load(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const std::string& file_name) {
  TRY(ir::Module module, frontend::ReadModule(bytes, std::move(owner), file_name));
  TRY_STATUS(ir::VerifyModule(module));
  return module;
}

Result<ir::Module> LoadAsWritten(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                 const std::string& file_name) {
  TRY(ir::Module module, frontend::ReadModule(bytes, std::move(owner), file_name));
  TRY_STATUS(ir::VerifyStructure(module));
  return module;
}

Result<ir::BorderTilings> LoadBorder(std::span<const std::byte> bytes, int64_t device_count) {
  return frontend::ReadBorder(bytes, device_count);
}

}  // namespace stead::driver
