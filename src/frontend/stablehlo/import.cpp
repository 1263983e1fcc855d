#include "frontend/stablehlo/import.h"

#include "frontend/mlir_bytecode/reader.h"
#include "frontend/stablehlo/importer.h"

namespace stead::frontend {

namespace {

Result<ir::Module> Import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                          const std::string& file_name) {
  TRY(mlir::BytecodeModule source, mlir::ReadBytecode(bytes));
  return Importer(source, std::move(owner), file_name).ImportModule();
}

}  // namespace

bool IsMlirBytecode(std::span<const std::byte> bytes) { return mlir::IsMlirBytecode(bytes); }

Result<ir::Module> ImportStablehlo(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& file_name) {
  Result<ir::Module> module = Import(bytes, std::move(owner), file_name);
  if (module.ok() || module.error().where.known()) return module;
  Diagnostic error = module.error();
  error.where.file = file_name;
  return error;
}

}  // namespace stead::frontend
