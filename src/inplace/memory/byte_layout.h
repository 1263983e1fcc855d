// Where a box of an array lies in memory.
#pragma once

#include <cstdint>

#include "analysis/window.h"
#include "ir/shape.h"

namespace stead::inplace {

// The elements of the box are one run of bytes in the array's layout. REQUIRES: !box.whole.
bool IsContiguous(const ir::Shape& array, const analysis::Region& box);

// REQUIRES: !box.whole.
int64_t BoxBytes(const ir::Shape& array, const analysis::Region& box);

// Bytes from the array's first element to the box's. REQUIRES: !box.whole.
int64_t BoxOffset(const ir::Shape& array, const analysis::Region& box);

}  // namespace stead::inplace
