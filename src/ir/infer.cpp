#include "ir/infer.h"

#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

Status CheckArity(const Op& op) {
  int expected = InfoOf(op.opcode()).arity;
  if (expected == kVariadic || op.operand_count() == static_cast<size_t>(expected)) return {};
  return op.Violation("", "has {} operands; `{}` takes {}", op.operand_count(), OpcodeName(op.opcode()), expected);
}

// Readers infer shapes that the text leaves out before anything is verified.
Status CheckOperandsAreBounded(const Op& op) {
  for (size_t number = 0; number < op.operand_count(); ++number) {
    if (!op.operand(number).is_unbounded()) continue;
    return Unimplemented(fmt::format("`{}`: operand {} has shape {}; the shape of its result is not inferred",
                                     op.instruction().name, number, op.operand(number).ToString(false)),
                         op.instruction().text_place);
  }
  return {};
}

}  // namespace

Result<Shape> InferShape(const Module& module, const Instruction& instruction) {
  Op op(module, instruction);
  TRY_STATUS(CheckArity(op));
  TRY_STATUS(CheckOperandsAreBounded(op));
  switch (InfoOf(instruction.opcode).family) {
    case OpFamily::kUnary:
    case OpFamily::kBinary:
    case OpFamily::kTernary:
    case OpFamily::kCompare:
    case OpFamily::kBitcastConvert: return InferElementwise(op);
    case OpFamily::kSource: return InferSource(op);
    case OpFamily::kReshape:
    case OpFamily::kTuple:
    case OpFamily::kBarrier:
    case OpFamily::kCopy: return InferForwarding(op);
    case OpFamily::kShape: return InferMovement(op);
    case OpFamily::kIndexing: return InferIndexing(op);
    case OpFamily::kReduce: return InferReduction(op);
    case OpFamily::kDot: return InferDot(op);
    case OpFamily::kLinearAlgebra: return InferLinearAlgebra(op);
    case OpFamily::kRandom: return InferRandom(op);
    case OpFamily::kControl: return InferControl(op);
    // Accepted as they stand: nothing here runs them.
    case OpFamily::kCommunication: return instruction.shape;
  }
  return instruction.shape;
}

bool ShapeIsDetermined(Opcode opcode) {
  switch (InfoOf(opcode).family) {
    case OpFamily::kSource:
    case OpFamily::kBitcastConvert:
    case OpFamily::kReshape:
    case OpFamily::kLinearAlgebra:
    case OpFamily::kRandom:
    case OpFamily::kCommunication: return false;
    default: break;
  }
  switch (opcode) {
    case Opcode::kConvert:
    case Opcode::kStochasticConvert:
    case Opcode::kBroadcast:
    case Opcode::kDynamicReshape:
    case Opcode::kTopK:
    case Opcode::kScan:
    case Opcode::kDot:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kConvolution:
    case Opcode::kCustomCall:
    case Opcode::kAsyncStart: return false;
    default: return true;
  }
}

}  // namespace stead::ir
