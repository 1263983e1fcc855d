#include "cpu/kernels/fft/real_lines.h"

#include "cpu/kernels/fft/roots_of_unity.h"

namespace stead::cpu {

template <typename Real>
RealLines<Real>::RealLines(int64_t length) : half_(length / 2) {
  const RootsOfUnity roots(length);
  for (int64_t k = 0; k <= half_; ++k) {
    root_real_.push_back(static_cast<Real>(roots[k].real()));
    root_imaginary_.push_back(static_cast<Real>(roots[k].imag()));
  }
}

template <typename Real>
void RealLines<Real>::ToHalfSpectrum(SplitArray<Real> from, SplitArray<Real> to, int64_t lines) const {
  for (int64_t k = 0; k <= half_; ++k) {
    const int64_t left = k % half_ * lines;
    const int64_t right = (half_ - k) % half_ * lines;
    const Real root_real = root_real_[k];
    const Real root_imaginary = root_imaginary_[k];
    for (int64_t line = 0; line < lines; ++line) {
      const Real even_real = Real(0.5) * (from.real[left + line] + from.real[right + line]);
      const Real even_imaginary = Real(0.5) * (from.imaginary[left + line] - from.imaginary[right + line]);
      const Real odd_real = Real(0.5) * (from.imaginary[left + line] + from.imaginary[right + line]);
      const Real odd_imaginary = Real(0.5) * (from.real[right + line] - from.real[left + line]);
      to.real[k * lines + line] = even_real + (root_real * odd_real - root_imaginary * odd_imaginary);
      to.imaginary[k * lines + line] = even_imaginary + (root_real * odd_imaginary + root_imaginary * odd_real);
    }
  }
}

template <typename Real>
void RealLines<Real>::FromHalfSpectrum(SplitArray<Real> from, SplitArray<Real> to, int64_t lines) const {
  for (int64_t line = 0; line < lines; ++line) {
    const Real first = from.real[line];
    const Real last = from.real[half_ * lines + line];
    to.real[line] = first + last;
    to.imaginary[line] = first - last;
  }
  for (int64_t k = 1; k < half_; ++k) {
    const int64_t left = k * lines;
    const int64_t right = (half_ - k) * lines;
    const Real root_real = root_real_[k];
    const Real root_imaginary = root_imaginary_[k];
    for (int64_t line = 0; line < lines; ++line) {
      const Real even_real = from.real[left + line] + from.real[right + line];
      const Real even_imaginary = from.imaginary[left + line] - from.imaginary[right + line];
      const Real turned_real = from.real[left + line] - from.real[right + line];
      const Real turned_imaginary = from.imaginary[left + line] + from.imaginary[right + line];
      // 2 O[k] = conj(w^k) (X[k] - conj(X[h - k]))
      const Real odd_real = root_real * turned_real + root_imaginary * turned_imaginary;
      const Real odd_imaginary = root_real * turned_imaginary - root_imaginary * turned_real;
      to.real[left + line] = even_real - odd_imaginary;
      to.imaginary[left + line] = even_imaginary + odd_real;
    }
  }
}

template class RealLines<float>;
template class RealLines<double>;

}  // namespace stead::cpu
