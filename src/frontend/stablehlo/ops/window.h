// Windows that slide over an array: of reductions, of select-and-scatter and of convolutions.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/stablehlo/op_import.h"

namespace stead::frontend {

// Names of the attributes that describe a window; an empty name, or an empty list, leaves the default.
struct WindowNames {
  std::string_view strides = "window_strides";
  std::string_view padding = "padding";  // pairs of low and high
  std::string_view base_dilation, window_dilation, reversal;
};

// A window of the given sizes. RETURNS an error when a list does not have one entry (two for padding) per dimension.
Result<std::vector<ir::WindowDimension>> ImportWindow(const OpImport& op, const ir::Dimensions& sizes,
                                                      const WindowNames& names);

}  // namespace stead::frontend
