#include "frontend/stablehlo/import.h"

#include "frontend/mlir_bytecode/reader.h"
#include "frontend/mlir_text/reader.h"
#include "frontend/stablehlo/importer.h"

namespace stead::frontend {

namespace {

Result<ir::Module> Import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                          const std::string& file_name) {
  TRY(mlir::ParsedModule source, mlir::ReadBytecode(bytes));
  return Importer(source, std::move(owner), file_name).ImportModule();
}

// Constants of a text are unpacked into the tree, which does not live on: the module copies them.
Result<ir::Module> ImportText(std::string_view text, const std::string& file_name) {
  TRY(mlir::ParsedModule source, mlir::ReadMlirText(text, file_name));
  return Importer(source, nullptr, file_name).ImportModule();
}

Result<ir::Module> WithFile(Result<ir::Module> module, const std::string& file_name) {
  if (module.ok() || module.error().where.known()) return module;
  Diagnostic error = module.error();
  error.where.file = file_name;
  return error;
}

}  // namespace

bool IsMlirBytecode(std::span<const std::byte> bytes) { return mlir::IsMlirBytecode(bytes); }

bool IsMlirText(std::string_view text) { return mlir::IsMlirText(text); }

Result<ir::Module> ImportStablehlo(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& file_name) {
  return WithFile(Import(bytes, std::move(owner), file_name), file_name);
}

Result<ir::Module> ImportStablehloText(std::string_view text, const std::string& file_name) {
  return WithFile(ImportText(text, file_name), file_name);
}

}  // namespace stead::frontend
