#include "passes/rewrite/loop_elements.h"

#include <algorithm>
#include <utility>

#include "passes/rewrite/build.h"
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

ValuesBeforeLoop::ValuesBeforeLoop(ir::Module& module, const LoopElements& loop) : module_(module), loop_(loop) {
  for (size_t element = 0; element < loop.size(); ++element) {
    for (InstrId reader : loop.state[element]) made_[reader] = module.operand(loop.init, element);
  }
}

InstrId ValuesBeforeLoop::Of(InstrId wanted) {
  std::vector<InstrId> stack = {wanted};
  while (!stack.empty()) {
    const InstrId id = stack.back();
    const ir::Instruction made = module_.instruction(id);
    const auto open = std::ranges::find_if(made.operands, [&](InstrId operand) { return !made_.contains(operand); });
    if (!made_.contains(id) && open != made.operands.end()) {
      stack.push_back(*open);
      continue;
    }
    stack.pop_back();
    if (made_.contains(id)) continue;
    std::vector<InstrId> operands;
    for (InstrId operand : made.operands) operands.push_back(made_.at(operand));
    made_[id] = Builder(module_, loop_.loop, id).Op(made.opcode, made.shape, std::move(operands), made.attributes);
    if (!made.called.empty()) module_.SetCalled(made_[id], made.called);
    if (!made.extra.empty()) module_.SetExtra(made_[id], made.extra);
  }
  return made_.at(wanted);
}

}  // namespace stead::passes
