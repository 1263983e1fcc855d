#include "interp/ops/complex_math.h"

#include <cmath>
#include <limits>

#include "interp/ops/elementwise_loop.h"

namespace stead::interp {
namespace {

using ir::Opcode;

template <typename Real>
using Complex = std::complex<Real>;

template <typename Real>
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
template <typename Real>
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

// exp(x) * (cos(y) + i sin(y)); the power is applied in two halves so that it overflows only when the result does.
template <typename Real>
Complex<Real> Exponential(Complex<Real> value) {
  if (value.imag() == 0) return {std::exp(value.real()), value.imag()};
  Real half = std::exp(std::isfinite(value.real()) ? value.real() / 2 : value.real());
  return {half * std::cos(value.imag()) * half, half * std::sin(value.imag()) * half};
}

template <typename Real>
Complex<Real> ExponentialMinusOne(Complex<Real> value) {
  // Re = expm1(x) cos(y) - 2 sin(y/2)^2 keeps the digits that exp(x) cos(y) - 1 would lose.
  Real half_sine = std::sin(value.imag() / 2);
  Real real = std::expm1(value.real()) * std::cos(value.imag()) - 2 * half_sine * half_sine;
  Complex<Real> whole = Exponential(value);
  return {std::isfinite(real) ? real : whole.real() - 1, whole.imag()};
}

template <typename Real>
Complex<Real> LogPlusOne(Complex<Real> value) {
  Real x = value.real();
  Real y = value.imag();
  // |1 + z|^2 - 1 = x (2 + x) + y^2
  Real excess = x * (2 + x) + y * y;
  Real real = std::isfinite(excess) && excess < 1 ? std::log1p(excess) / 2 : std::log(std::hypot(x + 1, y));
  return {real, std::atan2(y, x + 1)};
}

template <typename Real>
Complex<Real> SignOf(Complex<Real> value) {
  Real size = std::abs(value);
  if (std::isnan(size)) return {kNan<Real>, kNan<Real>};
  return size == 0 ? value : Complex<Real>(value.real() / size, value.imag() / size);
}

// Smith's quotient: divides through by the larger part of the divisor, so that its square is never formed.
template <typename Real>
Complex<Real> SmithQuotient(Complex<Real> left, Complex<Real> right) {
  if (std::fabs(right.real()) >= std::fabs(right.imag())) {
    Real ratio = right.imag() / right.real();
    Real scale = right.real() + right.imag() * ratio;
    return {(left.real() + left.imag() * ratio) / scale, (left.imag() - left.real() * ratio) / scale};
  }
  Real ratio = right.real() / right.imag();
  Real scale = right.real() * ratio + right.imag();
  return {(left.real() * ratio + left.imag()) / scale, (left.imag() * ratio - left.real()) / scale};
}

// Infinity becomes a signed 1, everything else a signed 0.
template <typename Real>
Complex<Real> DirectionOfInfinity(Complex<Real> value) {
  return {std::copysign(std::isinf(value.real()) ? Real(1) : Real(0), value.real()),
          std::copysign(std::isinf(value.imag()) ? Real(1) : Real(0), value.imag())};
}

// What a quotient is where arithmetic alone gives NaN: number / 0 and infinity / number are infinite, number / infinity is 0.
template <typename Real>
Complex<Real> QuotientAtInfinity(Complex<Real> left, Complex<Real> right, Complex<Real> otherwise) {
  auto is_infinite = [](Complex<Real> value) { return std::isinf(value.real()) || std::isinf(value.imag()); };
  auto is_finite = [](Complex<Real> value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); };
  if (right == Real(0) && !(std::isnan(left.real()) && std::isnan(left.imag()))) {
    Real infinity = std::copysign(kInfinity<Real>, right.real());
    return {infinity * left.real(), infinity * left.imag()};
  }
  if (is_infinite(left) && is_finite(right)) {
    Complex<Real> product = Multiply(DirectionOfInfinity(left), std::conj(right));
    return {kInfinity<Real> * product.real(), kInfinity<Real> * product.imag()};
  }
  if (is_finite(left) && is_infinite(right)) {
    Complex<Real> product = Multiply(left, std::conj(DirectionOfInfinity(right)));
    return {0 * product.real(), 0 * product.imag()};
  }
  return otherwise;
}

template <typename Real>
Complex<Real> Quotient(Complex<Real> left, Complex<Real> right) {
  Complex<Real> quotient = SmithQuotient(left, right);
  if (!std::isnan(quotient.real()) || !std::isnan(quotient.imag())) return quotient;
  return QuotientAtInfinity(left, right, quotient);
}

// r^c exp(-d t) at the angle c t + d log(r), for base r exp(i t) and exponent c + i d.
template <typename Real>
Complex<Real> PowerOf(Complex<Real> base, Complex<Real> exponent) {
  if (exponent == Real(0)) return 1;
  if (base == Real(0)) {
    bool is_zero = exponent.imag() == 0 && exponent.real() > 0;
    return is_zero ? Complex<Real>(0) : Complex<Real>(kNan<Real>, kNan<Real>);
  }
  Real radius = std::hypot(base.real(), base.imag());
  Real angle = std::atan2(base.imag(), base.real());
  Real size = std::pow(radius, exponent.real());
  Real turn = exponent.real() * angle;
  // A real exponent leaves these terms out, so that infinities do not become NaN.
  if (exponent.imag() != 0) {
    size *= std::exp(-exponent.imag() * angle);
    turn += exponent.imag() * std::log(radius);
  }
  if (turn == 0) return {size, turn};
  return {size * std::cos(turn), size * std::sin(turn)};
}

// -i log((x + i y) / sqrt(x^2 + y^2))
template <typename Real>
Complex<Real> AngleOf(Complex<Real> y, Complex<Real> x) {
  Complex<Real> i(0, 1);
  Complex<Real> root = std::sqrt(Multiply(x, x) + Multiply(y, y));
  return Multiply(-i, std::log(Quotient(x + Multiply(i, y), root)));
}

template <typename Value>
using WiderComplex = Complex<Wider<typename Value::value_type>>;

template <typename Value>
ElementwiseLoop SelectComplexMathLoop(Opcode opcode) {
  using Wide = WiderComplex<Value>;
  switch (opcode) {
    case Opcode::kSign: return UnaryLoop<Value>([](Value z) { return Value(SignOf(Wide(z))); });
    case Opcode::kExponential: return UnaryLoop<Value>([](Value z) { return Value(Exponential(Wide(z))); });
    case Opcode::kExponentialMinusOne:
      return UnaryLoop<Value>([](Value z) { return Value(ExponentialMinusOne(Wide(z))); });
    case Opcode::kLog: return UnaryLoop<Value>([](Value z) { return Value(std::log(Wide(z))); });
    case Opcode::kLogPlusOne: return UnaryLoop<Value>([](Value z) { return Value(LogPlusOne(Wide(z))); });
    case Opcode::kLogistic:
      return UnaryLoop<Value>([](Value z) { return Value(Quotient(Wide(1), Wide(1) + Exponential(-Wide(z)))); });
    case Opcode::kSqrt: return UnaryLoop<Value>([](Value z) { return Value(std::sqrt(Wide(z))); });
    case Opcode::kRsqrt: return UnaryLoop<Value>([](Value z) { return Value(Quotient(Wide(1), std::sqrt(Wide(z)))); });
    case Opcode::kCbrt: return UnaryLoop<Value>([](Value z) { return Value(PowerOf(Wide(z), Wide(1) / Wide(3))); });
    case Opcode::kSine: return UnaryLoop<Value>([](Value z) { return Value(std::sin(Wide(z))); });
    case Opcode::kCosine: return UnaryLoop<Value>([](Value z) { return Value(std::cos(Wide(z))); });
    case Opcode::kTan: return UnaryLoop<Value>([](Value z) { return Value(std::tan(Wide(z))); });
    case Opcode::kTanh: return UnaryLoop<Value>([](Value z) { return Value(std::tanh(Wide(z))); });
    case Opcode::kSinh: return UnaryLoop<Value>([](Value z) { return Value(std::sinh(Wide(z))); });
    case Opcode::kCosh: return UnaryLoop<Value>([](Value z) { return Value(std::cosh(Wide(z))); });
    case Opcode::kAsin: return UnaryLoop<Value>([](Value z) { return Value(std::asin(Wide(z))); });
    case Opcode::kAcos: return UnaryLoop<Value>([](Value z) { return Value(std::acos(Wide(z))); });
    case Opcode::kAsinh: return UnaryLoop<Value>([](Value z) { return Value(std::asinh(Wide(z))); });
    case Opcode::kAcosh: return UnaryLoop<Value>([](Value z) { return Value(std::acosh(Wide(z))); });
    case Opcode::kAtanh: return UnaryLoop<Value>([](Value z) { return Value(std::atanh(Wide(z))); });
    default: return nullptr;
  }
}

template <typename Value>
ElementwiseLoop SelectLoop(Opcode opcode) {
  using Real = typename Value::value_type;
  switch (opcode) {
    case Opcode::kReal: return UnaryLoop<Value>([](Value z) { return z.real(); });
    case Opcode::kImag: return UnaryLoop<Value>([](Value z) { return z.imag(); });
    case Opcode::kAbs:
      return UnaryLoop<Value>([](Value z) { return Real(std::hypot(Wider<Real>(z.real()), Wider<Real>(z.imag()))); });
    case Opcode::kNegate: return UnaryLoop<Value>([](Value z) { return -z; });
    default: return SelectComplexMathLoop<Value>(opcode);
  }
}

template <typename Value>
WiderComplex<Value> Widen(Value value) {
  return WiderComplex<Value>(value);
}

}  // namespace

Complex64 Divide(Complex64 left, Complex64 right) { return Complex64(Quotient(Widen(left), Widen(right))); }
Complex128 Divide(Complex128 left, Complex128 right) { return Complex128(Quotient(Widen(left), Widen(right))); }
Complex64 Power(Complex64 base, Complex64 exponent) { return Complex64(PowerOf(Widen(base), Widen(exponent))); }
Complex128 Power(Complex128 base, Complex128 exponent) { return Complex128(PowerOf(Widen(base), Widen(exponent))); }
Complex64 Atan2(Complex64 y, Complex64 x) { return Complex64(AngleOf(Widen(y), Widen(x))); }
Complex128 Atan2(Complex128 y, Complex128 x) { return Complex128(AngleOf(Widen(y), Widen(x))); }

ElementwiseLoop SelectComplexUnaryLoop(const ElementwiseOp& op) {
  return op.operand_types[0] == ir::ElementType::kC128 ? SelectLoop<Complex128>(op.opcode)
                                                       : SelectLoop<Complex64>(op.opcode);
}

}  // namespace stead::interp
