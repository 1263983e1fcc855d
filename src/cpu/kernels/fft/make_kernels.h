// The table of kernels of one instruction set. Included once per instruction set, as lanes.h is.
#pragma once

#include "cpu/kernels/fft/factors.h"
#include "cpu/kernels/fft/line_blocks.h"
#include "cpu/kernels/fft/pass_runner.h"

namespace stead::cpu {
namespace {

// `kBytes`: of a vector register.
template <int kBytes, typename Real>
FftKernels<Real> MakeFftKernels() {
  constexpr int kWidth = kBytes / sizeof(Real);
  FftKernels<Real> kernels;
  kernels.run_pass = &RunPass<kWidth, Real>;
  kernels.multiply = &MultiplyByFactors<Real>;
  kernels.to_half_spectrum = &ToHalfSpectrum<Real>;
  kernels.from_half_spectrum = &FromHalfSpectrum<Real>;
  kernels.load_lines = &LoadLines<kWidth, Real>;
  kernels.store_lines = &StoreLines<kWidth, Real>;
  return kernels;
}

}  // namespace
}  // namespace stead::cpu
