#include "interp/ops/elementwise.h"

namespace stead::interp {
namespace {

ElementwiseLoop SelectLoop(const ElementwiseOp& op) {
  switch (ir::InfoOf(op.opcode).family) {
    case ir::OpFamily::kUnary: return SelectUnaryLoop(op);
    case ir::OpFamily::kBinary: return SelectBinaryLoop(op);
    case ir::OpFamily::kCompare: return SelectCompareLoop(op);
    case ir::OpFamily::kTernary: return SelectTernaryLoop(op);
    default: return nullptr;
  }
}

}  // namespace

Result<ElementwiseOp> PrepareElementwise(const ir::Module& module, ir::InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  ElementwiseOp op;
  op.opcode = instruction.opcode;
  op.operand_count = static_cast<int64_t>(instruction.operands.size());
  STEAD_CHECK(op.operand_count >= 1 && op.operand_count <= 3, instruction.name);
  for (size_t number = 0; number < instruction.operands.size(); ++number) {
    op.operand_types[number] = module.shape(instruction.operands[number]).element_type;
  }
  op.result_type = instruction.shape.element_type;
  op.bits = ir::ElementBits(op.operand_types[0]);
  if (op.opcode == ir::Opcode::kCompare) op.compare = instruction.As<ir::CompareAttributes>();
  if (op.opcode == ir::Opcode::kReducePrecision) op.precision = instruction.As<ir::ReducePrecisionAttributes>();
  op.loop = SelectLoop(op);
  if (op.loop == nullptr) return UnsupportedOp(module, id);
  return op;
}

Result<ir::Literal> EvaluateElementwise(const OpCall& call) {
  TRY(ElementwiseOp op, PrepareElementwise(call.module, call.id));
  std::array<ElementRun, 3> runs;
  int64_t count = call.shape().element_count();
  for (size_t number = 0; number < call.operands.size(); ++number) {
    const ir::Literal& operand = call.operand(number);
    int64_t operand_count = operand.shape().element_count();
    STEAD_CHECK(operand_count == count || operand.shape().is_scalar(), call.instruction.name);
    runs[number] = {operand.bytes().data(), operand_count != count};
  }
  ir::Literal result = ir::Literal::Zeros(call.shape());
  if (count > 0) op.Run(runs.data(), result.mutable_bytes().data(), count);
  return result;
}

}  // namespace stead::interp
