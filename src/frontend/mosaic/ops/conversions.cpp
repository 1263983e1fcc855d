// Conversions between element types. Integers have no sign in a kernel, so the operation says how it reads them.
#include "frontend/mosaic/kernel_types.h"
#include "frontend/mosaic/ops/kernel_importers.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

namespace {

bool IsBool(ir::ElementType type) { return type == ir::ElementType::kPred; }

}  // namespace

// A bool read as a signed number is 0 or -1; a number cut to a bool is its lowest bit.
Status ImportConversion(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Shape shape, op.ResultShape());
  const ir::ElementType from = op.shape(operand).element_type;
  const bool is_negated = IsBool(from) && (op.name() == "arith.extsi" || op.name() == "arith.sitofp");
  if (IsBool(shape.element_type) && ir::IsInteger(from)) {
    InstrId one = op.emit().Integer(op.scope(), from, 1);
    TRY(one, op.emit().Splat(op.scope(), one, op.shape(operand)));
    TRY(operand, op.emit().Add(op.scope(), Opcode::kAnd, {operand, one}));
  }
  TRY(InstrId made, op.emit().Convert(op.scope(), operand, shape.element_type));
  if (is_negated) {
    TRY(made, op.emit().Add(op.scope(), Opcode::kNegate, {made}));
  }
  return op.SetResult(made);
}

Status ImportUnsignedConversion(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Shape shape, op.ResultShape());
  TRY(operand, op.emit().Bitcast(op.scope(), operand, UnsignedOf(op.shape(operand).element_type)));
  TRY(InstrId made, op.emit().Convert(op.scope(), operand, UnsignedOf(shape.element_type)));
  TRY(made, op.emit().Bitcast(op.scope(), made, shape.element_type));
  return op.SetResult(made);
}

Status ImportConversionToUnsigned(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Shape shape, op.ResultShape());
  TRY(InstrId made, op.emit().Convert(op.scope(), operand, UnsignedOf(shape.element_type)));
  TRY(made, op.emit().Bitcast(op.scope(), made, shape.element_type));
  return op.SetResult(made);
}

// Between types of one size only: others would change the shape in a way that is the TPU's own.
Status ImportKernelBitcast(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(ir::Shape shape, op.ResultShape());
  if (ir::ElementBytes(shape.element_type) != ir::ElementBytes(op.shape(operand).element_type) ||
      IsBool(shape.element_type) != IsBool(op.shape(operand).element_type))
    return op.Unsupported("between elements of different sizes is not supported");
  TRY(InstrId made, op.emit().Bitcast(op.scope(), operand, shape.element_type));
  return op.SetResult(made);
}

}  // namespace stead::frontend
