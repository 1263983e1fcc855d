#include "interp/ops/complex_math.h"

#include <cmath>
#include <limits>

#include "interp/ops/elementwise_loop.h"

namespace stead::interp {
namespace {

using ir::Opcode;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// exp(x) * (cos(y) + i sin(y)); the power is applied in two halves where exp(x) alone would overflow.
Complex128 Exponential(Complex128 value) {
  double cosine = std::cos(value.imag());
  double sine = value.imag() == 0 ? value.imag() : std::sin(value.imag());
  if (value.real() > 709 && std::isfinite(value.real())) {
    double half = std::exp(value.real() / 2);
    return {half * cosine * half, half * sine * half};
  }
  double power = std::exp(value.real());
  return {power * cosine, value.imag() == 0 ? sine : power * sine};
}

Complex128 ExponentialMinusOne(Complex128 value) {
  // Re = expm1(x) cos(y) - 2 sin(y/2)^2 keeps the digits that exp(x) cos(y) - 1 would lose.
  double half_sine = std::sin(value.imag() / 2);
  double real = std::expm1(value.real()) * std::cos(value.imag()) - 2 * half_sine * half_sine;
  Complex128 whole = Exponential(value);
  return {std::isfinite(real) ? real : whole.real() - 1, whole.imag()};
}

Complex128 LogPlusOne(Complex128 value) {
  double x = value.real();
  double y = value.imag();
  double imaginary = std::atan2(y, x + 1);
  // |1 + z|^2 - 1 = x (2 + x) + y^2, in long double because the sum may cancel.
  long double excess =
      static_cast<long double>(x) * (2 + static_cast<long double>(x)) + static_cast<long double>(y) * y;
  if (std::isfinite(excess) && excess < 1) return {static_cast<double>(std::log1p(excess) / 2), imaginary};
  return {std::log(std::hypot(x + 1, y)), imaginary};
}

Complex128 SignOf(Complex128 value) {
  double size = std::abs(value);
  if (std::isnan(size)) return {kNan, kNan};
  return size == 0 ? value : Complex128(value.real() / size, value.imag() / size);
}

template <typename Value>
ElementwiseLoop SelectLoop(Opcode opcode) {
  using Real = typename Value::value_type;
  switch (opcode) {
    case Opcode::kReal: return UnaryLoop<Value>([](Value z) { return z.real(); });
    case Opcode::kImag: return UnaryLoop<Value>([](Value z) { return z.imag(); });
    case Opcode::kAbs:
      return UnaryLoop<Value>([](Value z) { return Real(std::hypot(double(z.real()), double(z.imag()))); });
    case Opcode::kNegate: return UnaryLoop<Value>([](Value z) { return -z; });
    case Opcode::kSign: return UnaryLoop<Value>([](Value z) { return Value(SignOf(z)); });
    case Opcode::kExponential: return UnaryLoop<Value>([](Value z) { return Value(Exponential(z)); });
    case Opcode::kExponentialMinusOne: return UnaryLoop<Value>([](Value z) { return Value(ExponentialMinusOne(z)); });
    case Opcode::kLog: return UnaryLoop<Value>([](Value z) { return Value(std::log(Complex128(z))); });
    case Opcode::kLogPlusOne: return UnaryLoop<Value>([](Value z) { return Value(LogPlusOne(z)); });
    case Opcode::kLogistic:
      return UnaryLoop<Value>([](Value z) { return Value(Divide(Complex128(1), 1.0 + Exponential(-Complex128(z)))); });
    case Opcode::kSqrt: return UnaryLoop<Value>([](Value z) { return Value(std::sqrt(Complex128(z))); });
    case Opcode::kRsqrt:
      return UnaryLoop<Value>([](Value z) { return Value(Divide(Complex128(1), std::sqrt(Complex128(z)))); });
    case Opcode::kCbrt: return UnaryLoop<Value>([](Value z) { return Value(Power(z, Complex128(1.0 / 3))); });
    case Opcode::kSine: return UnaryLoop<Value>([](Value z) { return Value(std::sin(Complex128(z))); });
    case Opcode::kCosine: return UnaryLoop<Value>([](Value z) { return Value(std::cos(Complex128(z))); });
    case Opcode::kTan: return UnaryLoop<Value>([](Value z) { return Value(std::tan(Complex128(z))); });
    case Opcode::kTanh: return UnaryLoop<Value>([](Value z) { return Value(std::tanh(Complex128(z))); });
    case Opcode::kSinh: return UnaryLoop<Value>([](Value z) { return Value(std::sinh(Complex128(z))); });
    case Opcode::kCosh: return UnaryLoop<Value>([](Value z) { return Value(std::cosh(Complex128(z))); });
    case Opcode::kAsin: return UnaryLoop<Value>([](Value z) { return Value(std::asin(Complex128(z))); });
    case Opcode::kAcos: return UnaryLoop<Value>([](Value z) { return Value(std::acos(Complex128(z))); });
    case Opcode::kAsinh: return UnaryLoop<Value>([](Value z) { return Value(std::asinh(Complex128(z))); });
    case Opcode::kAcosh: return UnaryLoop<Value>([](Value z) { return Value(std::acosh(Complex128(z))); });
    case Opcode::kAtanh: return UnaryLoop<Value>([](Value z) { return Value(std::atanh(Complex128(z))); });
    default: return nullptr;
  }
}

// Smith's quotient: divides through by the larger part of the divisor, so that its square is never formed.
template <typename Real>
std::complex<Real> SmithQuotient(std::complex<Real> left, std::complex<Real> right) {
  Real a = left.real(), b = left.imag(), c = right.real(), d = right.imag();
  if (std::fabs(c) >= std::fabs(d)) {
    Real ratio = d / c;
    Real scale = c + d * ratio;
    return {(a + b * ratio) / scale, (b - a * ratio) / scale};
  }
  Real ratio = c / d;
  Real scale = c * ratio + d;
  return {(a * ratio + b) / scale, (b * ratio - a) / scale};
}

}  // namespace

Complex64 Divide(Complex64 left, Complex64 right) {
  return Complex64(SmithQuotient(Complex128(left), Complex128(right)));
}
Complex128 Divide(Complex128 left, Complex128 right) { return SmithQuotient(left, right); }

Complex128 Power(Complex128 base, Complex128 exponent) {
  if (exponent == 0.0) return 1;
  if (base == 0.0) return exponent.real() > 0 ? Complex128(0) : Complex128(kNan, kNan);
  return Exponential(Multiply(exponent, std::log(base)));
}

// -i log((x + i y) / sqrt(x^2 + y^2))
Complex128 Atan2(Complex128 y, Complex128 x) {
  Complex128 i(0, 1);
  Complex128 root = std::sqrt(Multiply(x, x) + Multiply(y, y));
  return Multiply(-i, std::log(Divide(x + Multiply(i, y), root)));
}

ElementwiseLoop SelectComplexUnaryLoop(const ElementwiseOp& op) {
  return op.operand_types[0] == ir::ElementType::kC128 ? SelectLoop<Complex128>(op.opcode)
                                                       : SelectLoop<Complex64>(op.opcode);
}

}  // namespace stead::interp
