#include "ir/literal.h"

#include <algorithm>
#include <cstring>

#include "ir/number/narrow_float.h"
#include "ir/number/small_float.h"

namespace stead::ir {
namespace {

// Literals are never packed, so their shape does not say so.
Shape Unpacked(Shape shape) {
  if (shape.is_packed()) shape.layout.suffix.clear();
  return shape;
}

}  // namespace

Literal Literal::Zeros(Shape shape) {
  STEAD_CHECK(shape.is_array());
  shape = Unpacked(std::move(shape));
  Literal literal;
  size_t size = static_cast<size_t>(shape.byte_size());
  auto storage = std::shared_ptr<std::byte[]>(new std::byte[size]());
  literal.shape_ = std::move(shape);
  literal.writable_ = storage.get();
  literal.bytes_ = {storage.get(), size};
  literal.owner_ = std::move(storage);
  return literal;
}

Literal Literal::View(Shape shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  shape = Unpacked(std::move(shape));
  STEAD_CHECK(shape.is_array() && static_cast<int64_t>(bytes.size()) == shape.byte_size());
  Literal literal;
  literal.shape_ = std::move(shape);
  literal.bytes_ = bytes;
  literal.owner_ = std::move(owner);
  return literal;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal literal;
  std::vector<Shape> shapes;
  for (const Literal& element : elements) shapes.push_back(element.shape());
  literal.shape_ = Shape::Tuple(std::move(shapes));
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::Token() {
  Literal literal;
  literal.shape_ = Shape::Token();
  return literal;
}

Literal Literal::WithShape(Shape shape) const {
  shape = Unpacked(std::move(shape));
  STEAD_CHECK(shape.is_array() && shape.byte_size() == shape_.byte_size() && !elided_);
  Literal literal = *this;
  literal.shape_ = std::move(shape);
  return literal;
}

Literal Literal::Elided(Shape shape) {
  Literal literal;
  literal.shape_ = std::move(shape);
  literal.elided_ = true;
  return literal;
}

std::span<std::byte> Literal::mutable_bytes() {
  STEAD_CHECK(writable_ != nullptr || bytes_.empty(), "literal is a view");
  return {writable_, bytes_.size()};
}

double Literal::AsDouble(int64_t index) const {
  if (IsSmallFloat(shape_.element_type)) return SmallFloatToDouble(shape_.element_type, data<uint8_t>()[index]);
  switch (shape_.element_type) {
    case ElementType::kF32: return data<float>()[index];
    case ElementType::kF64: return data<double>()[index];
    case ElementType::kF16: return HalfToFloat(data<uint16_t>()[index]);
    case ElementType::kBF16: return BFloat16ToFloat(data<uint16_t>()[index]);
    case ElementType::kC64: return reinterpret_cast<const float*>(bytes_.data())[2 * index];
    case ElementType::kC128: return reinterpret_cast<const double*>(bytes_.data())[2 * index];
    case ElementType::kU64: return static_cast<double>(data<uint64_t>()[index]);
    default: return static_cast<double>(AsInteger(index));
  }
}

int64_t Literal::AsInteger(int64_t index) const {
  bool is_signed = IsSigned(shape_.element_type);
  switch (ElementBytes(shape_.element_type)) {
    case 1: return is_signed ? data<int8_t>()[index] : data<uint8_t>()[index];
    case 2: return is_signed ? data<int16_t>()[index] : data<uint16_t>()[index];
    case 4: return is_signed ? int64_t{data<int32_t>()[index]} : int64_t{data<uint32_t>()[index]};
    case 8: return data<int64_t>()[index];
    default: STEAD_CHECK(false, "not an integer literal");
  }
  return 0;
}

bool Literal::SameBits(const Literal& other) const {
  if (!shape_.Compatible(other.shape_) || elided_ || other.elided_) return false;
  if (shape_.is_tuple()) {
    return std::ranges::equal(elements_, other.elements_,
                              [](const Literal& left, const Literal& right) { return left.SameBits(right); });
  }
  return std::ranges::equal(bytes_, other.bytes_);
}

}  // namespace stead::ir
