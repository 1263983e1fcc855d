// Binary ops, `compare`, `select` and `clamp`.
//   Integers wrap. x / 0 is all ones and x % 0 is x; a shift by the width or more leaves zeros (or signs).
#include <bit>
#include <cmath>
#include <limits>

#include "interp/ops/complex_math.h"
#include "interp/ops/elementwise_loop.h"

namespace stead::interp {
namespace {

using ir::Opcode;

// NaN if either is; +0 is larger than -0.
template <typename Value>
Value Maximum(Value left, Value right) {
  if (left != left || right != right) return left != left ? left : right;
  if (left == right) return std::signbit(left) ? right : left;
  return left > right ? left : right;
}

template <typename Value>
Value Minimum(Value left, Value right) {
  if (left != left || right != right) return left != left ? left : right;
  if (left == right) return std::signbit(left) ? left : right;
  return left < right ? left : right;
}

template <typename Value>
ElementwiseLoop SelectRealLoop(Opcode opcode) {
  using Wide = Wider<Value>;
  switch (opcode) {
    case Opcode::kAdd: return BinaryLoop<Value>([](Value x, Value y) { return x + y; });
    case Opcode::kSubtract: return BinaryLoop<Value>([](Value x, Value y) { return x - y; });
    case Opcode::kMultiply: return BinaryLoop<Value>([](Value x, Value y) { return x * y; });
    case Opcode::kDivide: return BinaryLoop<Value>([](Value x, Value y) { return x / y; });
    case Opcode::kRemainder: return BinaryLoop<Value>([](Value x, Value y) { return std::fmod(x, y); });
    case Opcode::kMaximum: return BinaryLoop<Value>([](Value x, Value y) { return Maximum(x, y); });
    case Opcode::kMinimum: return BinaryLoop<Value>([](Value x, Value y) { return Minimum(x, y); });
    case Opcode::kPower: return BinaryLoop<Value>([](Value x, Value y) { return Value(std::pow(Wide(x), Wide(y))); });
    case Opcode::kAtan2: return BinaryLoop<Value>([](Value x, Value y) { return Value(std::atan2(Wide(x), Wide(y))); });
    case Opcode::kComplex: return BinaryLoop<Value>([](Value x, Value y) { return std::complex<Value>(x, y); });
    default: return nullptr;
  }
}

template <typename Value>
ElementwiseLoop SelectComplexLoop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd: return BinaryLoop<Value>([](Value x, Value y) { return x + y; });
    case Opcode::kSubtract: return BinaryLoop<Value>([](Value x, Value y) { return x - y; });
    case Opcode::kMultiply: return BinaryLoop<Value>([](Value x, Value y) { return Multiply(x, y); });
    case Opcode::kDivide: return BinaryLoop<Value>([](Value x, Value y) { return Divide(x, y); });
    case Opcode::kPower: return BinaryLoop<Value>([](Value x, Value y) { return Power(x, y); });
    case Opcode::kAtan2: return BinaryLoop<Value>([](Value x, Value y) { return Atan2(x, y); });
    default: return nullptr;
  }
}

// Two's complement, in unsigned arithmetic because signed overflow is undefined in C++.
template <typename Value>
Value DivideInteger(Value left, Value right) {
  if (right == 0) return Value(-1);
  if (std::is_signed_v<Value> && right == Value(-1)) return Value(0 - uint64_t(left));
  return left / right;
}

template <typename Value>
Value RemainderInteger(Value left, Value right) {
  if (right == 0) return left;
  return std::is_signed_v<Value> && right == Value(-1) ? Value(0) : left % right;
}

template <typename Value>
Value PowerInteger(Value base, Value exponent) {
  if (exponent < 0) {
    if (base == 1 || base == Value(-1)) return base == 1 || exponent % 2 == 0 ? Value(1) : Value(-1);
    return 0;
  }
  uint64_t result = 1;
  uint64_t factor = static_cast<uint64_t>(base);
  for (uint64_t left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
    if (left & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<Value>(result);
}

// A negative amount counts as a large one.
template <typename Value>
bool ShiftsOut(Value amount, const ElementwiseOp& op) {
  return static_cast<uint64_t>(amount) >= static_cast<uint64_t>(op.bits);
}

template <typename Value>
Value ShiftLeft(Value value, Value amount, const ElementwiseOp& op) {
  return ShiftsOut(amount, op) ? Value(0) : static_cast<Value>(static_cast<uint64_t>(value) << amount);
}

template <typename Value>
Value ShiftRightLogical(Value value, Value amount, const ElementwiseOp& op) {
  uint64_t pattern = static_cast<uint64_t>(value) & (~0ull >> (64 - op.bits));
  return ShiftsOut(amount, op) ? Value(0) : static_cast<Value>(pattern >> amount);
}

template <typename Value>
Value ShiftRightArithmetic(Value value, Value amount, const ElementwiseOp& op) {
  int64_t extended = static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - op.bits)) >> (64 - op.bits);
  return static_cast<Value>(extended >> (ShiftsOut(amount, op) ? 63 : static_cast<int64_t>(amount)));
}

template <typename Value>
ElementwiseLoop SelectIntegerLoop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd: return BinaryLoop<Value>([](Value x, Value y) { return Value(uint64_t(x) + uint64_t(y)); });
    case Opcode::kSubtract: return BinaryLoop<Value>([](Value x, Value y) { return Value(uint64_t(x) - uint64_t(y)); });
    case Opcode::kMultiply: return BinaryLoop<Value>([](Value x, Value y) { return Value(uint64_t(x) * uint64_t(y)); });
    case Opcode::kDivide: return BinaryLoop<Value>([](Value x, Value y) { return DivideInteger(x, y); });
    case Opcode::kRemainder: return BinaryLoop<Value>([](Value x, Value y) { return RemainderInteger(x, y); });
    case Opcode::kMaximum: return BinaryLoop<Value>([](Value x, Value y) { return std::max(x, y); });
    case Opcode::kMinimum: return BinaryLoop<Value>([](Value x, Value y) { return std::min(x, y); });
    case Opcode::kPower: return BinaryLoop<Value>([](Value x, Value y) { return PowerInteger(x, y); });
    case Opcode::kAnd: return BinaryLoop<Value>([](Value x, Value y) { return Value(x & y); });
    case Opcode::kOr: return BinaryLoop<Value>([](Value x, Value y) { return Value(x | y); });
    case Opcode::kXor: return BinaryLoop<Value>([](Value x, Value y) { return Value(x ^ y); });
    case Opcode::kShiftLeft:
      return BinaryLoop<Value>([](Value x, Value y, const ElementwiseOp& op) { return ShiftLeft(x, y, op); });
    case Opcode::kShiftRightLogical:
      return BinaryLoop<Value>([](Value x, Value y, const ElementwiseOp& op) { return ShiftRightLogical(x, y, op); });
    case Opcode::kShiftRightArithmetic:
      return BinaryLoop<Value>(
          [](Value x, Value y, const ElementwiseOp& op) { return ShiftRightArithmetic(x, y, op); });
    default: return nullptr;
  }
}

// On booleans add and maximum are or, multiply and minimum are and.
ElementwiseLoop SelectBooleanLoop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kMinimum:
    case Opcode::kMultiply: return BinaryLoop<bool>([](bool x, bool y) { return x && y; });
    case Opcode::kOr:
    case Opcode::kMaximum:
    case Opcode::kAdd: return BinaryLoop<bool>([](bool x, bool y) { return x || y; });
    case Opcode::kXor: return BinaryLoop<bool>([](bool x, bool y) { return x != y; });
    default: return nullptr;
  }
}

// The sign-magnitude bits of a float as a number that grows in the order -NaN, -inf, ..., -0, +0, ..., inf, NaN.
template <typename Real>
int64_t TotalOrderKey(Real value) {
  using Bits = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
  Bits bits = std::bit_cast<Bits>(value);
  return bits < 0 ? static_cast<int64_t>(bits ^ std::numeric_limits<Bits>::max()) : bits;
}

template <typename Value>
ElementwiseLoop SelectOrderLoop(ir::CompareAttributes::Direction direction) {
  using Direction = ir::CompareAttributes::Direction;
  switch (direction) {
    case Direction::kEq: return BinaryLoop<Value>([](Value x, Value y) { return x == y; });
    case Direction::kNe: return BinaryLoop<Value>([](Value x, Value y) { return x != y; });
    default: break;
  }
  if constexpr (!kIsComplex<Value>) {
    switch (direction) {
      case Direction::kGe: return BinaryLoop<Value>([](Value x, Value y) { return x >= y; });
      case Direction::kGt: return BinaryLoop<Value>([](Value x, Value y) { return x > y; });
      case Direction::kLe: return BinaryLoop<Value>([](Value x, Value y) { return x <= y; });
      case Direction::kLt: return BinaryLoop<Value>([](Value x, Value y) { return x < y; });
      default: break;
    }
  }
  return nullptr;
}

template <typename Value>
ElementwiseLoop SelectTotalOrderLoop(ir::CompareAttributes::Direction direction) {
  using Direction = ir::CompareAttributes::Direction;
  switch (direction) {
    case Direction::kEq:
      return BinaryLoop<Value>([](Value x, Value y) { return TotalOrderKey(x) == TotalOrderKey(y); });
    case Direction::kNe:
      return BinaryLoop<Value>([](Value x, Value y) { return TotalOrderKey(x) != TotalOrderKey(y); });
    case Direction::kGe:
      return BinaryLoop<Value>([](Value x, Value y) { return TotalOrderKey(x) >= TotalOrderKey(y); });
    case Direction::kGt: return BinaryLoop<Value>([](Value x, Value y) { return TotalOrderKey(x) > TotalOrderKey(y); });
    case Direction::kLe:
      return BinaryLoop<Value>([](Value x, Value y) { return TotalOrderKey(x) <= TotalOrderKey(y); });
    case Direction::kLt: return BinaryLoop<Value>([](Value x, Value y) { return TotalOrderKey(x) < TotalOrderKey(y); });
  }
  return nullptr;
}

template <typename Value>
void RunClamp(const ElementwiseOp& op, const ElementRun* operands, std::byte* result, int64_t count) {
  OperandReader<Value> low(operands[0], op.operand_types[0]);
  OperandReader<Value> operand(operands[1], op.operand_types[1]);
  OperandReader<Value> high(operands[2], op.operand_types[2]);
  Writer<Value> write = WriterOf<Value>(op.result_type);
  ValueBlock<Value> block;
  for (int64_t first = 0; first < count; first += kElementBlock) {
    int64_t size = std::min(kElementBlock, count - first);
    const Value* lows = low.Read(first, size);
    const Value* values = operand.Read(first, size);
    const Value* highs = high.Read(first, size);
    for (int64_t position = 0; position < size; ++position) {
      if constexpr (std::is_floating_point_v<Value>) {
        block.data()[position] = Minimum(Maximum(values[position], lows[position]), highs[position]);
      } else {
        block.data()[position] = std::min(std::max(values[position], lows[position]), highs[position]);
      }
    }
    write(block.data(), size, result, first);
  }
}

// Moves bytes and never looks at the values, so that every type keeps its exact bits.
template <size_t kSize>
void RunSelect(const ElementwiseOp&, const ElementRun* operands, std::byte* result, int64_t count) {
  struct Element {
    std::byte bytes[kSize];
  };
  const auto* predicates = reinterpret_cast<const uint8_t*>(operands[0].data);
  const auto* on_true = reinterpret_cast<const Element*>(operands[1].data);
  const auto* on_false = reinterpret_cast<const Element*>(operands[2].data);
  auto* selected = reinterpret_cast<Element*>(result);
  for (int64_t position = 0; position < count; ++position) {
    bool predicate = predicates[operands[0].is_splat ? 0 : position] != 0;
    selected[position] =
        predicate ? on_true[operands[1].is_splat ? 0 : position] : on_false[operands[2].is_splat ? 0 : position];
  }
}

ElementwiseLoop SelectSelectLoop(ir::ElementType type) {
  switch (ir::ElementBytes(type)) {
    case 1: return &RunSelect<1>;
    case 2: return &RunSelect<2>;
    case 4: return &RunSelect<4>;
    case 8: return &RunSelect<8>;
    default: return &RunSelect<16>;
  }
}

}  // namespace

ElementwiseLoop SelectBinaryLoop(const ElementwiseOp& op) {
  if (op.operand_types[0] != op.operand_types[1]) return nullptr;
  return VisitValue(op.operand_types[0], [&]<typename Value>() -> ElementwiseLoop {
    if constexpr (std::is_same_v<Value, bool>) {
      return SelectBooleanLoop(op.opcode);
    } else if constexpr (kIsComplex<Value>) {
      return SelectComplexLoop<Value>(op.opcode);
    } else if constexpr (std::is_integral_v<Value>) {
      return SelectIntegerLoop<Value>(op.opcode);
    } else {
      return SelectRealLoop<Value>(op.opcode);
    }
  });
}

ElementwiseLoop SelectCompareLoop(const ElementwiseOp& op) {
  if (op.operand_types[0] != op.operand_types[1]) return nullptr;
  bool total_order = op.compare.type == ir::CompareAttributes::Type::kTotalOrder;
  return VisitValue(op.operand_types[0], [&]<typename Value>() -> ElementwiseLoop {
    if constexpr (std::is_floating_point_v<Value>) {
      if (total_order) return SelectTotalOrderLoop<Value>(op.compare.direction);
    }
    return SelectOrderLoop<Value>(op.compare.direction);
  });
}

ElementwiseLoop SelectTernaryLoop(const ElementwiseOp& op) {
  if (op.opcode == Opcode::kSelect) return SelectSelectLoop(op.result_type);
  return VisitValue(op.result_type, []<typename Value>() -> ElementwiseLoop {
    if constexpr (kIsComplex<Value>)
      return nullptr;
    else
      return &RunClamp<Value>;
  });
}

}  // namespace stead::interp
