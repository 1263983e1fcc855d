// The loops that take the time, for each instruction set.
//   A block of lines lies with its lines side by side: number k of line l is element k * lines + l.
#pragma once

#include <cstdint>

namespace stead::cpu {

// Real and imaginary parts in arrays of their own.
template <typename Real>
struct SplitArray {
  Real* real = nullptr;
  Real* imaginary = nullptr;
};

// One pass of a transform: a transform of length r * m is m butterflies of r numbers, each result multiplied by a root of unity,
// and r transforms of length m. Butterfly p takes the numbers p, p + m, p + 2 m, ... and puts its results side by side
// (Stockham's order), so that after the last pass everything lies in natural order without being sorted.
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

// A factor for each number of a line.
template <typename Real>
struct FftFactors {
  const Real* real = nullptr;
  const Real* imaginary = nullptr;
  int64_t count = 0;
};

template <typename Real>
struct FftKernels {
  // to[q + stride * (radix * p + j)] from from[q + stride * (p + count * k)], for all q, p and j.
  void (*run_pass)(const FftPass<Real>& pass, SplitArray<Real> from, SplitArray<Real> to) = nullptr;
  // Multiplies number k of every line by factor k.
  void (*multiply)(const FftFactors<Real>& factors, SplitArray<Real> array, int64_t lines) = nullptr;
  // The two directions of RealLines; factor k is the k-th of its roots.
  void (*to_half_spectrum)(const FftFactors<Real>& roots, SplitArray<Real> from, SplitArray<Real> to,
                           int64_t lines) = nullptr;
  void (*from_half_spectrum)(const FftFactors<Real>& roots, SplitArray<Real> from, SplitArray<Real> to,
                             int64_t lines) = nullptr;
  // Lines whose numbers lie one after the other in memory as (real, imaginary), to a block and, multiplied by `scale`, back.
  // `starts`: in Reals.
  void (*load_lines)(const Real* from, const int64_t* starts, int64_t lines, int64_t count,
                     SplitArray<Real> to) = nullptr;
  void (*store_lines)(SplitArray<Real> from, const int64_t* starts, int64_t lines, int64_t count, Real scale,
                      Real* to) = nullptr;
};

FftKernels<float> PortableFftKernelsF32();
FftKernels<double> PortableFftKernelsF64();
FftKernels<float> Avx2FftKernelsF32();
FftKernels<double> Avx2FftKernelsF64();
FftKernels<float> Avx512FftKernelsF32();
FftKernels<double> Avx512FftKernelsF64();

// The best ones for the CPU this process runs on.
template <typename Real>
const FftKernels<Real>& BestFftKernels();

}  // namespace stead::cpu
