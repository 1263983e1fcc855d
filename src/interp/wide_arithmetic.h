// Sums of products in the wide value types (int64_t, uint64_t, double, Complex128) and reordering of their arrays.
#pragma once

#include <vector>

#include "interp/box.h"
#include "interp/elements.h"

namespace stead::interp {

// True when every element of the array can be read as a Wide.
template <typename Wide>
bool Fits(const ir::Literal& literal) {
  ir::ElementType type = literal.shape().element_type;
  if constexpr (kIsComplex<Wide>) return true;
  if constexpr (std::is_integral_v<Wide>) return !ir::IsComplex(type) && !ir::IsFloat(type);
  return !ir::IsComplex(type);
}

// left * right + sum; integers wrap.
template <typename Wide>
Wide MultiplyAdd(Wide left, Wide right, Wide sum) {
  if constexpr (kIsComplex<Wide>) {
    return {sum.real() + (left.real() * right.real() - left.imag() * right.imag()),
            sum.imag() + (left.real() * right.imag() + left.imag() * right.real())};
  } else if constexpr (std::is_integral_v<Wide>) {
    return static_cast<Wide>(static_cast<uint64_t>(left) * static_cast<uint64_t>(right) + static_cast<uint64_t>(sum));
  } else {
    return left * right + sum;
  }
}

// sums[k] += factor * values[k]
template <typename Wide>
void AddScaled(Wide* sums, const Wide* values, Wide factor, int64_t count) {
  for (int64_t position = 0; position < count; ++position) {
    sums[position] = MultiplyAdd(values[position], factor, sums[position]);
  }
}

// The transposed array: its dimension k is dimension order[k] of the given one.
template <typename Wide>
std::vector<Wide> Permute(const std::vector<Wide>& values, const ir::Dimensions& extents, const ir::Dimensions& order) {
  std::vector<int64_t> strides = ir::RowMajorStrides(extents);
  ir::Dimensions permuted;
  BoxSide from;
  for (int64_t dim : order) {
    permuted.push_back(extents[dim]);
    from.strides.push_back(strides[dim]);
  }
  std::vector<Wide> result(values.size());
  if (values.empty()) return result;
  CopyBox(permuted, sizeof(Wide), reinterpret_cast<const std::byte*>(values.data()), from,
          reinterpret_cast<std::byte*>(result.data()), {0, ir::RowMajorStrides(permuted)});
  return result;
}

// The order that undoes `order`.
inline ir::Dimensions Inverse(const ir::Dimensions& order) {
  ir::Dimensions inverse(order.size());
  for (size_t position = 0; position < order.size(); ++position)
    inverse[order[position]] = static_cast<int64_t>(position);
  return inverse;
}

}  // namespace stead::interp
