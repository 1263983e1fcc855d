// Loops that multiply the numbers of lines with factors, and fold the spectra of real lines. Included once per instruction set,
// as lanes.h is; plain loops, which the compiler turns into vectors, with one line as with many.
#pragma once

#include <cstdint>

#include "cpu/kernels/fft/kernels.h"

namespace stead::cpu {
namespace {

template <typename Real>
void MultiplyByFactors(const FftFactors<Real>& factors, SplitArray<Real> array, int64_t lines) {
  const auto multiply = [&](int64_t place, Real factor_real, Real factor_imaginary) {
    const Real real = array.real[place];
    const Real imaginary = array.imaginary[place];
    array.real[place] = real * factor_real - imaginary * factor_imaginary;
    array.imaginary[place] = real * factor_imaginary + imaginary * factor_real;
  };
  if (lines == 1) {
    for (int64_t k = 0; k < factors.count; ++k) multiply(k, factors.real[k], factors.imaginary[k]);
    return;
  }
  for (int64_t k = 0; k < factors.count; ++k) {
    for (int64_t line = 0; line < lines; ++line) multiply(k * lines + line, factors.real[k], factors.imaginary[k]);
  }
}

// Calls `combine` with the places of numbers k and h - k and with root k, for all 0 < k < h and every line.
template <typename Real, typename Combine>
void ForEachMirrored(const FftFactors<Real>& roots, int64_t lines, Combine combine) {
  const int64_t half = roots.count;
  if (lines == 1) {
    for (int64_t k = 1; k < half; ++k) combine(k, half - k, roots.real[k], roots.imaginary[k]);
    return;
  }
  for (int64_t k = 1; k < half; ++k) {
    for (int64_t line = 0; line < lines; ++line) {
      combine(k * lines + line, (half - k) * lines + line, roots.real[k], roots.imaginary[k]);
    }
  }
}

template <typename Real>
void ToHalfSpectrum(const FftFactors<Real>& roots, SplitArray<Real> from, SplitArray<Real> to, int64_t lines) {
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t last = roots.count * lines + line;
    to.real[line] = from.real[line] + from.imaginary[line];
    to.real[last] = from.real[line] - from.imaginary[line];
    to.imaginary[line] = to.imaginary[last] = 0;
  }
  ForEachMirrored(roots, lines, [&](int64_t left, int64_t right, Real root_real, Real root_imaginary) {
    const Real even_real = Real(0.5) * (from.real[left] + from.real[right]);
    const Real even_imaginary = Real(0.5) * (from.imaginary[left] - from.imaginary[right]);
    const Real odd_real = Real(0.5) * (from.imaginary[left] + from.imaginary[right]);
    const Real odd_imaginary = Real(0.5) * (from.real[right] - from.real[left]);
    to.real[left] = even_real + (root_real * odd_real - root_imaginary * odd_imaginary);
    to.imaginary[left] = even_imaginary + (root_real * odd_imaginary + root_imaginary * odd_real);
  });
}

template <typename Real>
void FromHalfSpectrum(const FftFactors<Real>& roots, SplitArray<Real> from, SplitArray<Real> to, int64_t lines) {
  for (int64_t line = 0; line < lines; ++line) {
    const Real first = from.real[line];
    const Real last = from.real[roots.count * lines + line];
    to.real[line] = first + last;
    to.imaginary[line] = first - last;
  }
  ForEachMirrored(roots, lines, [&](int64_t left, int64_t right, Real root_real, Real root_imaginary) {
    const Real even_real = from.real[left] + from.real[right];
    const Real even_imaginary = from.imaginary[left] - from.imaginary[right];
    const Real turned_real = from.real[left] - from.real[right];
    const Real turned_imaginary = from.imaginary[left] + from.imaginary[right];
    // 2 O[k] = conj(w^k) (X[k] - conj(X[h - k]))
    const Real odd_real = root_real * turned_real + root_imaginary * turned_imaginary;
    const Real odd_imaginary = root_real * turned_imaginary - root_imaginary * turned_real;
    to.real[left] = even_real - odd_imaginary;
    to.imaginary[left] = even_imaginary + odd_real;
  });
}

}  // namespace
}  // namespace stead::cpu
