// Which elements an op addresses: boxes of slices and of windows whose start is a constant, and questions about layouts.
//   Used by effects, and by passes for known starts. Safe wrong answers: "whole", "not the same order".
#pragma once

#include <optional>

#include "analysis/effects.h"
#include "ir/module.h"

namespace stead::analysis {

// The value of an integer scalar that is a constant, seen through reshape, bitcast and convert.
std::optional<int64_t> StaticInteger(const ir::Module& module, ir::InstrId id);

// The box that a `slice` reads (strides are covered by their hull).
Region SliceRegion(const ir::Instruction& slice);

// The box of `sizes` in an array of `dimensions` whose start scalars are operands [first_index, ...) of `id`, clamped as
// dynamic-slice does; whole unless every start is a constant.
Region DynamicWindowRegion(const ir::Module& module, ir::InstrId id, size_t first_index,
                           const std::vector<int64_t>& dimensions, const std::vector<int64_t>& sizes);

// Element k of one lies in memory where element k of the other does: same dimensions and order; types may differ.
bool SameOrder(const ir::Shape& left, const ir::Shape& right);
// SameOrder, and elements of the same size: one array can be overwritten by the other element by element.
bool SamePlaces(const ir::Shape& left, const ir::Shape& right);

}  // namespace stead::analysis
