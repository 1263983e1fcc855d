// Functions of complex numbers. c64 is computed in c128 and rounded once, but for add, subtract and multiply.
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

Complex64 Divide(Complex64 left, Complex64 right);
Complex128 Divide(Complex128 left, Complex128 right);
Complex128 Power(Complex128 base, Complex128 exponent);
Complex128 Atan2(Complex128 y, Complex128 x);

}  // namespace stead::interp
