// Constants and elementwise operations. Integers have no sign in a kernel: they are signed in ours, and operations that read
// them as unsigned go through unsigned types and back.
#include <fmt/format.h>

#include <cstring>

#include "frontend/mosaic/kernel_types.h"
#include "frontend/mosaic/ops/kernel_importers.h"
#include "frontend/stablehlo/literals.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;
using Direction = ir::CompareAttributes::Direction;

namespace {

Result<InstrId> AsUnsigned(KernelOp& op, InstrId id) {
  return op.emit().Bitcast(op.scope(), id, UnsignedOf(op.shape(id).element_type));
}

// A scalar of any type from its bits.
ir::Literal ScalarOfBits(ir::ElementType type, uint64_t bits) {
  ir::Literal literal = ir::Literal::Zeros(ir::Shape::Array(type, {}));
  std::memcpy(literal.mutable_bytes().data(), &bits, std::min(literal.bytes().size(), sizeof(bits)));
  return literal;
}

Result<InstrId> ConstantArray(KernelOp& op, const mlir::TensorAttribute& tensor, const ir::Shape& shape) {
  const bool is_one_bool = shape.element_type == ir::ElementType::kPred && tensor.payload.size() == 1;
  if (is_one_bool && (tensor.payload[0] == std::byte{0} || tensor.payload[0] == std::byte{0xFF})) {
    InstrId scalar = op.emit().Integer(op.scope(), ir::ElementType::kPred, tensor.payload[0] == std::byte{0} ? 0 : 1);
    return op.emit().Splat(op.scope(), scalar, shape);
  }
  // One element fills an array of one, too, so that every fill has the same form.
  const bool is_single = shape.element_count() == 1;
  TRY(ImportedLiteral imported,
      ImportLiteral(tensor, is_single ? ir::Shape::Array(shape.element_type, {}) : shape, nullptr));
  InstrId constant = op.emit().Constant(op.scope(), std::move(imported.literal));
  return imported.is_splat || is_single ? op.emit().Splat(op.scope(), constant, shape) : Result<InstrId>(constant);
}

Result<InstrId> Compared(KernelOp& op, Direction direction, InstrId left, InstrId right) {
  return op.emit().Add(op.scope(), Opcode::kCompare, {left, right}, ir::CompareAttributes{direction});
}

Result<InstrId> Negated(KernelOp& op, InstrId id) { return op.emit().Add(op.scope(), Opcode::kNot, {id}); }

}  // namespace

Status ImportKernelConstant(KernelOp& op) {
  TRY(ir::Shape shape, op.ResultShape());
  TRY(std::optional<mlir::AttributeId> id, op.importer().source().FindAttribute(op.operation(), "value"));
  if (!id) return op.Bad("has no value");
  TRY(mlir::Attribute value, op.importer().source().pool.attribute(*id));
  if (const auto* integer = std::get_if<mlir::IntegerAttribute>(&value)) {
    // 32 bits may be written with their sign or without; only a place in memory, which has 64, can be larger.
    if (shape.element_type == ir::ElementType::kS32 && (integer->value < INT32_MIN || integer->value > UINT32_MAX))
      return op.Bad("has a place that does not fit 32 bits");
    if (ir::IsFloat(shape.element_type)) return op.Bad("gives a float an integer value");
    return op.SetResult(op.emit().Integer(op.scope(), shape.element_type, integer->value));
  }
  if (const auto* number = std::get_if<mlir::FloatAttribute>(&value)) {
    if (!ir::IsFloat(shape.element_type)) return op.Bad("gives an integer a float value");
    return op.SetResult(op.emit().Constant(op.scope(), ScalarOfBits(shape.element_type, number->bits)));
  }
  const auto* tensor = std::get_if<mlir::TensorAttribute>(&value);
  if (tensor == nullptr) return op.Bad("has neither a number nor an array as value");
  TRY(InstrId array, ConstantArray(op, *tensor, shape));
  return op.SetResult(array);
}

Status ImportElementwiseKernelOp(KernelOp& op) {
  TRY(std::vector<InstrId> operands, op.Values(0, op.operand_count()));
  TRY(InstrId made, op.emit().Add(op.scope(), op.opcode(), std::move(operands)));
  return op.SetResult(made);
}

Status ImportUnsignedKernelOp(KernelOp& op) {
  TRY(std::vector<InstrId> operands, op.Values(0, op.operand_count()));
  for (InstrId& operand : operands) {
    TRY(operand, AsUnsigned(op, operand));
  }
  TRY(InstrId made, op.emit().Add(op.scope(), op.opcode(), std::move(operands)));
  TRY(ir::Shape shape, op.ResultShape());
  TRY(made, op.emit().Bitcast(op.scope(), made, shape.element_type));
  return op.SetResult(made);
}

// The predicate is a scalar or has the shape of the cases.
Status ImportKernelSelect(KernelOp& op) {
  TRY(std::vector<InstrId> operands, op.Values(0, 3));
  if (op.shape(operands[0]).is_scalar() && op.shape(operands[1]).is_array() && !op.shape(operands[1]).is_scalar()) {
    ir::Shape shape = ir::Shape::Array(op.shape(operands[0]).element_type, op.shape(operands[1]).dimensions);
    TRY(operands[0], op.emit().Splat(op.scope(), operands[0], std::move(shape)));
  }
  TRY(InstrId made, op.emit().Add(op.scope(), Opcode::kSelect, std::move(operands)));
  return op.SetResult(made);
}

// Predicates in MLIR's order: eq ne slt sle sgt sge ult ule ugt uge.
Status ImportIntegerCompare(KernelOp& op) {
  constexpr Direction kDirections[] = {Direction::kEq, Direction::kNe, Direction::kLt, Direction::kLe, Direction::kGt,
                                       Direction::kGe, Direction::kLt, Direction::kLe, Direction::kGt, Direction::kGe};
  constexpr int64_t kFirstUnsigned = 6;
  TRY(int64_t predicate, op.Integer("predicate"));
  if (predicate < 0 || predicate >= static_cast<int64_t>(std::size(kDirections)))
    return op.Bad("has an unknown predicate");
  TRY(InstrId left, op.Value(0));
  TRY(InstrId right, op.Value(1));
  if (predicate >= kFirstUnsigned) {
    TRY(left, AsUnsigned(op, left));
    TRY(right, AsUnsigned(op, right));
  }
  TRY(InstrId made, Compared(op, kDirections[predicate], left, right));
  return op.SetResult(made);
}

// Predicates in MLIR's order: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true. Ours are the ordered ones
// and une; an unordered one is the negation of the opposite ordered one. JAX writes `one` for its `!=`, which holds for NaN.
Status ImportFloatCompare(KernelOp& op) {
  TRY(int64_t predicate, op.Integer("predicate"));
  TRY(InstrId left, op.Value(0));
  TRY(InstrId right, op.Value(1));
  struct Row {
    Direction direction;
    bool is_negated;
  };
  constexpr Row kRows[] = {{Direction::kEq, false}, {Direction::kEq, false}, {Direction::kGt, false},
                           {Direction::kGe, false}, {Direction::kLt, false}, {Direction::kLe, false},
                           {Direction::kNe, false}, {Direction::kEq, false}, {Direction::kEq, false},
                           {Direction::kLe, true},  {Direction::kLt, true},  {Direction::kGe, true},
                           {Direction::kGt, true},  {Direction::kNe, false}};
  const bool is_direct = (predicate >= 1 && predicate <= 6) || (predicate >= 9 && predicate <= 13);
  if (!is_direct) return op.Unsupported(fmt::format("with predicate {} is not supported", predicate));
  TRY(InstrId made, Compared(op, kRows[predicate].direction, left, right));
  if (kRows[predicate].is_negated) {
    TRY(made, Negated(op, made));
  }
  return op.SetResult(made);
}

// True for infinities and NaN.
Status ImportIsWeird(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(InstrId made, op.emit().Add(op.scope(), Opcode::kIsFinite, {operand}));
  TRY(made, Negated(op, made));
  return op.SetResult(made);
}

Status ImportPowerOfTwo(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  InstrId two = op.emit().Integer(op.scope(), ir::ElementType::kS32, 2);
  TRY(InstrId base, op.emit().Convert(op.scope(), two, op.shape(operand).element_type));
  TRY(base, op.emit().Splat(op.scope(), base, op.shape(operand)));
  TRY(InstrId made, op.emit().Add(op.scope(), Opcode::kPower, {base, operand}));
  return op.SetResult(made);
}

Status ImportReciprocal(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  InstrId one = op.emit().Integer(op.scope(), ir::ElementType::kS32, 1);
  TRY(InstrId ones, op.emit().Convert(op.scope(), one, op.shape(operand).element_type));
  TRY(ones, op.emit().Splat(op.scope(), ones, op.shape(operand)));
  TRY(InstrId made, op.emit().Add(op.scope(), Opcode::kDivide, {ones, operand}));
  return op.SetResult(made);
}

}  // namespace stead::frontend
