// Types and text attributes of Mosaic kernels, as far as shapes and numbers go.
//   `index` becomes s32, as all places inside a kernel do; other integers are signless there and become signed ones.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute_pool.h"
#include "ir/shape.h"

namespace stead::frontend {

// The shape of a scalar, a vector or what a memref holds.
Result<ir::Shape> ImportKernelType(const mlir::AttributePool& pool, mlir::TypeId id);

// The unsigned type of the same size; the type itself when it is no signed integer.
ir::ElementType UnsignedOf(ir::ElementType type);

// True for a memref of semaphores, which hold nothing on one core.
Result<bool> IsSemaphore(const mlir::AttributePool& pool, mlir::TypeId id);

// Between '<' and '>' of a text attribute: "add" of "#vector.kind<add>"; empty when there are none.
std::string_view TextArgument(std::string_view text);

// The lists of integers in "#tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>", in order.
std::vector<std::vector<int64_t>> TextLists(std::string_view text);

}  // namespace stead::frontend
