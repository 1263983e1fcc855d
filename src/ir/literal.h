// A constant value: a shape and its elements.
//   Elements lie row major whatever the shape's layout says (pred and types below 8 bits: one byte each; complex: re, im).
//   The bytes may belong to someone else (`owner` keeps them alive), so that a 64 MiB constant is never copied.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/check.h"
#include "ir/shape.h"

namespace stead::ir {

class Literal {
 public:
  Literal() = default;
  // Zero-filled, owned, writable. REQUIRES: array shape.
  static Literal Zeros(Shape shape);
  // Borrows `bytes`, which `owner` keeps alive. REQUIRES: as many bytes as the shape has when not packed.
  static Literal View(Shape shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  static Literal Tuple(std::vector<Literal> elements);
  static Literal Token();
  // The text said `constant({...})`: shape known, elements not. Planning works, running is refused.
  static Literal Elided(Shape shape);
  // A rank-0 or rank-n array holding the given elements. REQUIRES: sizeof(T) == ElementBytes(type).
  template <typename T>
  static Literal FromVector(Shape shape, const std::vector<T>& elements);

  // The same elements under another shape; the bytes are shared, not copied. REQUIRES: as many bytes.
  Literal WithShape(Shape shape) const;

  const Shape& shape() const { return shape_; }
  bool elided() const { return elided_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Typed view of the elements. REQUIRES: sizeof(T) == ElementBytes of the element type, not elided.
  template <typename T>
  std::span<const T> data() const;
  // REQUIRES: made by Zeros or FromVector (owned). Sharing copies of the literal see the change.
  std::span<std::byte> mutable_bytes();
  template <typename T>
  std::span<T> mutable_data();
  const std::vector<Literal>& elements() const { return elements_; }  // tuples

  // Element `index` (row major) as a double / int64; complex gives the real part.
  double AsDouble(int64_t index) const;
  int64_t AsInteger(int64_t index) const;
  // Same shape (dimensions, type) and the same bytes.
  bool SameBits(const Literal& other) const;
  friend bool operator==(const Literal& left, const Literal& right) { return left.SameBits(right); }

 private:
  Shape shape_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::byte* writable_ = nullptr;
  std::vector<Literal> elements_;
  bool elided_ = false;
};

template <typename T>
std::span<const T> Literal::data() const {
  STEAD_CHECK(sizeof(T) == static_cast<size_t>(ElementBytes(shape_.element_type)) && !elided_);
  return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
}

template <typename T>
std::span<T> Literal::mutable_data() {
  STEAD_CHECK(sizeof(T) == static_cast<size_t>(ElementBytes(shape_.element_type)));
  std::span<std::byte> bytes = mutable_bytes();
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <typename T>
Literal Literal::FromVector(Shape shape, const std::vector<T>& elements) {
  Literal literal = Zeros(std::move(shape));
  STEAD_CHECK(literal.data<T>().size() == elements.size());
  std::copy(elements.begin(), elements.end(), literal.mutable_data<T>().begin());
  return literal;
}

}  // namespace stead::ir
