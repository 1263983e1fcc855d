#include "analysis/scalar_trace.h"

namespace stead::analysis {

using ir::Instruction;
using ir::Module;
using ir::Opcode;

ScalarPlace Trace(const Module& module, ScalarPlace place) {
  for (;;) {
    const Instruction& instruction = module.instruction(place.id);
    switch (instruction.opcode) {
      case Opcode::kFusion:
        if (!instruction.shape.is_array()) return place;
        place.fusions.push_back(place.id);
        place.id = module.root(instruction.called[0]);
        break;
      case Opcode::kParameter:
        if (place.fusions.empty()) return place;
        place.id = module.operand(place.fusions.back(), instruction.As<ir::ParameterAttributes>().number);
        place.fusions.pop_back();
        break;
      case Opcode::kGetTupleElement: {
        const Instruction& source = module.instruction(instruction.operands[0]);
        if (source.opcode != Opcode::kTuple) return place;
        place.id = source.operands[instruction.As<ir::TupleElementAttributes>().index];
        break;
      }
      case Opcode::kCopy:
      case Opcode::kBitcast:
      case Opcode::kReshape: place.id = instruction.operands[0]; break;
      default: return place;
    }
  }
}

ScalarPlace TraceOperand(const Module& module, const ScalarPlace& user, size_t number) {
  return Trace(module, {module.operand(user.id, number), user.fusions});
}

}  // namespace stead::analysis
