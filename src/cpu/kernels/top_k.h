// The first elements of a row in falling or rising order, and where they stood, without sorting the row.
#pragma once

#include <cstdint>

namespace stead::cpu {

// How the bits of an element are compared. Floats: by sign and magnitude, -0 before +0, NaN outside of the infinities.
enum class ElementOrder : int32_t { kFloat, kSigned, kUnsigned };

// `values` and `places` have room for `count` elements of the row's `size`; equal elements keep their order. REQUIRES: elements of 1
// (no float), 2, 4 or 8 bytes. Needs no other memory: the places found so far are a heap with the last of them on top.
// O(size log count).
void SelectRow(const void* row, int64_t size, int64_t count, ElementOrder order, int64_t element_bytes, bool largest,
               void* values, int32_t* places);

}  // namespace stead::cpu
