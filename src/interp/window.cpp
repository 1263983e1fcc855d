#include "interp/window.h"

#include "interp/box.h"

namespace stead::interp {
namespace {

// Along one dimension: outputs that see an element, and the element, both times their strides.
struct Line {
  std::vector<int64_t> outputs, inputs;
};

Line FindLine(const ir::WindowDimension& window, int64_t place, int64_t base, int64_t outputs, int64_t base_stride,
              int64_t output_stride) {
  Line line;
  for (int64_t output = 0; output < outputs; ++output) {
    int64_t dilated = output * window.stride + place * window.window_dilation - window.padding_low;
    if (dilated < 0 || dilated % window.base_dilation != 0 || dilated / window.base_dilation >= base) continue;
    line.outputs.push_back(output * output_stride);
    line.inputs.push_back(dilated / window.base_dilation * base_stride);
  }
  return line;
}

}  // namespace

WindowPlaces::WindowPlaces(const std::vector<ir::WindowDimension>& window, const ir::Dimensions& base,
                           const ir::Dimensions& outputs)
    : window_(window), base_(base), outputs_(outputs) {
  STEAD_CHECK(window.size() == base.size() && window.size() == outputs.size());
  for (const ir::WindowDimension& dimension : window) extents_.push_back(dimension.size);
}

void WindowPlaces::Find(const std::vector<int64_t>& place, std::vector<int64_t>& outputs,
                        std::vector<int64_t>& inputs) const {
  std::vector<int64_t> base_strides = ir::RowMajorStrides(base_);
  std::vector<int64_t> output_strides = ir::RowMajorStrides(outputs_);
  outputs.assign(1, 0);
  inputs.assign(1, 0);
  // Each dimension multiplies the pairs found so far by its line.
  for (size_t dim = 0; dim < window_.size(); ++dim) {
    Line line = FindLine(window_[dim], place[dim], base_[dim], outputs_[dim], base_strides[dim], output_strides[dim]);
    std::vector<int64_t> more_outputs, more_inputs;
    more_outputs.reserve(outputs.size() * line.outputs.size());
    more_inputs.reserve(outputs.size() * line.outputs.size());
    for (size_t pair = 0; pair < outputs.size(); ++pair) {
      for (size_t step = 0; step < line.outputs.size(); ++step) {
        more_outputs.push_back(outputs[pair] + line.outputs[step]);
        more_inputs.push_back(inputs[pair] + line.inputs[step]);
      }
    }
    outputs = std::move(more_outputs);
    inputs = std::move(more_inputs);
  }
}

}  // namespace stead::interp
