#include "passes/rewrite/loop_elements.h"

#include <algorithm>
#include <utility>

#include "passes/rewrite/tuple_elements.h"

namespace stead::passes {

using ir::InstrId;
using ir::Opcode;

std::optional<LoopElements> LoopElements::Of(const ir::Module& module, InstrId loop) {
  const ir::Instruction& instruction = module.instruction(loop);
  const InstrId init = instruction.operands[0], next = module.root(instruction.called[1]);
  auto tested = ReadersByElement(module, module.computation(instruction.called[0]).parameters[0]);
  auto state = ReadersByElement(module, module.computation(instruction.called[1]).parameters[0]);
  auto results = ReadersByElement(module, loop);
  const bool plain =
      module.instruction(init).opcode == Opcode::kTuple && module.instruction(next).opcode == Opcode::kTuple;
  if (!plain || !tested || !state || !results) return std::nullopt;
  return LoopElements{loop, init, next, *std::move(tested), *std::move(state), *std::move(results)};
}

bool LoopElements::IsHandedOn(const ir::Module& module, size_t element) const {
  return std::ranges::find(state[element], module.operand(next, element)) != state[element].end();
}

}  // namespace stead::passes
