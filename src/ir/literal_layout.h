// Literals lie row major; the memory of an argument or result lies in its shape's layout. These move between the two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/literal.h"

namespace stead::ir {

// Bytes between neighbours along each dimension, in the layout of `shape`.
std::vector<int64_t> MemoryStrides(const Shape& shape);

// Elements of fewer than 8 bits, one per byte, to side by side in bytes (the first in the lowest bits) and back; signed ones come
// back extended. REQUIRES: `packed` has just as many bytes as hold them.
void PackElements(ElementType type, std::span<const std::byte> elements, std::span<std::byte> packed);
void UnpackElements(ElementType type, std::span<const std::byte> packed, std::span<std::byte> elements);

// Writes the elements of `literal` to `memory` in the layout of `shape`. REQUIRES: same type and dimensions.
// Tiles belong to other machines' memory and move nothing here.
void StoreInLayout(const Literal& literal, const Shape& shape, std::span<std::byte> memory);
// The literal whose elements lie in `memory` in the layout of `shape`.
Literal LoadFromLayout(const Shape& shape, std::span<const std::byte> memory);

}  // namespace stead::ir
