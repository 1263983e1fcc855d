// convolution: every output is a sum over a window of the input times the kernel.
//   Arrays are first brought to one order: input [batch, feature, space], kernel [output feature, input feature, space],
//   output [batch, output feature, space]. For each place in the kernel's window the pairs (output, input) that meet there are
//   found once; then every (batch, output feature, input feature) adds kernel value times input along those pairs.
//   feature_group_count g: output features in g groups, each sees its own g-th of the input features.
//   batch_group_count g: output features in g groups, each sees its own g-th of the input batch.
#include "interp/ops/linear_algebra/dot.h"
#include "interp/wide_arithmetic.h"
#include "interp/window.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;
using ir::Shape;

Dimensions Order(int64_t first, int64_t second, const Dimensions& spatial) {
  Dimensions order = {first, second};
  order.insert(order.end(), spatial.begin(), spatial.end());
  return order;
}

Dimensions Extents(const Shape& shape, const Dimensions& dims) {
  Dimensions extents;
  for (int64_t dim : dims) extents.push_back(shape.dimensions[dim]);
  return extents;
}

int64_t Volume(const Dimensions& extents) {
  int64_t volume = 1;
  for (int64_t extent : extents) volume *= extent;
  return volume;
}

struct Sizes {
  int64_t batch, input_features, input_space;
  int64_t output_features, kernel_features, kernel_space;  // kernel_features: input features of one group
  int64_t output_batch, output_space;
  int64_t feature_groups, batch_groups;
};

Sizes SizesOf(const OpCall& call, const ir::ConvolutionAttributes& attributes) {
  const Shape& input = call.operand(0).shape();
  const Shape& kernel = call.operand(1).shape();
  return {input.dimensions[attributes.input_batch],
          input.dimensions[attributes.input_feature],
          Volume(Extents(input, attributes.input_spatial)),
          kernel.dimensions[attributes.kernel_output_feature],
          kernel.dimensions[attributes.kernel_input_feature],
          Volume(Extents(kernel, attributes.kernel_spatial)),
          call.shape().dimensions[attributes.output_batch],
          Volume(Extents(call.shape(), attributes.output_spatial)),
          attributes.feature_group_count,
          attributes.batch_group_count};
}

// Where the kernel value of a place in the window lies; a reversed dimension counts from its end.
int64_t KernelPosition(const std::vector<ir::WindowDimension>& window, const std::vector<int64_t>& place) {
  int64_t position = 0;
  for (size_t dim = 0; dim < window.size(); ++dim) {
    position = position * window[dim].size + (window[dim].reversal ? window[dim].size - 1 - place[dim] : place[dim]);
  }
  return position;
}

// Adds the products at one place of the window to every output.
template <typename Wide>
void AddPlace(const Sizes& sizes, int64_t kernel_position, const std::vector<int64_t>& outputs,
              const std::vector<int64_t>& inputs, const std::vector<Wide>& input, const std::vector<Wide>& kernel,
              std::vector<Wide>& result) {
  for (int64_t batch = 0; batch < sizes.output_batch; ++batch) {
    for (int64_t feature = 0; feature < sizes.output_features; ++feature) {
      int64_t feature_group = feature / (sizes.output_features / sizes.feature_groups);
      int64_t batch_group = feature / (sizes.output_features / sizes.batch_groups);
      int64_t input_batch = batch_group * sizes.output_batch + batch;
      Wide* sums = result.data() + (batch * sizes.output_features + feature) * sizes.output_space;
      for (int64_t step = 0; step < sizes.kernel_features; ++step) {
        int64_t input_feature = feature_group * sizes.kernel_features + step;
        const Wide* values = input.data() + (input_batch * sizes.input_features + input_feature) * sizes.input_space;
        Wide weight = kernel[(feature * sizes.kernel_features + step) * sizes.kernel_space + kernel_position];
        for (size_t pair = 0; pair < outputs.size(); ++pair) {
          sums[outputs[pair]] = MultiplyAdd(values[inputs[pair]], weight, sums[outputs[pair]]);
        }
      }
    }
  }
}

}  // namespace

Result<Literal> EvaluateConvolution(const OpCall& call) {
  const auto& attributes = call.instruction.As<ir::ConvolutionAttributes>();
  Dimensions input_order = Order(attributes.input_batch, attributes.input_feature, attributes.input_spatial);
  Dimensions kernel_order =
      Order(attributes.kernel_output_feature, attributes.kernel_input_feature, attributes.kernel_spatial);
  Dimensions output_order = Order(attributes.output_batch, attributes.output_feature, attributes.output_spatial);
  const Shape& input_shape = call.operand(0).shape();
  const Shape& kernel_shape = call.operand(1).shape();
  Sizes sizes = SizesOf(call, attributes);
  WindowPlaces places(attributes.window, Extents(input_shape, attributes.input_spatial),
                      Extents(call.shape(), attributes.output_spatial));
  return VisitWide(call.shape().element_type, [&]<typename Wide>() -> Result<Literal> {
    if (!Fits<Wide>(call.operand(0)) || !Fits<Wide>(call.operand(1))) return UnsupportedOp(call.module, call.id);
    std::vector<Wide> input = Permute(ReadAll<Wide>(call.operand(0)), input_shape.dimensions, input_order);
    std::vector<Wide> kernel = Permute(ReadAll<Wide>(call.operand(1)), kernel_shape.dimensions, kernel_order);
    std::vector<Wide> result(static_cast<size_t>(call.shape().element_count()), Wide(0));
    std::vector<int64_t> outputs, inputs;
    for (IndexCounter place(places.extents()); place.valid(); place.Advance()) {
      places.Find(place.index(), outputs, inputs);
      AddPlace(sizes, KernelPosition(attributes.window, place.index()), outputs, inputs, input, kernel, result);
    }
    return WriteAll(call.shape(), Permute(result, Extents(call.shape(), output_order), Inverse(output_order)));
  });
}

}  // namespace stead::interp
