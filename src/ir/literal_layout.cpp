#include "ir/literal_layout.h"

#include <algorithm>
#include <cstring>

namespace stead::ir {
std::vector<int64_t> MemoryStrides(const Shape& shape) {
  std::vector<int64_t> strides = RowMajorStrides(shape.dimensions);
  int64_t stride = ElementBytes(shape.element_type);
  // An order that is not given is row major.
  for (int64_t& elements : strides) elements *= stride;
  for (int64_t dim : shape.layout.minor_to_major) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= shape.dimensions[static_cast<size_t>(dim)];
  }
  return strides;
}

namespace {

// Calls visit(row-major byte offset, byte offset in memory) for each element.
template <typename Visit>
void ForEachElement(const Shape& shape, Visit visit) {
  std::vector<int64_t> strides = MemoryStrides(shape), index(shape.dimensions.size(), 0);
  int64_t element_bytes = ElementBytes(shape.element_type), count = shape.element_count(), offset = 0;
  for (int64_t element = 0; element < count; ++element) {
    visit(element * element_bytes, offset);
    for (size_t dim = index.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++index[dim] < shape.dimensions[dim]) break;
      offset -= strides[dim] * shape.dimensions[dim];
      index[dim] = 0;
    }
  }
}

Shape WithoutSuffix(Shape shape) {
  shape.layout.suffix.clear();
  return shape;
}

}  // namespace

void PackElements(ElementType type, std::span<const std::byte> elements, std::span<std::byte> packed) {
  const size_t bits = static_cast<size_t>(ElementBits(type)), per_byte = 8 / bits;
  const std::byte mask{static_cast<uint8_t>((1 << bits) - 1)};
  const size_t whole = elements.size() / per_byte;
  const auto byte_of = [&](size_t first, size_t count) {
    std::byte byte{0};
    for (size_t part = 0; part < count; ++part) byte |= (elements[first + part] & mask) << (part * bits);
    return byte;
  };
  for (size_t number = 0; number < whole; ++number) packed[number] = byte_of(number * per_byte, per_byte);
  if (whole * per_byte < elements.size()) packed[whole] = byte_of(whole * per_byte, elements.size() - whole * per_byte);
}

void UnpackElements(ElementType type, std::span<const std::byte> packed, std::span<std::byte> elements) {
  const size_t bits = static_cast<size_t>(ElementBits(type)), per_byte = 8 / bits;
  for (size_t element = 0; element < elements.size(); ++element) {
    const size_t place = element % per_byte * bits;
    const auto at_top =
        static_cast<uint8_t>(std::to_integer<unsigned>(packed[element / per_byte]) << (8 - bits - place));
    const int value = IsSigned(type) ? static_cast<int8_t>(at_top) >> (8 - bits) : at_top >> (8 - bits);
    elements[element] = static_cast<std::byte>(value);
  }
}

void StoreInLayout(const Literal& literal, const Shape& shape, std::span<std::byte> memory) {
  if (shape.is_packed()) {
    std::vector<std::byte> elements(literal.bytes().size());
    StoreInLayout(literal, WithoutSuffix(shape), elements);
    return PackElements(shape.element_type, elements, memory);
  }
  if (shape.is_row_major()) {
    std::ranges::copy(literal.bytes(), memory.begin());
    return;
  }
  size_t element_bytes = static_cast<size_t>(ElementBytes(shape.element_type));
  ForEachElement(shape,
                 [&](int64_t from, int64_t to) { std::memcpy(&memory[to], &literal.bytes()[from], element_bytes); });
}

Literal LoadFromLayout(const Shape& shape, std::span<const std::byte> memory) {
  if (shape.is_packed()) {
    std::vector<std::byte> elements(static_cast<size_t>(shape.element_count()));
    UnpackElements(shape.element_type, memory, elements);
    return LoadFromLayout(WithoutSuffix(shape), elements);
  }
  Literal literal = Literal::Zeros(Shape::Array(shape.element_type, shape.dimensions));
  std::span<std::byte> elements = literal.mutable_bytes();
  if (shape.is_row_major()) {
    std::ranges::copy(memory, elements.begin());
    return literal;
  }
  size_t element_bytes = static_cast<size_t>(ElementBytes(shape.element_type));
  ForEachElement(shape, [&](int64_t to, int64_t from) { std::memcpy(&elements[to], &memory[from], element_bytes); });
  return literal;
}

}  // namespace stead::ir
