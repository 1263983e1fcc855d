#include "interp/box.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace stead::interp {
namespace {

template <size_t kSize>
void CopyRow(int64_t count, const std::byte* source, int64_t source_stride, std::byte* target, int64_t target_stride) {
  for (int64_t position = 0; position < count; ++position) {
    std::memcpy(target + position * target_stride * static_cast<int64_t>(kSize),
                source + position * source_stride * static_cast<int64_t>(kSize), kSize);
  }
}

using RowCopier = void (*)(int64_t, const std::byte*, int64_t, std::byte*, int64_t);

RowCopier RowCopierFor(int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &CopyRow<1>;
    case 2: return &CopyRow<2>;
    case 4: return &CopyRow<4>;
    case 8: return &CopyRow<8>;
    default: return &CopyRow<16>;
  }
}

}  // namespace

void CopyBox(const std::vector<int64_t>& extents, int64_t element_bytes, const std::byte* source, const BoxSide& from,
             std::byte* target, const BoxSide& to) {
  STEAD_CHECK(from.strides.size() == extents.size() && to.strides.size() == extents.size());
  if (extents.empty()) {
    std::memcpy(target + to.offset * element_bytes, source + from.offset * element_bytes,
                static_cast<size_t>(element_bytes));
    return;
  }
  int64_t row = extents.back();
  bool contiguous = from.strides.back() == 1 && to.strides.back() == 1;
  RowCopier copy_row = RowCopierFor(element_bytes);
  std::vector<int64_t> outer(extents.begin(), extents.end() - 1);
  if (row == 0) return;
  for (IndexCounter index(outer); index.valid(); index.Advance()) {
    const std::byte* source_row = source + (from.offset + Dot(index.index(), from.strides)) * element_bytes;
    std::byte* target_row = target + (to.offset + Dot(index.index(), to.strides)) * element_bytes;
    if (contiguous) {
      std::memcpy(target_row, source_row, static_cast<size_t>(row * element_bytes));
    } else {
      copy_row(row, source_row, from.strides.back(), target_row, to.strides.back());
    }
  }
}

void CopyBox(const std::vector<int64_t>& extents, const ir::Literal& source, const BoxSide& from, ir::Literal& target,
             const BoxSide& to) {
  CopyBox(extents, ir::ElementBytes(source.shape().element_type), source.bytes().data(), from,
          target.mutable_bytes().data(), to);
}

IndexCounter::IndexCounter(const std::vector<int64_t>& extents)
    : extents_(extents), index_(extents.size(), 0), valid_(std::ranges::find(extents, 0) == extents.end()) {}

void IndexCounter::Advance() {
  for (size_t dim = index_.size(); dim-- > 0;) {
    if (++index_[dim] < extents_[dim]) return;
    index_[dim] = 0;
  }
  valid_ = false;
}

int64_t Dot(const std::vector<int64_t>& index, const std::vector<int64_t>& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), int64_t{0});
}

ir::Literal Clone(const ir::Literal& literal) {
  ir::Literal copy = ir::Literal::Zeros(literal.shape());
  std::ranges::copy(literal.bytes(), copy.mutable_bytes().begin());
  return copy;
}

ir::Literal Splat(const ir::Shape& shape, const ir::Literal& value) {
  ir::Literal result = ir::Literal::Zeros(shape);
  CopyBox({shape.element_count()}, value, {0, {0}}, result, {0, {1}});
  return result;
}

}  // namespace stead::interp
