// Sliding windows: for each place inside the window, which outputs see which element of the base array there.
//   Shared by reduce-window, select-and-scatter and convolution. Positions are row-major element numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/attributes.h"

namespace stead::interp {

class WindowPlaces {
 public:
  // `base` and `outputs` are extents; one window dimension for each.
  WindowPlaces(const std::vector<ir::WindowDimension>& window, const ir::Dimensions& base,
               const ir::Dimensions& outputs);

  // Fills outputs[k] and inputs[k]: output number outputs[k] sees base element inputs[k] at this place of its window.
  // Outputs that see padding or a gap between dilated elements there are left out.
  void Find(const std::vector<int64_t>& place, std::vector<int64_t>& outputs, std::vector<int64_t>& inputs) const;

  // Extents of the window.
  const ir::Dimensions& extents() const { return extents_; }

 private:
  std::vector<ir::WindowDimension> window_;
  ir::Dimensions base_, outputs_, extents_;
};

}  // namespace stead::interp
