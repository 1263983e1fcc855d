// Unary ops on pred, integers and real floats, `convert` and `reduce-precision`.
//   Functions that must be rounded (exp, sin, ...) are computed in double for every type; f64 gets the C library's own
//   accuracy (below 1 ulp for most), all others the nearest value but for ties that double cannot see.
#include <bit>
#include <cmath>
#include <limits>

#include "interp/ops/elementwise_loop.h"

namespace stead::interp {
namespace {

using ir::Opcode;

// 1 / (1 + exp(-x)), by the form that loses nothing where exp(-x) is large.
double Logistic(double value) {
  if (value >= 0) return 1 / (1 + std::exp(-value));
  double power = std::exp(value);
  return power / (1 + power);
}

template <typename Real>
Real Sign(Real value) {
  if (value > 0) return 1;
  return value < 0 ? Real(-1) : value;
}

// Rounds a value to the nearest with the given numbers of exponent and mantissa bits, ties to even. What is too large
// becomes infinity; what is below the smallest normal number becomes a zero of the same sign.
template <typename Real>
Real ReducePrecision(Real value, const ElementwiseOp& op) {
  if (!std::isfinite(value) || value == 0) return value;
  constexpr int kMantissaBits = std::numeric_limits<Real>::digits - 1;
  int mantissa_bits = static_cast<int>(std::min<int64_t>(op.precision.mantissa_bits, kMantissaBits));
  int bias = (1 << (std::min<int64_t>(op.precision.exponent_bits, 11) - 1)) - 1;
  int exponent = std::ilogb(value);
  Real quantum = std::ldexp(Real(1), exponent - mantissa_bits);
  Real rounded = mantissa_bits == kMantissaBits ? value : std::nearbyint(value / quantum) * quantum;
  if (std::isinf(rounded) || std::ilogb(rounded) > bias)
    return std::copysign(std::numeric_limits<Real>::infinity(), value);
  return std::ilogb(rounded) < 1 - bias ? std::copysign(Real(0), value) : rounded;
}

// Functions of one real number, computed in double.
template <typename Value>
ElementwiseLoop SelectMathLoop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos: return UnaryLoop<Value>([](Value x) { return Value(std::acos(double(x))); });
    case Opcode::kAcosh: return UnaryLoop<Value>([](Value x) { return Value(std::acosh(double(x))); });
    case Opcode::kAsin: return UnaryLoop<Value>([](Value x) { return Value(std::asin(double(x))); });
    case Opcode::kAsinh: return UnaryLoop<Value>([](Value x) { return Value(std::asinh(double(x))); });
    case Opcode::kAtanh: return UnaryLoop<Value>([](Value x) { return Value(std::atanh(double(x))); });
    case Opcode::kCbrt: return UnaryLoop<Value>([](Value x) { return Value(std::cbrt(double(x))); });
    case Opcode::kCosh: return UnaryLoop<Value>([](Value x) { return Value(std::cosh(double(x))); });
    case Opcode::kCosine: return UnaryLoop<Value>([](Value x) { return Value(std::cos(double(x))); });
    case Opcode::kErf: return UnaryLoop<Value>([](Value x) { return Value(std::erf(double(x))); });
    case Opcode::kExponential: return UnaryLoop<Value>([](Value x) { return Value(std::exp(double(x))); });
    case Opcode::kExponentialMinusOne: return UnaryLoop<Value>([](Value x) { return Value(std::expm1(double(x))); });
    case Opcode::kLog: return UnaryLoop<Value>([](Value x) { return Value(std::log(double(x))); });
    case Opcode::kLogPlusOne: return UnaryLoop<Value>([](Value x) { return Value(std::log1p(double(x))); });
    case Opcode::kLogistic: return UnaryLoop<Value>([](Value x) { return Value(Logistic(double(x))); });
    case Opcode::kRsqrt: return UnaryLoop<Value>([](Value x) { return Value(1 / std::sqrt(double(x))); });
    case Opcode::kSine: return UnaryLoop<Value>([](Value x) { return Value(std::sin(double(x))); });
    case Opcode::kSinh: return UnaryLoop<Value>([](Value x) { return Value(std::sinh(double(x))); });
    case Opcode::kSqrt: return UnaryLoop<Value>([](Value x) { return std::sqrt(x); });
    case Opcode::kTan: return UnaryLoop<Value>([](Value x) { return Value(std::tan(double(x))); });
    case Opcode::kTanh: return UnaryLoop<Value>([](Value x) { return Value(std::tanh(double(x))); });
    default: return nullptr;
  }
}

template <typename Value>
ElementwiseLoop SelectRealLoop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs: return UnaryLoop<Value>([](Value x) { return std::fabs(x); });
    case Opcode::kNegate: return UnaryLoop<Value>([](Value x) { return -x; });
    case Opcode::kSign: return UnaryLoop<Value>([](Value x) { return Sign(x); });
    case Opcode::kCeil: return UnaryLoop<Value>([](Value x) { return std::ceil(x); });
    case Opcode::kFloor: return UnaryLoop<Value>([](Value x) { return std::floor(x); });
    case Opcode::kRoundNearestAfz: return UnaryLoop<Value>([](Value x) { return std::round(x); });
    case Opcode::kRoundNearestEven: return UnaryLoop<Value>([](Value x) { return std::nearbyint(x); });
    case Opcode::kIsFinite: return UnaryLoop<Value>([](Value x) { return std::isfinite(x); });
    case Opcode::kReal: return UnaryLoop<Value>([](Value x) { return x; });
    case Opcode::kImag: return UnaryLoop<Value>([](Value) { return Value(0); });
    case Opcode::kReducePrecision:
      return UnaryLoop<Value>([](Value x, const ElementwiseOp& op) { return ReducePrecision(x, op); });
    default: return SelectMathLoop<Value>(opcode);
  }
}

// The low `bits` bits alone, for ops that count bits.
template <typename Value>
uint64_t LowBits(Value value, const ElementwiseOp& op) {
  return static_cast<uint64_t>(value) & (~0ull >> (64 - op.bits));
}

template <typename Value>
ElementwiseLoop SelectIntegerLoop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs: return UnaryLoop<Value>([](Value x) { return x < 0 ? Value(0 - uint64_t(x)) : x; });
    case Opcode::kNegate: return UnaryLoop<Value>([](Value x) { return Value(0 - uint64_t(x)); });
    case Opcode::kNot: return UnaryLoop<Value>([](Value x) { return Value(~x); });
    case Opcode::kSign: return UnaryLoop<Value>([](Value x) { return Sign(x); });
    case Opcode::kPopulationCount:
      return UnaryLoop<Value>([](Value x, const ElementwiseOp& op) { return Value(std::popcount(LowBits(x, op))); });
    case Opcode::kCountLeadingZeros:
      return UnaryLoop<Value>(
          [](Value x, const ElementwiseOp& op) { return Value(std::countl_zero(LowBits(x, op)) - (64 - op.bits)); });
    default: return nullptr;
  }
}

}  // namespace

ElementwiseLoop SelectUnaryLoop(const ElementwiseOp& op) {
  ir::ElementType type = op.operand_types[0];
  return VisitValue(type, [&]<typename Value>() -> ElementwiseLoop {
    if (op.opcode == Opcode::kConvert) return UnaryLoop<Value>([](Value value) { return value; });
    if constexpr (std::is_same_v<Value, bool>) {
      return op.opcode == Opcode::kNot ? UnaryLoop<bool>([](bool value) { return !value; }) : nullptr;
    } else if constexpr (kIsComplex<Value>) {
      return SelectComplexUnaryLoop(op);
    } else if constexpr (std::is_integral_v<Value>) {
      return SelectIntegerLoop<Value>(op.opcode);
    } else {
      return SelectRealLoop<Value>(op.opcode);
    }
  });
}

}  // namespace stead::interp
