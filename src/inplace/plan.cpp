#include "inplace/plan.h"

namespace stead::inplace {

bool BufferPlan::IsView(ir::InstrId id) const {
  const ir::Instruction& instruction = module.instruction(id);
  switch (instruction.opcode) {
    case ir::Opcode::kTuple:
    case ir::Opcode::kGetTupleElement:
    case ir::Opcode::kOptimizationBarrier:
    case ir::Opcode::kAddDependency:
    case ir::Opcode::kAfterAll:
    case ir::Opcode::kDomain: return true;
    case ir::Opcode::kDynamicSlice: return windows.contains(id);
    // These move elements unless they were placed on their operand's bytes.
    case ir::Opcode::kSlice:
    case ir::Opcode::kReshape:
    case ir::Opcode::kBitcast: break;
    default: return false;
  }
  const std::vector<Slice>& result = placements[id];
  const std::vector<Slice>& operand = placements[instruction.operands[0]];
  return !result.empty() && !operand.empty() && result[0].buffer == operand[0].buffer;
}

}  // namespace stead::inplace
