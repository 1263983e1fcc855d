// Unary ops on pred, integers and real floats, `convert` and `reduce-precision`.
//   Functions that must be rounded (exp, sin, ...) are computed in the next wider type and rounded once, so that results are the
//   nearest value but for ties that the wider type cannot see.
#include <bit>
#include <cmath>
#include <limits>

#include "interp/ops/elementwise_loop.h"

namespace stead::interp {
namespace {

using ir::Opcode;

// 1 / (1 + exp(-x)), by the form that loses nothing where exp(-x) is large.
template <typename Real>
Real Logistic(Real value) {
  if (value >= 0) return 1 / (1 + std::exp(-value));
  Real power = std::exp(value);
  return power / (1 + power);
}

template <typename Real>
Real Sign(Real value) {
  if (value > 0) return 1;
  return value < 0 ? Real(-1) : value;
}

// Rounds a value to the nearest with the given numbers of exponent and mantissa bits; of two equally near ones to that whose
// last kept bit is 0 (an exponent's bit when no mantissa is left). What is too large becomes infinity; what is below the
// smallest normal number becomes a zero of the same sign.
template <typename Real>
Real ReducePrecision(Real value, const ElementwiseOp& op) {
  using Bits = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;
  if (!std::isfinite(value) || value == 0) return value;
  int dropped = std::numeric_limits<Real>::digits - 1 - static_cast<int>(op.precision.mantissa_bits);
  Bits bits = std::bit_cast<Bits>(value);
  if (dropped > 0) {
    Bits last_kept = (bits >> dropped) & 1;
    bits += (Bits{1} << (dropped - 1)) - 1 + last_kept;
    bits &= ~((Bits{1} << dropped) - 1);
  }
  Real rounded = std::bit_cast<Real>(bits);
  int bias = (1 << (std::min<int64_t>(op.precision.exponent_bits, 11) - 1)) - 1;
  if (std::isinf(rounded) || std::ilogb(rounded) > bias)
    return std::copysign(std::numeric_limits<Real>::infinity(), value);
  return std::ilogb(rounded) < 1 - bias ? std::copysign(Real(0), value) : rounded;
}

// Functions of one real number, computed in a wider type.
template <typename Value>
ElementwiseLoop SelectMathLoop(Opcode opcode) {
  using Wide = Wider<Value>;
  switch (opcode) {
    case Opcode::kAcos: return UnaryLoop<Value>([](Value x) { return Value(std::acos(Wide(x))); });
    case Opcode::kAcosh: return UnaryLoop<Value>([](Value x) { return Value(std::acosh(Wide(x))); });
    case Opcode::kAsin: return UnaryLoop<Value>([](Value x) { return Value(std::asin(Wide(x))); });
    case Opcode::kAsinh: return UnaryLoop<Value>([](Value x) { return Value(std::asinh(Wide(x))); });
    case Opcode::kAtanh: return UnaryLoop<Value>([](Value x) { return Value(std::atanh(Wide(x))); });
    case Opcode::kCbrt: return UnaryLoop<Value>([](Value x) { return Value(std::cbrt(Wide(x))); });
    case Opcode::kCosh: return UnaryLoop<Value>([](Value x) { return Value(std::cosh(Wide(x))); });
    case Opcode::kCosine: return UnaryLoop<Value>([](Value x) { return Value(std::cos(Wide(x))); });
    case Opcode::kErf: return UnaryLoop<Value>([](Value x) { return Value(std::erf(Wide(x))); });
    case Opcode::kExponential: return UnaryLoop<Value>([](Value x) { return Value(std::exp(Wide(x))); });
    case Opcode::kExponentialMinusOne: return UnaryLoop<Value>([](Value x) { return Value(std::expm1(Wide(x))); });
    case Opcode::kLog: return UnaryLoop<Value>([](Value x) { return Value(std::log(Wide(x))); });
    case Opcode::kLogPlusOne: return UnaryLoop<Value>([](Value x) { return Value(std::log1p(Wide(x))); });
    case Opcode::kLogistic: return UnaryLoop<Value>([](Value x) { return Value(Logistic(Wide(x))); });
    case Opcode::kRsqrt: return UnaryLoop<Value>([](Value x) { return Value(1 / std::sqrt(Wide(x))); });
    case Opcode::kSine: return UnaryLoop<Value>([](Value x) { return Value(std::sin(Wide(x))); });
    case Opcode::kSinh: return UnaryLoop<Value>([](Value x) { return Value(std::sinh(Wide(x))); });
    case Opcode::kSqrt: return UnaryLoop<Value>([](Value x) { return std::sqrt(x); });
    case Opcode::kTan: return UnaryLoop<Value>([](Value x) { return Value(std::tan(Wide(x))); });
    case Opcode::kTanh: return UnaryLoop<Value>([](Value x) { return Value(std::tanh(Wide(x))); });
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
