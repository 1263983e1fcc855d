// Elementwise operations and constants.
#include <array>

#include "frontend/stablehlo/literals.h"
#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

namespace {

// StableHLO lets some operands be a scalar for all elements; HLO wants the scalar broadcast.
ir::InstrId AsWide(OpImport& op, ir::InstrId id, const ir::Shape& like) {
  const ir::Shape& shape = op.shape(id);
  if (!shape.is_scalar() || like.is_scalar() || !like.is_array()) return id;
  ir::Shape wide = ir::Shape::Array(shape.element_type, like.dimensions);
  return op.Emit(ir::Opcode::kBroadcast, std::move(wide), {id}, ir::DimensionsAttributes{});
}

}  // namespace

Status ImportPlain(OpImport& op) { return op.Finish(op.opcode(), op.operands()); }

Status ImportClamp(OpImport& op) {
  ir::InstrId low = AsWide(op, op.operand(0), op.result_shape());
  ir::InstrId high = AsWide(op, op.operand(2), op.result_shape());
  return op.Finish(op.opcode(), {low, op.operand(1), high});
}

Status ImportSelect(OpImport& op) {
  ir::InstrId predicate = AsWide(op, op.operand(0), op.result_shape());
  return op.Finish(op.opcode(), {predicate, op.operand(1), op.operand(2)});
}

Status ImportCompare(OpImport& op) {
  using Compare = ir::CompareAttributes;
  TRY(mlir::EnumAttribute direction, op.Get<mlir::EnumAttribute>("comparison_direction"));
  TRY(mlir::EnumAttribute type, op.Get<mlir::EnumAttribute>("compare_type"));
  static constexpr std::array kDirections = {Compare::Direction::kEq, Compare::Direction::kNe, Compare::Direction::kGe,
                                             Compare::Direction::kGt, Compare::Direction::kLe, Compare::Direction::kLt};
  if (direction.kind != mlir::EnumKind::kComparisonDirection || direction.value >= kDirections.size()) {
    return op.Bad("has an unknown `comparison_direction`");
  }
  // Of the types only the total order of floats says more than the element type.
  constexpr uint64_t kTotalOrder = 2;
  Compare attributes{kDirections[direction.value], Compare::Type::kDefault};
  if (type.value == kTotalOrder) attributes.type = Compare::Type::kTotalOrder;
  return op.Finish(op.opcode(), op.operands(), attributes);
}

Status ImportConstant(OpImport& op) {
  op.importer().AddConstant(op.operation().results[0], op.operation());
  TRY(mlir::TensorAttribute value, op.Get<mlir::TensorAttribute>("value"));
  TRY(ImportedLiteral imported, ImportLiteral(value, op.result_shape(), op.importer().owner()));
  if (!imported.is_splat) return op.Finish(op.opcode(), {}, std::move(imported.literal));
  // One element for all: a broadcast, so that a large array of zeros costs nothing to compile.
  ir::Shape scalar = imported.literal.shape();
  ir::InstrId element = op.Emit(ir::Opcode::kConstant, std::move(scalar), {}, std::move(imported.literal));
  return op.Finish(ir::Opcode::kBroadcast, {element}, ir::DimensionsAttributes{});
}

Status ImportReducePrecision(OpImport& op) {
  ir::ReducePrecisionAttributes attributes;
  TRY(attributes.exponent_bits, op.Integer("exponent_bits"));
  TRY(attributes.mantissa_bits, op.Integer("mantissa_bits"));
  return op.Finish(op.opcode(), op.operands(), attributes);
}

}  // namespace stead::frontend
