// Literals lie row major; the memory of an argument or result lies in its shape's layout. These move between the two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/literal.h"

namespace stead::ir {

// Bytes between neighbours along each dimension, in the layout of `shape`.
std::vector<int64_t> MemoryStrides(const Shape& shape);

// Writes the elements of `literal` to `memory` in the layout of `shape`. REQUIRES: same type and dimensions.
// Tiles belong to other machines' memory and move nothing here.
void StoreInLayout(const Literal& literal, const Shape& shape, std::span<std::byte> memory);
// The literal whose elements lie in `memory` in the layout of `shape`.
Literal LoadFromLayout(const Shape& shape, std::span<const std::byte> memory);

}  // namespace stead::ir
