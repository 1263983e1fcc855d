#include "cpu/kernels/complex_math.h"

#include <cmath>
#include <complex>
#include <limits>

namespace stead::cpu {
namespace {

using Complex = std::complex<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// std::complex's own operators rescue infinities, which HLO does not.
Complex Multiply(Complex left, Complex right) {
  return {left.real() * right.real() - left.imag() * right.imag(),
          left.real() * right.imag() + left.imag() * right.real()};
}

// Divides through by the larger part of the divisor, so that its square is never formed (Smith's method).
Complex FiniteQuotient(Complex left, Complex right) {
  if (std::fabs(right.real()) >= std::fabs(right.imag())) {
    const double ratio = right.imag() / right.real();
    const double scale = right.real() + right.imag() * ratio;
    return {(left.real() + left.imag() * ratio) / scale, (left.imag() - left.real() * ratio) / scale};
  }
  const double ratio = right.real() / right.imag();
  const double scale = right.real() * ratio + right.imag();
  return {(left.real() * ratio + left.imag()) / scale, (left.imag() * ratio - left.real()) / scale};
}

// Infinite parts become a signed 1, all others a signed 0.
Complex DirectionOfInfinity(Complex value) {
  return {std::copysign(std::isinf(value.real()) ? 1.0 : 0.0, value.real()),
          std::copysign(std::isinf(value.imag()) ? 1.0 : 0.0, value.imag())};
}

Complex Divide(Complex left, Complex right) {
  const Complex quotient = FiniteQuotient(left, right);
  if (!std::isnan(quotient.real()) || !std::isnan(quotient.imag())) return quotient;
  // number / 0 and infinity / number are infinite, number / infinity is 0.
  const auto is_infinite = [](Complex value) { return std::isinf(value.real()) || std::isinf(value.imag()); };
  const auto is_finite = [](Complex value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); };
  if (right == 0.0 && !(std::isnan(left.real()) && std::isnan(left.imag()))) {
    const double infinity = std::copysign(kInfinity, right.real());
    return {infinity * left.real(), infinity * left.imag()};
  }
  if (is_infinite(left) && is_finite(right)) {
    const Complex product = Multiply(DirectionOfInfinity(left), std::conj(right));
    return {kInfinity * product.real(), kInfinity * product.imag()};
  }
  if (is_finite(left) && is_infinite(right)) {
    const Complex product = Multiply(left, std::conj(DirectionOfInfinity(right)));
    return {0 * product.real(), 0 * product.imag()};
  }
  return quotient;
}

// exp(x) is applied in two halves, so that it overflows only when the result does.
Complex Exp(Complex value) {
  if (value.imag() == 0) return {std::exp(value.real()), value.imag()};
  const double half = std::exp(std::isfinite(value.real()) ? value.real() / 2 : value.real());
  return {half * std::cos(value.imag()) * half, half * std::sin(value.imag()) * half};
}

Complex Expm1(Complex value) {
  // expm1(x) cos(y) - 2 sin(y/2)^2 keeps the digits that exp(x) cos(y) - 1 would lose.
  const double half_sine = std::sin(value.imag() / 2);
  const double real = std::expm1(value.real()) * std::cos(value.imag()) - 2 * half_sine * half_sine;
  const Complex whole = Exp(value);
  return {std::isfinite(real) ? real : whole.real() - 1, whole.imag()};
}

Complex Log1p(Complex value) {
  // |1 + z|^2 - 1 = x (2 + x) + y^2, which cancels where z lies near the unit circle around -1.
  const long double x = value.real();
  const long double y = value.imag();
  const double excess = static_cast<double>(x * (2 + x) + y * y);
  const double sum = value.real() + 1;
  const bool is_near = std::isfinite(excess) && excess < 1;
  const double real = is_near ? std::log1p(excess) / 2 : std::log(std::hypot(sum, value.imag()));
  return {real, std::atan2(value.imag(), sum)};
}

// r^c exp(-d t) at the angle c t + d log(r), for base r exp(i t) and exponent c + i d.
Complex Pow(Complex base, Complex exponent) {
  if (exponent == 0.0) return 1;
  if (base == 0.0) {
    const bool is_zero = exponent.imag() == 0 && exponent.real() > 0;
    return is_zero ? Complex(0) : Complex(kNan, kNan);
  }
  const double radius = std::hypot(base.real(), base.imag());
  const double angle = std::atan2(base.imag(), base.real());
  double size = std::pow(radius, exponent.real());
  double turn = exponent.real() * angle;
  // A real exponent leaves these terms out, so that infinities do not become NaN.
  if (exponent.imag() != 0) {
    size *= std::exp(-exponent.imag() * angle);
    turn += exponent.imag() * std::log(radius);
  }
  if (turn == 0) return {size, turn};
  return {size * std::cos(turn), size * std::sin(turn)};
}

// -i log((x + i y) / sqrt(x^2 + y^2))
Complex Atan2(Complex y, Complex x) {
  const Complex i(0, 1);
  const Complex root = std::sqrt(Multiply(x, x) + Multiply(y, y));
  return Multiply(-i, std::log(Divide(x + Multiply(i, y), root)));
}

Complex Acos(Complex z) { return std::acos(z); }
Complex Acosh(Complex z) { return std::acosh(z); }
Complex Asin(Complex z) { return std::asin(z); }
Complex Asinh(Complex z) { return std::asinh(z); }
Complex Atanh(Complex z) { return std::atanh(z); }
Complex Cbrt(Complex z) { return Pow(z, Complex(1.0 / 3)); }
Complex Cos(Complex z) { return std::cos(z); }
Complex Cosh(Complex z) { return std::cosh(z); }
Complex Log(Complex z) { return std::log(z); }
Complex Logistic(Complex z) { return Divide(1, 1.0 + Exp(-z)); }
Complex Rsqrt(Complex z) { return Divide(1, std::sqrt(z)); }
Complex Sin(Complex z) { return std::sin(z); }
Complex Sinh(Complex z) { return std::sinh(z); }
Complex Sqrt(Complex z) { return std::sqrt(z); }
Complex Tan(Complex z) { return std::tan(z); }
Complex Tanh(Complex z) { return std::tanh(z); }

template <auto kFunction, typename Real>
void Loop(const Real* operands, Real* results, int64_t count) {
  for (int64_t index = 0; index < count; ++index) {
    const auto operand = [&](int64_t number) {
      return Complex(operands[2 * number * count + index], operands[(2 * number + 1) * count + index]);
    };
    Complex result;
    if constexpr (std::is_invocable_v<decltype(kFunction), Complex, Complex>) {
      result = kFunction(operand(0), operand(1));
    } else {
      result = kFunction(operand(0));
    }
    results[index] = static_cast<Real>(result.real());
    results[count + index] = static_cast<Real>(result.imag());
  }
}

template <auto kFunction>
constexpr ComplexFunction Entry(const char* name) {
  return {name, &Loop<kFunction, float>, &Loop<kFunction, double>};
}

constexpr ComplexFunction kFunctions[] = {
    Entry<&Acos>("acos"),   Entry<&Acosh>("acosh"),       Entry<&Asin>("asin"),   Entry<&Asinh>("asinh"),
    Entry<&Atan2>("atan2"), Entry<&Atanh>("atanh"),       Entry<&Cbrt>("cbrt"),   Entry<&Cos>("cos"),
    Entry<&Cosh>("cosh"),   Entry<&Divide>("divide"),     Entry<&Expm1>("expm1"), Entry<&Log>("log"),
    Entry<&Log1p>("log1p"), Entry<&Logistic>("logistic"), Entry<&Pow>("pow"),     Entry<&Rsqrt>("rsqrt"),
    Entry<&Sin>("sin"),     Entry<&Sinh>("sinh"),         Entry<&Sqrt>("sqrt"),   Entry<&Tan>("tan"),
    Entry<&Tanh>("tanh"),
};

}  // namespace

std::span<const ComplexFunction> ComplexFunctions() { return kFunctions; }

}  // namespace stead::cpu
