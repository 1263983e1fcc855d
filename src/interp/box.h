// Moving elements between dense arrays: one loop nest behind every op that only moves (slice, pad, transpose, reverse, ...).
//   A box is a range of indices per dimension. Each side says where the box's first element lies in its array and how far apart
//   neighbours along each dimension are, in elements; distances may be 0 (broadcast) or negative (reverse).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/literal.h"

namespace stead::interp {

struct BoxSide {
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

// Copies a box of the given extents. REQUIRES: both sides lie inside their arrays; `element_bytes` is 1, 2, 4, 8 or 16.
void CopyBox(const std::vector<int64_t>& extents, int64_t element_bytes, const std::byte* source, const BoxSide& from,
             std::byte* target, const BoxSide& to);

// The same between literals of one element type.
void CopyBox(const std::vector<int64_t>& extents, const ir::Literal& source, const BoxSide& from, ir::Literal& target,
             const BoxSide& to);

// Counts through the indices of a box in row-major order:
//   for (IndexCounter index(extents); index.valid(); index.Advance()) use(index[0], index[1]);
class IndexCounter {
 public:
  explicit IndexCounter(const std::vector<int64_t>& extents);
  bool valid() const { return valid_; }
  void Advance();
  int64_t operator[](size_t dim) const { return index_[dim]; }
  const std::vector<int64_t>& index() const { return index_; }

 private:
  std::vector<int64_t> extents_;
  std::vector<int64_t> index_;
  bool valid_;
};

// Sum of index[dim] * strides[dim].
int64_t Dot(const std::vector<int64_t>& index, const std::vector<int64_t>& strides);

// A writable copy of an array.
ir::Literal Clone(const ir::Literal& literal);
// An array of `shape` in which every element has the bits of the scalar `value`.
ir::Literal Splat(const ir::Shape& shape, const ir::Literal& value);

}  // namespace stead::interp
