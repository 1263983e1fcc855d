// Which elements an op addresses: of slices and windows, as boxes and as bytes, and questions about layouts.
//   Used by effects, by the planner, and by passes for known starts. Safe wrong answers: "whole", "not the same order".
#pragma once

#include <optional>
#include <vector>

#include "analysis/footprint.h"
#include "ir/module.h"

namespace stead::analysis {

// A box of elements of an array: all of it, or [start, start + size) in every dimension.
struct Region {
  bool whole = true;
  std::vector<int64_t> starts, sizes;  // when !whole

  static Region Box(std::vector<int64_t> starts, std::vector<int64_t> sizes) {
    return {false, std::move(starts), std::move(sizes)};
  }
  friend bool operator==(const Region&, const Region&) = default;
};

// The value of an integer scalar that is a constant, seen through reshape, bitcast and convert.
std::optional<int64_t> StaticInteger(const ir::Module& module, ir::InstrId id);

// The box that a `slice` reads (strides are covered by their hull).
Region SliceRegion(const ir::Instruction& slice);

Footprint RegionFootprint(const ir::Shape& array, const Region& region);
// The bytes that a `slice` reads.
Footprint SliceFootprint(const ir::Module& module, ir::InstrId slice);

// The bytes of a window of `sizes` in the array, whose start scalars are operands [first_index, ...) of `id`, moved inside as
// dynamic-slice does.
Footprint DynamicWindowFootprint(const ir::Module& module, ir::InstrId id, size_t first_index, const ir::Shape& array,
                                 const std::vector<int64_t>& sizes);

// Element k of one lies in memory where element k of the other does: same dimensions and order; types may differ.
bool SameOrder(const ir::Shape& left, const ir::Shape& right);
// SameOrder, and elements of the same size: one array can be overwritten by the other element by element.
bool SamePlaces(const ir::Shape& left, const ir::Shape& right);

}  // namespace stead::analysis
