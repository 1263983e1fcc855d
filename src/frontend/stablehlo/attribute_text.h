// An attribute as MLIR's assembly writes it, for the configuration of typed FFI calls and of composites: HLO text carries
// those verbatim, and the caller of the foreign function reads them back.
#pragma once

#include <string>

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute_pool.h"

namespace stead::frontend {

// "{eps = 1.000000e-05 : f32, flags = dense<[1, 2]> : tensor<2xi32>, name = "abc"}".
// RETURNS an error for kinds that no configuration contains.
Result<std::string> AttributeText(const mlir::AttributePool& pool, mlir::AttributeId id);

}  // namespace stead::frontend
