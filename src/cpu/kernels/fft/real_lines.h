// Real lines of even length n as complex lines of length n/2: numbers 2k and 2k + 1 become real and imaginary part of number k.
//   Between the spectrum Z of those and the spectrum X of the real line stands, with h = n/2 and w = exp(-2 pi i / n),
//   X[k] = E[k] + w^k O[k], where E[k] = (Z[k] + conj(Z[h - k])) / 2 and i O[k] = (Z[k] - conj(Z[h - k])) / 2.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/kernels/fft/kernels.h"
#include "cpu/kernels/fft/roots_of_unity.h"

namespace stead::cpu {

template <typename Real>
class RealLines {
 public:
  // REQUIRES: `length` is even and positive.
  explicit RealLines(int64_t length) : kernels_(BestFftKernels<Real>()) {
    const RootsOfUnity roots(length);
    for (int64_t k = 0; k < length / 2; ++k) {
      real_.push_back(static_cast<Real>(roots[k].real()));
      imaginary_.push_back(static_cast<Real>(roots[k].imag()));
    }
  }

  // X[0], ..., X[h] from Z[0], ..., Z[h - 1]; the arrays are different ones.
  void ToHalfSpectrum(SplitArray<Real> from, SplitArray<Real> to, int64_t lines) const {
    kernels_.to_half_spectrum(roots(), from, to, lines);
  }
  // 2 Z from X. The imaginary parts of X[0] and X[h], which real lines do not have, are ignored.
  void FromHalfSpectrum(SplitArray<Real> from, SplitArray<Real> to, int64_t lines) const {
    kernels_.from_half_spectrum(roots(), from, to, lines);
  }

 private:
  FftFactors<Real> roots() const { return {real_.data(), imaginary_.data(), static_cast<int64_t>(real_.size())}; }

  const FftKernels<Real>& kernels_;
  std::vector<Real> real_, imaginary_;  // w^k for k < h
};

}  // namespace stead::cpu
