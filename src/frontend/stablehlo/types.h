// Types of a bytecode file as shapes of the IR.
//   RETURNS an error for what the IR has no word for: dynamic dimensions, quantized and 6-bit element types, arrays of more
//   bytes than an address can count.
#pragma once

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute_pool.h"
#include "ir/shape.h"

namespace stead::frontend {

// REQUIRES: `id` is valid.
Result<ir::ElementType> ImportElementType(const mlir::AttributePool& pool, mlir::TypeId id);

Result<ir::Shape> ImportType(const mlir::AttributePool& pool, mlir::TypeId id);

}  // namespace stead::frontend
