// Functions of complex numbers, on the parts' wider type (elementwise_loop.h, Wider) where they must be rounded.
#pragma once

#include <complex>

#include "interp/elements.h"

namespace stead::interp {

// The schoolbook product, without the rescue of infinities that C99 asks for (XLA has none).
template <typename Real>
std::complex<Real> Multiply(std::complex<Real> left, std::complex<Real> right) {
  return {left.real() * right.real() - left.imag() * right.imag(),
          left.real() * right.imag() + left.imag() * right.real()};
}

// Does not overflow on the way; infinities and division by zero as in C99, annex G.
Complex64 Divide(Complex64 left, Complex64 right);
Complex128 Divide(Complex128 left, Complex128 right);
// 0 to a power is 1 for 0, 0 for positive reals and NaN for every other.
Complex64 Power(Complex64 base, Complex64 exponent);
Complex128 Power(Complex128 base, Complex128 exponent);
Complex64 Atan2(Complex64 y, Complex64 x);
Complex128 Atan2(Complex128 y, Complex128 x);

}  // namespace stead::interp
