#include "cpu/kernels/fft/real_lines.h"

#include "cpu/kernels/fft/roots_of_unity.h"

namespace stead::cpu {

namespace {

// Calls `combine` with the places of numbers k and h - k and with k, for all 0 < k < h and every line: in loops that a compiler
// turns into vectors, with one line as with many.
template <typename Combine>
void ForEachMirrored(int64_t half, int64_t lines, Combine combine) {
  if (lines == 1) {
    for (int64_t k = 1; k < half; ++k) combine(k, half - k, k);
    return;
  }
  for (int64_t k = 1; k < half; ++k) {
    for (int64_t line = 0; line < lines; ++line) combine(k * lines + line, (half - k) * lines + line, k);
  }
}

}  // namespace

template <typename Real>
RealLines<Real>::RealLines(int64_t length) : half_(length / 2) {
  const RootsOfUnity roots(length);
  for (int64_t k = 0; k < half_; ++k) {
    root_real_.push_back(static_cast<Real>(roots[k].real()));
    root_imaginary_.push_back(static_cast<Real>(roots[k].imag()));
  }
}

template <typename Real>
void RealLines<Real>::ToHalfSpectrum(SplitArray<Real> from, SplitArray<Real> to, int64_t lines) const {
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t last = half_ * lines + line;
    to.real[line] = from.real[line] + from.imaginary[line];
    to.real[last] = from.real[line] - from.imaginary[line];
    to.imaginary[line] = to.imaginary[last] = 0;
  }
  ForEachMirrored(half_, lines, [&](int64_t left, int64_t right, int64_t k) {
    const Real even_real = Real(0.5) * (from.real[left] + from.real[right]);
    const Real even_imaginary = Real(0.5) * (from.imaginary[left] - from.imaginary[right]);
    const Real odd_real = Real(0.5) * (from.imaginary[left] + from.imaginary[right]);
    const Real odd_imaginary = Real(0.5) * (from.real[right] - from.real[left]);
    to.real[left] = even_real + (root_real_[k] * odd_real - root_imaginary_[k] * odd_imaginary);
    to.imaginary[left] = even_imaginary + (root_real_[k] * odd_imaginary + root_imaginary_[k] * odd_real);
  });
}

template <typename Real>
void RealLines<Real>::FromHalfSpectrum(SplitArray<Real> from, SplitArray<Real> to, int64_t lines) const {
  for (int64_t line = 0; line < lines; ++line) {
    const Real first = from.real[line];
    const Real last = from.real[half_ * lines + line];
    to.real[line] = first + last;
    to.imaginary[line] = first - last;
  }
  ForEachMirrored(half_, lines, [&](int64_t left, int64_t right, int64_t k) {
    const Real even_real = from.real[left] + from.real[right];
    const Real even_imaginary = from.imaginary[left] - from.imaginary[right];
    const Real turned_real = from.real[left] - from.real[right];
    const Real turned_imaginary = from.imaginary[left] + from.imaginary[right];
    // 2 O[k] = conj(w^k) (X[k] - conj(X[h - k]))
    const Real odd_real = root_real_[k] * turned_real + root_imaginary_[k] * turned_imaginary;
    const Real odd_imaginary = root_real_[k] * turned_imaginary - root_imaginary_[k] * turned_real;
    to.real[left] = even_real - odd_imaginary;
    to.imaginary[left] = even_imaginary + odd_real;
  });
}

template class RealLines<float>;
template class RealLines<double>;

}  // namespace stead::cpu
