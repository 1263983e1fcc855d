// Sorts the elements of one row of several arrays together, by a comparator compiled for the program.
//   Stable: elements that compare equal keep their order.
#pragma once

#include <cstdint>

namespace stead::cpu {

// `elements` points to the left and the right element of each array: left0, right0, left1, right1, ... True when left stands
// before right.
using SortComparator = bool(const void* const* elements);

// The arrays' rows have `size` elements, `stride` elements apart; `element_bytes` is per array, at most 16.
void SortRow(void* const* rows, const int64_t* element_bytes, int64_t array_count, int64_t size, int64_t stride,
             SortComparator* comparator);

}  // namespace stead::cpu
