// Shapes: what an HLO value is (array, tuple, token, buffer), how large, and in which order its elements lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/number/element_type.h"

namespace stead::ir {

// Position of a leaf inside a (nested) tuple shape; empty for the value itself.
using ShapeIndex = std::vector<int64_t>;

// Order of dimensions in memory. `minor_to_major` empty means row major (last dimension fastest).
struct Layout {
  std::vector<int64_t> minor_to_major;
  // What follows the order in HLO text, verbatim. ":E(4)" packs elements of 4 bits; all others, ":T(8,128)" or ":S(1)", describe
  // other machines' memory.
  std::string suffix;
  friend bool operator==(const Layout&, const Layout&) = default;
};

struct Shape {
  enum class Kind : uint8_t { kArray, kTuple, kToken, kOpaque, kBuffer };

  Kind kind = Kind::kArray;
  ElementType element_type = ElementType::kF32;  // arrays
  std::vector<int64_t> dimensions;               // arrays; in elements, each >= 0 or kUnboundedDimension
  std::vector<bool> dynamic_dimensions;          // arrays; empty when all are static
  Layout layout;                                 // arrays
  std::vector<Shape> elements;                   // tuples; buffers: what the memory holds

  static Shape Array(ElementType type, std::vector<int64_t> dimensions);
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();

  bool is_array() const { return kind == Kind::kArray; }
  bool is_tuple() const { return kind == Kind::kTuple; }
  int64_t rank() const { return static_cast<int64_t>(dimensions.size()); }
  bool is_scalar() const { return is_array() && dimensions.empty(); }
  // An array with a dimension of which not even the largest size is known. Such modules are read and printed, and nothing else.
  bool is_unbounded() const;

  // Number of elements of an array; 1 for a scalar. REQUIRES: is_array(), not unbounded.
  int64_t element_count() const;
  // Bytes of the value: arrays by element_count and by whether they are packed, tuples the sum of their leaves, tokens 0.
  int64_t byte_size() const;
  // True for arrays whose elements, of fewer than 8 bits, lie side by side, the first in the lowest bits of a byte. In all
  // others an element takes a byte at least.
  bool is_packed() const;
  // True for arrays whose elements lie row major without tiles.
  bool is_row_major() const;

  // Same kind, element types and dimensions; layouts may differ.
  bool Compatible(const Shape& other) const;
  // Compatible and the same layout (an absent layout equals row major).
  friend bool operator==(const Shape& left, const Shape& right);

  // "f32[2,3]{1,0}"; layouts are printed as XLA does (row major unless stated) when `with_layout`.
  std::string ToString(bool with_layout = true) const;
};

// `?` in HLO text.
inline constexpr int64_t kUnboundedDimension = -1;

// Larger values are refused by ir/verify.h, before anything is computed with them.
inline constexpr int64_t kMaxValueBytes = int64_t{1} << 40;
// Larger ones are refused by the readers, so that no arithmetic on sizes overflows.
inline constexpr int64_t kMaxReadableBytes = int64_t{1} << 60;

// byte_size() if not packed, or nothing when it passes the limit or is not known. An extent of 0 counts as 1, so that it hides no huge neighbour.
std::optional<int64_t> CheckedByteSize(const Shape& shape, int64_t limit = kMaxValueBytes);
// What every reader accepts: within kMaxReadableBytes, unbounded dimensions counted as 1.
bool IsReadable(const Shape& shape);

// Row-major strides in elements: {3, 1} for [2, 3].
std::vector<int64_t> RowMajorStrides(const std::vector<int64_t>& dimensions);

// The suffix of packed layouts: ":E(4)"; empty for types that fill bytes anyway.
std::string PackedSuffix(ElementType type);

// The sub-shape at `index`. REQUIRES: the index is valid for the shape.
const Shape& SubShape(const Shape& shape, const ShapeIndex& index);

// Calls visit(index, leaf) for every array or token leaf, in order.
template <typename Visit>
void ForEachLeaf(const Shape& shape, Visit visit, ShapeIndex prefix = {}) {
  if (!shape.is_tuple()) {
    visit(static_cast<const ShapeIndex&>(prefix), shape);
    return;
  }
  for (size_t element = 0; element < shape.elements.size(); ++element) {
    prefix.push_back(static_cast<int64_t>(element));
    ForEachLeaf(shape.elements[element], visit, prefix);
    prefix.pop_back();
  }
}

// "{}", "{0}", "{1,2}".
std::string ShapeIndexToString(const ShapeIndex& index);

}  // namespace stead::ir
