// Sorts the elements of one row of several arrays together, by a comparator or a key compiled for the program.
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

// `elements` points to the element of each array. Elements stand in the order of these numbers.
using SortKeyFunction = uint64_t(const void* const* elements);

// The same for a comparator that compares a key of each element.
//   Cost: O(size * bytes of the largest key) where a row is long, with 16 to 32 bytes per element beside the row.
void SortRowByKey(void* const* rows, const int64_t* element_bytes, int64_t array_count, int64_t size, int64_t stride,
                  SortKeyFunction* key);

}  // namespace stead::cpu
