// StableHLO, as a portable artifact (MLIR bytecode of the VHLO dialect, as JAX sends it) or as text -> ir::Module.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// True when the bytes start with MLIR's bytecode magic.
bool IsMlirBytecode(std::span<const std::byte> bytes);

// Large constants stay views into `bytes`, kept alive by `owner`; a null owner makes the module copy them.
Result<ir::Module> ImportStablehlo(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& file_name);

// True when the text begins as MLIR assembly does.
bool IsMlirText(std::string_view text);

Result<ir::Module> ImportStablehloText(std::string_view text, const std::string& file_name);

}  // namespace stead::frontend
