#include "inplace/clone.h"

#include <unordered_map>

namespace stead::inplace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

ComputationId CloneComputation(Module& module, ComputationId id) {
  // By value: adding instructions may move the tables.
  const ir::Computation original = module.computation(id);
  ComputationId clone = module.AddComputation(original.name);
  std::unordered_map<InstrId, InstrId> copy_of;
  for (InstrId from : original.instructions) {
    Instruction instruction = module.instruction(from);
    for (InstrId& operand : instruction.operands) operand = copy_of.at(operand);
    for (InstrId& predecessor : instruction.control_predecessors) predecessor = copy_of.at(predecessor);
    if (instruction.opcode == Opcode::kWhile || instruction.opcode == Opcode::kConditional) {
      for (ComputationId& callee : instruction.called) callee = CloneComputation(module, callee);
    }
    copy_of[from] = module.Add(clone, std::move(instruction));
  }
  module.SetRoot(clone, copy_of.at(original.root));
  return clone;
}

}  // namespace stead::inplace
