// Reads an MLIR bytecode file, versions 0 to 6: what JAX hands to a PJRT plugin and what Mosaic kernels are stored as.
//   Input: the file's bytes, trusted in nothing.  Output: a ParsedModule of views into them, or an error that names
//   the byte where the format is broken. Memory and time are linear in the size of the file, and nesting is limited.
//   Attributes, types and locations are not decoded here. Format: mlir/docs/BytecodeFormat.md and
//   mlir/Bytecode/Encoding.h; what those leave out (order of properties, sections of isolated regions) was found from
//   files.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "frontend/mlir_bytecode/parsed_module.h"

namespace stead::frontend::mlir {

// True when the bytes begin like MLIR bytecode.
bool IsMlirBytecode(std::span<const std::byte> bytes);

// REQUIRES: the bytes outlive the module.
Result<ParsedModule> ReadBytecode(std::span<const std::byte> bytes);

}  // namespace stead::frontend::mlir
