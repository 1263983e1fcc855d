#include "inplace/memory/byte_layout.h"

#include <numeric>
#include <vector>

namespace stead::inplace {
namespace {

std::vector<int64_t> MinorToMajor(const ir::Shape& shape) {
  if (!shape.layout.minor_to_major.empty()) return shape.layout.minor_to_major;
  std::vector<int64_t> order(shape.dimensions.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

}  // namespace

bool IsContiguous(const ir::Shape& array, const analysis::Region& box) {
  // Tiles and other suffixes describe memory that is not dense.
  if (!array.layout.suffix.empty()) return false;
  bool inner_is_whole = true;
  for (int64_t dim : MinorToMajor(array)) {
    if (!inner_is_whole && box.sizes[dim] != 1) return false;
    if (box.sizes[dim] != array.dimensions[dim]) inner_is_whole = false;
  }
  return true;
}

int64_t BoxBytes(const ir::Shape& array, const analysis::Region& box) {
  int64_t bytes = ir::ElementBytes(array.element_type);
  for (int64_t size : box.sizes) bytes *= size;
  return bytes;
}

int64_t BoxOffset(const ir::Shape& array, const analysis::Region& box) {
  int64_t stride = ir::ElementBytes(array.element_type), offset = 0;
  for (int64_t dim : MinorToMajor(array)) {
    offset += box.starts[dim] * stride;
    stride *= array.dimensions[dim];
  }
  return offset;
}

}  // namespace stead::inplace
