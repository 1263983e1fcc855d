// Convolutions as matrix products: the input seen through its windows is one matrix, the kernel the other.
//   out[n, o.., f] = sum over window places w.. and input features c of input[n, o*stride + w*dilation - padding, c] * kernel[w.., c, f].
//   The windows are never written out: a product takes any strides, and those of windows overlap. Where a window reaches beyond
//   the input, or falls between its elements, the input is first copied into an array with zeros there.
//   Does not: groups of the batch, complex numbers.
#pragma once

#include "cpu/kernels/matmul.h"

namespace stead::cpu {

// Strides in elements.
struct SpatialDimension {
  int64_t input_size = 1, output_size = 1, window_size = 1;
  int64_t stride = 1, padding_low = 0, window_dilation = 1, base_dilation = 1;
  bool is_reversed = false;
  int64_t input_stride = 0, kernel_stride = 0, output_stride = 0;
};

struct Convolution {
  MatMulType input = MatMulType::kF32, kernel = MatMulType::kF32, output = MatMulType::kF32;
  int64_t batch = 1;
  // Output features of a group see the input features of the same group.
  int64_t groups = 1, group_input_features = 1, group_output_features = 1;
  int64_t input_batch_stride = 0, input_feature_stride = 0;
  int64_t kernel_input_stride = 0, kernel_output_stride = 0;
  int64_t output_batch_stride = 0, output_feature_stride = 0;
  std::vector<SpatialDimension> spatial;
};

// Called with input, kernel and output.
MatMulFunction PrepareConvolution(const Convolution& convolution);

}  // namespace stead::cpu
