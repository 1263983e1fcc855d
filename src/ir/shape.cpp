#include "ir/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace stead::ir {
namespace {

std::vector<int64_t> EffectiveOrder(const Shape& shape) {
  if (!shape.layout.minor_to_major.empty()) return shape.layout.minor_to_major;
  std::vector<int64_t> order(shape.dimensions.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

std::string ArrayToString(const Shape& shape, bool with_layout) {
  std::string text = fmt::format("{}[", ElementTypeName(shape.element_type));
  for (int64_t dim = 0; dim < shape.rank(); ++dim) {
    bool dynamic = !shape.dynamic_dimensions.empty() && shape.dynamic_dimensions[dim];
    std::string extent = shape.dimensions[dim] == kUnboundedDimension
                             ? "?"
                             : fmt::format("{}{}", dynamic ? "<=" : "", shape.dimensions[dim]);
    text += fmt::format("{}{}", dim ? "," : "", extent);
  }
  text += "]";
  if (!with_layout || (shape.dimensions.empty() && shape.layout.suffix.empty())) return text;
  return text + fmt::format("{{{}{}}}", fmt::join(EffectiveOrder(shape), ","), shape.layout.suffix);
}

}  // namespace

Shape Shape::Array(ElementType type, std::vector<int64_t> dimensions) {
  Shape shape;
  shape.element_type = type;
  shape.dimensions = std::move(dimensions);
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.kind = Kind::kTuple;
  shape.elements = std::move(elements);
  return shape;
}

Shape Shape::Token() {
  Shape shape;
  shape.kind = Kind::kToken;
  return shape;
}

bool Shape::is_unbounded() const {
  return is_array() && std::ranges::find(dimensions, kUnboundedDimension) != dimensions.end();
}

int64_t Shape::element_count() const {
  STEAD_CHECK(is_array());
  int64_t count = 1;
  for (int64_t dimension : dimensions) count *= dimension;
  return count;
}

int64_t Shape::byte_size() const {
  switch (kind) {
    case Kind::kArray:
      if (is_packed()) return (element_count() * ElementBits(element_type) + 7) / 8;
      return element_count() * ElementBytes(element_type);
    case Kind::kTuple:
    case Kind::kBuffer: {
      int64_t bytes = 0;
      for (const Shape& element : elements) bytes += element.byte_size();
      return bytes;
    }
    case Kind::kToken:
    case Kind::kOpaque: return 0;
  }
  return 0;
}

bool Shape::is_packed() const {
  return is_array() && !layout.suffix.empty() && layout.suffix == PackedSuffix(element_type);
}

bool Shape::is_row_major() const {
  if (!is_array() || !layout.suffix.empty()) return false;
  if (layout.minor_to_major.empty()) return true;
  // Dimensions of extent 1 do not move elements, wherever the order names them.
  int64_t previous = rank();
  for (int64_t dim : EffectiveOrder(*this)) {
    if (dimensions[dim] == 1) continue;
    if (dim > previous) return false;
    previous = dim;
  }
  return true;
}

bool Shape::Compatible(const Shape& other) const {
  if (kind != other.kind) return false;
  if (kind == Kind::kArray) return element_type == other.element_type && dimensions == other.dimensions;
  if (elements.size() != other.elements.size()) return false;
  for (size_t element = 0; element < elements.size(); ++element) {
    if (!elements[element].Compatible(other.elements[element])) return false;
  }
  return true;
}

bool operator==(const Shape& left, const Shape& right) {
  if (!left.Compatible(right)) return false;
  if (left.kind != Shape::Kind::kArray) return left.elements == right.elements;
  const bool is_written_alike = left.layout.minor_to_major == right.layout.minor_to_major;
  return (is_written_alike || EffectiveOrder(left) == EffectiveOrder(right)) &&
         left.layout.suffix == right.layout.suffix;
}

std::string Shape::ToString(bool with_layout) const {
  switch (kind) {
    case Kind::kArray: return ArrayToString(*this, with_layout);
    case Kind::kToken: return "token[]";
    case Kind::kOpaque: return "opaque[]";
    case Kind::kTuple:
    case Kind::kBuffer: break;
  }
  std::string text = kind == Kind::kBuffer ? "b(" : "(";
  for (size_t element = 0; element < elements.size(); ++element) {
    text += fmt::format("{}{}", element ? ", " : "", elements[element].ToString(with_layout));
  }
  return text + ")";
}

std::optional<int64_t> CheckedByteSize(const Shape& shape, int64_t limit) {
  int64_t bytes = 0;
  if (shape.is_array()) {
    bytes = ElementBytes(shape.element_type);
    for (int64_t dimension : shape.dimensions) {
      if (dimension < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(dimension, 1), &bytes)) return std::nullopt;
      if (bytes > limit) return std::nullopt;
    }
  }
  for (const Shape& element : shape.elements) {
    std::optional<int64_t> element_bytes = CheckedByteSize(element, limit);
    if (!element_bytes || (bytes += *element_bytes) > limit) return std::nullopt;
  }
  return bytes;
}

bool IsReadable(const Shape& shape) {
  if (shape.is_unbounded()) {
    Shape counted = shape;
    std::ranges::replace(counted.dimensions, kUnboundedDimension, 1);
    return CheckedByteSize(counted, kMaxReadableBytes).has_value();
  }
  if (shape.is_array()) return CheckedByteSize(shape, kMaxReadableBytes).has_value();
  return std::ranges::all_of(shape.elements, IsReadable);
}

std::vector<int64_t> RowMajorStrides(const std::vector<int64_t>& dimensions) {
  std::vector<int64_t> strides(dimensions.size(), 1);
  for (size_t dim = dimensions.size(); dim-- > 1;) strides[dim - 1] = strides[dim] * dimensions[dim];
  return strides;
}

std::string PackedSuffix(ElementType type) {
  const int bits = ElementBits(type);
  return bits > 1 && bits < 8 ? fmt::format(":E({})", bits) : std::string();
}

const Shape& SubShape(const Shape& shape, const ShapeIndex& index) {
  const Shape* current = &shape;
  for (int64_t element : index) {
    STEAD_CHECK(current->is_tuple() && element >= 0 && element < static_cast<int64_t>(current->elements.size()));
    current = &current->elements[element];
  }
  return *current;
}

std::string ShapeIndexToString(const ShapeIndex& index) { return fmt::format("{{{}}}", fmt::join(index, ",")); }

}  // namespace stead::ir
