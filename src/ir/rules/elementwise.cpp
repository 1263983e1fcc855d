// Rules of unary, binary, ternary ops, comparisons and bitcast-convert.
#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

std::string RuleOf(const Op& op, std::string_view number) {
  return fmt::format("{} {}", SpecificationName(op.opcode()), number);
}

Shape WithElementType(Shape shape, ElementType type) {
  shape.element_type = type;
  return shape;
}

// What a unary op may be applied to.
enum class Takes { kAnything, kFloats, kFloatsOrComplex, kIntegers, kIntegersOrBooleans };

Takes TakesOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kIsFinite:
    case Opcode::kReducePrecision: return Takes::kFloats;
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtanh:
    case Opcode::kCosh:
    case Opcode::kSinh:
    case Opcode::kCbrt:
    case Opcode::kCosine:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kReal:
    case Opcode::kImag: return Takes::kFloatsOrComplex;
    case Opcode::kPopulationCount:
    case Opcode::kCountLeadingZeros: return Takes::kIntegers;
    case Opcode::kNot: return Takes::kIntegersOrBooleans;
    default: return Takes::kAnything;
  }
}

Status CheckTakes(const Op& op, Takes takes, ElementType type) {
  auto complain = [&](std::string_view wanted) {
    return op.Violation(RuleOf(op, "I1"), "operand has element type {}; `{}` takes {}", ElementTypeName(type),
                        OpcodeName(op.opcode()), wanted);
  };
  switch (takes) {
    case Takes::kAnything: return {};
    case Takes::kFloats: return IsFloat(type) ? Status() : complain("floats");
    case Takes::kFloatsOrComplex:
      return IsFloat(type) || IsComplex(type) ? Status() : complain("floats or complex numbers");
    case Takes::kIntegers: return IsInteger(type) ? Status() : complain("integers");
    case Takes::kIntegersOrBooleans:
      return IsInteger(type) || type == ElementType::kPred ? Status() : complain("integers or booleans");
  }
  return {};
}

ElementType PartOf(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

Status CheckReducePrecision(const Op& op) {
  const auto& bits = op.attributes<ReducePrecisionAttributes>();
  if (bits.exponent_bits < 1) {
    return op.Violation("reduce_precision C2", "exponent_bits is {}; it must be at least 1", bits.exponent_bits);
  }
  if (bits.mantissa_bits < 0) {
    return op.Violation("reduce_precision C3", "mantissa_bits is {}; it must not be negative", bits.mantissa_bits);
  }
  return {};
}

Result<Shape> InferUnary(const Op& op) {
  const Shape& operand = op.operand(0);
  TRY_STATUS(CheckTakes(op, TakesOf(op.opcode()), operand.element_type));
  switch (op.opcode()) {
    case Opcode::kAbs:
    case Opcode::kReal:
    case Opcode::kImag: return WithElementType(operand, PartOf(operand.element_type));
    case Opcode::kIsFinite: return WithElementType(operand, ElementType::kPred);
    case Opcode::kConvert: return WithElementType(operand, op.own_shape().element_type);
    case Opcode::kReducePrecision: TRY_STATUS(CheckReducePrecision(op)); return operand;
    default: return operand;
  }
}

bool IsBitwise(Opcode opcode) { return opcode == Opcode::kAnd || opcode == Opcode::kOr || opcode == Opcode::kXor; }
bool IsShift(Opcode opcode) {
  return opcode == Opcode::kShiftLeft || opcode == Opcode::kShiftRightArithmetic ||
         opcode == Opcode::kShiftRightLogical;
}

Result<Shape> InferComplex(const Op& op) {
  ElementType part = op.operand(0).element_type;
  if (part == ElementType::kF32) return WithElementType(op.operand(0), ElementType::kC64);
  if (part == ElementType::kF64) return WithElementType(op.operand(0), ElementType::kC128);
  return op.Violation("complex I1", "operand has element type {}; the parts of a complex number are f32 or f64",
                      ElementTypeName(part));
}

Result<Shape> InferBinary(const Op& op) {
  const Shape& lhs = op.operand(0);
  const Shape& rhs = op.operand(1);
  if (op.opcode() == Opcode::kStochasticConvert) {
    TRY_STATUS(op.RequireSameDimensions(0, 2, ""));
    return WithElementType(lhs, op.own_shape().element_type);
  }
  if (!lhs.Compatible(rhs)) {
    return op.Violation(RuleOf(op, "C1"), "lhs has shape {}, rhs has {}; they must be the same", lhs.ToString(false),
                        rhs.ToString(false));
  }
  if (IsBitwise(op.opcode())) TRY_STATUS(CheckTakes(op, Takes::kIntegersOrBooleans, lhs.element_type));
  if (IsShift(op.opcode())) TRY_STATUS(CheckTakes(op, Takes::kIntegers, lhs.element_type));
  if (op.opcode() == Opcode::kComplex) return InferComplex(op);
  return lhs;
}

Result<Shape> InferCompare(const Op& op) {
  const Shape& lhs = op.operand(0);
  const Shape& rhs = op.operand(1);
  if (lhs.element_type != rhs.element_type) {
    return op.Violation("compare C1", "lhs has element type {}, rhs has {}; they must be the same",
                        ElementTypeName(lhs.element_type), ElementTypeName(rhs.element_type));
  }
  TRY_STATUS(op.RequireSameDimensions(0, 2, "compare C2"));
  return WithElementType(lhs, ElementType::kPred);
}

Result<Shape> InferSelect(const Op& op) {
  const Shape& pred = op.operand(0);
  const Shape& on_true = op.operand(1);
  const Shape& on_false = op.operand(2);
  if (pred.element_type != ElementType::kPred) {
    return op.Violation("select I1", "pred has element type {}; it must be pred", ElementTypeName(pred.element_type));
  }
  if (!pred.is_scalar() && pred.dimensions != on_true.dimensions) {
    return op.Violation("select C1",
                        "pred has shape {}, on_true has {}; pred must be a scalar or have the same dimensions",
                        pred.ToString(false), on_true.ToString(false));
  }
  if (!on_true.Compatible(on_false)) {
    return op.Violation("select C2", "on_true has shape {}, on_false has {}; they must be the same",
                        on_true.ToString(false), on_false.ToString(false));
  }
  return on_true;
}

Result<Shape> InferClamp(const Op& op) {
  const Shape& operand = op.operand(1);
  auto check_bound = [&](size_t number, std::string_view name, std::string_view rule) -> Status {
    const Shape& bound = op.operand(number);
    if (!bound.is_scalar() && bound.dimensions != operand.dimensions) {
      return op.Violation(rule, "{} has shape {}, operand has {}; {} must be a scalar or have the same dimensions",
                          name, bound.ToString(false), operand.ToString(false), name);
    }
    if (bound.element_type != operand.element_type) {
      return op.Violation("clamp C3", "{} has element type {}, operand has {}; they must be the same", name,
                          ElementTypeName(bound.element_type), ElementTypeName(operand.element_type));
    }
    return {};
  };
  TRY_STATUS(check_bound(0, "min", "clamp C1"));
  TRY_STATUS(check_bound(2, "max", "clamp C2"));
  return operand;
}

// Elements of another width come or go as a last dimension.
Result<Shape> InferBitcastConvert(const Op& op) {
  const Shape& operand = op.operand(0);
  ElementType from = operand.element_type, to = op.own_shape().element_type;
  if (IsComplex(from) != IsComplex(to)) {
    return op.Violation("bitcast_convert C2",
                        "operand has element type {}, result has {}; both or neither must be complex",
                        ElementTypeName(from), ElementTypeName(to));
  }
  int from_bits = ElementBits(from), to_bits = ElementBits(to);
  Shape result = Shape::Array(to, operand.dimensions);
  if (to_bits < from_bits) {
    result.dimensions.push_back(from_bits / to_bits);
  } else if (to_bits > from_bits) {
    if (operand.dimensions.empty() || operand.dimensions.back() != to_bits / from_bits) {
      return op.Violation("bitcast_convert C1",
                          "operand has shape {}; its last dimension must be {} to make a {} of each row",
                          operand.ToString(false), to_bits / from_bits, ElementTypeName(to));
    }
    result.dimensions.pop_back();
  } else {
    result.layout = operand.layout;
  }
  return result;
}

}  // namespace

Result<Shape> InferElementwise(const Op& op) {
  TRY_STATUS(op.RequireArrays());
  switch (InfoOf(op.opcode()).family) {
    case OpFamily::kUnary: return InferUnary(op);
    case OpFamily::kBinary: return InferBinary(op);
    case OpFamily::kCompare: return InferCompare(op);
    case OpFamily::kBitcastConvert: return InferBitcastConvert(op);
    default: return op.opcode() == Opcode::kSelect ? InferSelect(op) : InferClamp(op);
  }
}

}  // namespace stead::ir
