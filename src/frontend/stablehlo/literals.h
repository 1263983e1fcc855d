// Array constants and lists of numbers in attributes, decoded from their packed form.
//   In the file: one element when all are equal, bools 8 to a byte, other elements narrower than a byte one to a byte.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute_pool.h"
#include "ir/literal.h"

namespace stead::frontend {

struct ImportedLiteral {
  ir::Literal literal;
  bool is_splat = false;  // `literal` is a scalar that fills the whole array
};

// The constant in `tensor`, of shape `shape` (an array). An aligned payload becomes a view kept alive by `owner`;
// otherwise, or when `owner` is null, it is copied.
Result<ImportedLiteral> ImportLiteral(const mlir::TensorAttribute& tensor, const ir::Shape& shape,
                                      const std::shared_ptr<const void>& owner);

// The elements of an attribute that lists integers or bools, row major, equal ones repeated.
Result<std::vector<int64_t>> ImportIntegers(const mlir::AttributePool& pool, const mlir::TensorAttribute& tensor);

}  // namespace stead::frontend
