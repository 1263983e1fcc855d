// Reads MLIR assembly with the operations of StableHLO that JAX prints: pretty and generic form, with and without locations.
//   Input: text, trusted in nothing.  Output: the ParsedModule that ReadBytecode gives for the same program (operations under
//   the names of the text, attributes in VHLO's form), or an error with line and column.
//   Memory and time are linear in the size of the text, and nesting is limited. Types are not checked against each other.
//   Read next: operation_reader.h (operations and regions), pretty_forms.cpp (what each operation looks like).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "frontend/mlir_bytecode/parsed_module.h"

namespace stead::frontend::mlir {

// True when the text begins as MLIR assembly does.
bool IsMlirText(std::string_view text);

// REQUIRES: the text outlives the module.
Result<ParsedModule> ReadMlirText(std::string_view text, const std::string& file_name);

}  // namespace stead::frontend::mlir
