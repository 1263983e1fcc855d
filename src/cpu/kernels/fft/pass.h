// One pass of a transform over a block of lines, for each instruction set.
//   A transform of length r * m is m butterflies of r numbers, each multiplied by a root of unity, and r transforms of length m.
//   Butterfly p takes the numbers p, p + m, p + 2 m, ... and puts its results side by side (Stockham's order), so that after the
//   last pass everything lies in natural order without being sorted.
#pragma once

#include <cstdint>

namespace stead::cpu {

// Real and imaginary parts in arrays of their own.
template <typename Real>
struct SplitArray {
  Real* real = nullptr;
  Real* imaginary = nullptr;
};

template <typename Real>
struct FftPass {
  int64_t radix = 1;
  int64_t count = 0;   // m, the number of butterflies
  int64_t stride = 1;  // numbers that go through each butterfly side by side: lines, and transforms done so far
  // For output j of butterfly p: twiddle[(j - 1) * count + p].
  const Real* twiddle_real = nullptr;
  const Real* twiddle_imaginary = nullptr;
  // cos and sin of 2 pi j / radix, for radices without a butterfly of their own.
  const Real* cosines = nullptr;
  const Real* sines = nullptr;
};

// Odd radices up to this one; larger prime factors are transformed by convolution.
inline constexpr int64_t kMostRadix = 61;

// to[q + stride * (radix * p + j)] from from[q + stride * (p + count * k)], for all q, p and j.
template <typename Real>
using FftPassFunction = void(const FftPass<Real>& pass, SplitArray<Real> from, SplitArray<Real> to);

FftPassFunction<float> PortablePass, Avx2Pass, Avx512Pass;
FftPassFunction<double> PortablePass, Avx2Pass, Avx512Pass;

}  // namespace stead::cpu
