#include "frontend/stablehlo/ops/window.h"

#include <fmt/format.h>

namespace stead::frontend {

namespace {

// Copies the list `attribute` into `field` of each dimension.
template <typename Field>
Status SetEach(const OpImport& op, std::string_view attribute, std::vector<ir::WindowDimension>& window,
               Field ir::WindowDimension::* field) {
  if (attribute.empty()) return {};
  TRY(ir::Dimensions values, op.Integers(attribute));
  if (values.empty()) return {};
  if (values.size() != window.size()) {
    return op.Bad(
        fmt::format("has {} entries in `{}` for a window of rank {}", values.size(), attribute, window.size()));
  }
  for (size_t dim = 0; dim < window.size(); ++dim) window[dim].*field = static_cast<Field>(values[dim]);
  return {};
}

Status SetPadding(const OpImport& op, std::string_view attribute, std::vector<ir::WindowDimension>& window) {
  TRY(ir::Dimensions padding, op.Integers(attribute));
  if (padding.empty()) return {};
  if (padding.size() != 2 * window.size()) {
    return op.Bad(
        fmt::format("has {} numbers in `{}` for a window of rank {}", padding.size(), attribute, window.size()));
  }
  for (size_t dim = 0; dim < window.size(); ++dim) {
    window[dim].padding_low = padding[2 * dim];
    window[dim].padding_high = padding[2 * dim + 1];
  }
  return {};
}

}  // namespace

Result<std::vector<ir::WindowDimension>> ImportWindow(const OpImport& op, const ir::Dimensions& sizes,
                                                      const WindowNames& names) {
  std::vector<ir::WindowDimension> window(sizes.size());
  for (size_t dim = 0; dim < sizes.size(); ++dim) window[dim].size = sizes[dim];
  TRY_STATUS(SetEach(op, names.strides, window, &ir::WindowDimension::stride));
  TRY_STATUS(SetEach(op, names.base_dilation, window, &ir::WindowDimension::base_dilation));
  TRY_STATUS(SetEach(op, names.window_dilation, window, &ir::WindowDimension::window_dilation));
  TRY_STATUS(SetEach(op, names.reversal, window, &ir::WindowDimension::reversal));
  TRY_STATUS(SetPadding(op, names.padding, window));
  return window;
}

}  // namespace stead::frontend
