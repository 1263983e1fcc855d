// Comparators that compare one number of each element: then rows can be sorted by these numbers, without the comparator.
//   key(left) < key(right), where key is any arithmetic on one element's values: what JAX writes for sorts with one key, floats in
//   total order with zeros and NaNs made alike.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>

#include "ir/module.h"

namespace stead::cpu {

struct SortKey {
  ir::InstrId value;  // in the comparator, made from one element
  bool is_signed = false;
  bool is_descending = false;
};

// Nothing when the comparator is anything else, or may be no order (floats that are not compared in total order).
std::optional<SortKey> SortKeyOf(const ir::Module& module, ir::ComputationId comparator);

// The key as an unsigned number of 64 bits: elements stand in the order of these. `value` is the key in register form; what is
// shorter than 64 bits leaves the upper ones zero.
llvm::Value* AscendingNumber(llvm::IRBuilder<>& builder, llvm::Value* value, const SortKey& key);

}  // namespace stead::cpu
