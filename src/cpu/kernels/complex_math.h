// Functions of complex numbers that kernels call instead of computing them in place: the transcendental ones, and division for
// the infinities it meets now and then.
//   Computed in f64 and rounded once for c64. Infinities, NaN and branch cuts as in C99, annex G, where HLO says nothing else.
#pragma once

#include <cstdint>
#include <span>

namespace stead::cpu {

// Applies a function to `count` numbers. An array of numbers is `count` real parts, then `count` imaginary parts; the second
// operand of a binary function follows the first.
template <typename Real>
using ComplexLoop = void(const Real* operands, Real* results, int64_t count);

struct ComplexFunction {
  const char* name;
  ComplexLoop<float>* narrow;
  ComplexLoop<double>* wide;
};

// Unary: acos, acosh, asin, asinh, atanh, cbrt, cos, cosh, expm1, log, log1p, logistic, rsqrt, sin, sinh, sqrt, tan, tanh.
// Binary: atan2, divide, pow.
std::span<const ComplexFunction> ComplexFunctions();

}  // namespace stead::cpu
