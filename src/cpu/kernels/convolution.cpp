#include "cpu/kernels/convolution.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "cpu/kernels/matmul_pack.h"

namespace stead::cpu {
namespace {

constexpr double kNanosecondsPerByte = 0.2;  // of padding

int64_t BytesOf(MatMulType type) {
  return WithType(type, [](auto element) { return static_cast<int64_t>(sizeof element); });
}

// Elements of the input from the first that a window touches to the last.
int64_t ReachOf(const SpatialDimension& dimension) {
  return (dimension.output_size - 1) * dimension.stride + (dimension.window_size - 1) * dimension.window_dilation + 1;
}

bool StaysInside(const SpatialDimension& dimension) {
  return dimension.padding_low <= 0 && ReachOf(dimension) - dimension.padding_low <= dimension.input_size &&
         dimension.base_dilation == 1;
}

// The input with zeros around and between its elements: [batch, spatial.., features], row major.
class PaddedInput {
 public:
  explicit PaddedInput(const Convolution& convolution)
      : convolution_(convolution),
        features_(convolution.groups * convolution.group_input_features),
        element_bytes_(BytesOf(convolution.input)) {
    int64_t stride = features_;
    strides_.resize(convolution.spatial.size());
    for (size_t dim = strides_.size(); dim-- > 0;) {
      strides_[dim] = stride;
      stride *= ReachOf(convolution.spatial[dim]);
    }
    batch_stride_ = stride;
  }

  // The same convolution of the padded input.
  Convolution Unpadded() const {
    Convolution plain = convolution_;
    plain.input_batch_stride = batch_stride_;
    plain.input_feature_stride = 1;
    for (size_t dim = 0; dim < strides_.size(); ++dim) {
      SpatialDimension& dimension = plain.spatial[dim];
      dimension.input_size = ReachOf(dimension);
      dimension.input_stride = strides_[dim];
      dimension.padding_low = 0;
      dimension.base_dilation = 1;
    }
    return plain;
  }

  // Memory kept by each thread between convolutions.
  const std::byte* Fill(const void* input, runtime::ThreadPool& threads) const {
    thread_local std::unique_ptr<std::byte[]> bytes;
    thread_local int64_t size = 0;
    const int64_t wanted = convolution_.batch * batch_stride_ * element_bytes_;
    if (size < wanted) {
      bytes = std::make_unique_for_overwrite<std::byte[]>(wanted);
      size = wanted;
    }
    std::byte* const padded = bytes.get();
    const int64_t image = batch_stride_ * element_bytes_;
    threads.ForEach(
        convolution_.batch, kNanosecondsPerByte * static_cast<double>(image), [&](int64_t begin, int64_t end) {
          std::memset(padded + begin * image, 0, (end - begin) * image);
          for (int64_t batch = begin; batch < end; ++batch) {
            CopyLevel(0,
                      static_cast<const std::byte*>(input) + batch * convolution_.input_batch_stride * element_bytes_,
                      padded + batch * image);
          }
        });
    return padded;
  }

 private:
  void CopyLevel(size_t level, const std::byte* from, std::byte* to) const {
    if (level == strides_.size()) return CopyFeatures(from, to);
    const SpatialDimension& dimension = convolution_.spatial[level];
    const int64_t reach = ReachOf(dimension);
    for (int64_t place = 0; place < dimension.input_size; ++place) {
      const int64_t target = place * dimension.base_dilation + dimension.padding_low;
      if (target < 0 || target >= reach) continue;
      CopyLevel(level + 1, from + place * dimension.input_stride * element_bytes_,
                to + target * strides_[level] * element_bytes_);
    }
  }

  void CopyFeatures(const std::byte* from, std::byte* to) const {
    if (convolution_.input_feature_stride == 1) {
      std::memcpy(to, from, features_ * element_bytes_);
      return;
    }
    WithType(convolution_.input, [&](auto element) {
      using Element = decltype(element);
      for (int64_t feature = 0; feature < features_; ++feature) {
        reinterpret_cast<Element*>(to)[feature] =
            reinterpret_cast<const Element*>(from)[feature * convolution_.input_feature_stride];
      }
    });
  }

  const Convolution convolution_;
  const int64_t features_, element_bytes_;
  std::vector<int64_t> strides_;  // of the spatial dimensions
  int64_t batch_stride_ = 0;
};

// REQUIRES: every window stays inside the input.
MatMulFunction PreparePlain(const Convolution& convolution) {
  MatMul matmul{convolution.input, convolution.kernel, convolution.output, {}, {}, {}, {}};
  int64_t input_start = 0;
  int64_t kernel_start = 0;
  matmul.batch.push_back({convolution.groups, convolution.group_input_features * convolution.input_feature_stride,
                          convolution.group_output_features * convolution.kernel_output_stride,
                          convolution.group_output_features * convolution.output_feature_stride});
  matmul.rows.push_back({convolution.batch, convolution.input_batch_stride, 0, convolution.output_batch_stride});
  for (const SpatialDimension& dimension : convolution.spatial) {
    matmul.rows.push_back(
        {dimension.output_size, dimension.stride * dimension.input_stride, 0, dimension.output_stride});
    const int64_t direction = dimension.is_reversed ? -1 : 1;
    matmul.depth.push_back({dimension.window_size, dimension.window_dilation * dimension.input_stride,
                            direction * dimension.kernel_stride, 0});
    input_start -= dimension.padding_low * dimension.input_stride;
    if (dimension.is_reversed) kernel_start += (dimension.window_size - 1) * dimension.kernel_stride;
  }
  matmul.depth.push_back(
      {convolution.group_input_features, convolution.input_feature_stride, convolution.kernel_input_stride, 0});
  matmul.columns.push_back(
      {convolution.group_output_features, 0, convolution.kernel_output_stride, convolution.output_feature_stride});
  input_start *= BytesOf(convolution.input);
  kernel_start *= BytesOf(convolution.kernel);
  return [product = PrepareMatMul(matmul), input_start, kernel_start](const void* input, const void* kernel,
                                                                      void* output, runtime::ThreadPool& threads) {
    product(static_cast<const std::byte*>(input) + input_start, static_cast<const std::byte*>(kernel) + kernel_start,
            output, threads);
  };
}

}  // namespace

MatMulFunction PrepareConvolution(const Convolution& convolution) {
  if (std::ranges::all_of(convolution.spatial, StaysInside)) return PreparePlain(convolution);
  const auto padded = std::make_shared<const PaddedInput>(convolution);
  return [padded, plain = PreparePlain(padded->Unpadded())](const void* input, const void* kernel, void* output,
                                                            runtime::ThreadPool& threads) {
    plain(padded->Fill(input, threads), kernel, output, threads);
  };
}

}  // namespace stead::cpu
