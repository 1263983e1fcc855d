// The transform of lines of one length, several side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/kernels/fft/kernels.h"

namespace stead::cpu {

template <typename Real>
class LineTransform {
 public:
  explicit LineTransform(int64_t length);

  int64_t length() const { return length_; }
  // Numbers in each of the two arrays that Run needs for `lines` lines.
  int64_t room(int64_t lines) const { return lines * (inner_ == nullptr ? length_ : inner_->length_); }
  // Forward transform. Number k of line l is element k * lines + l of `data`, and of the result, which is one of the two.
  SplitArray<Real> Run(SplitArray<Real> data, SplitArray<Real> spare, int64_t lines) const;

 private:
  void AddPass(int64_t radix, int64_t length);
  void PrepareConvolution();
  SplitArray<Real> Convolve(SplitArray<Real> data, SplitArray<Real> spare, int64_t lines) const;

  int64_t length_;
  const FftKernels<Real>& kernels_;
  std::vector<FftPass<Real>> passes_;
  std::vector<std::vector<Real>> tables_;  // what the passes point to
  // Lengths with a large prime factor.
  std::unique_ptr<const LineTransform> inner_;
  std::vector<Real> chirp_real_, chirp_imaginary_;
  std::vector<Real> filter_real_, filter_imaginary_;
};

}  // namespace stead::cpu
