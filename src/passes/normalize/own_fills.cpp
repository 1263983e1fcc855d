#include "passes/normalize/own_fills.h"

#include <algorithm>
#include <vector>

#include "passes/rewrite/build.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

// The operand's memory may become a result, loop state, or what an update is built in.
bool MayBuildIn(const Instruction& user, size_t operand) {
  switch (user.opcode) {
    case Opcode::kConditional:
    case Opcode::kCustomCall:
    case Opcode::kTuple:
    case Opcode::kWhile: return true;
    default: return operand == 0 && ir::HasTrait(user.opcode, ir::kWritesInto0);
  }
}

// A fill, or a constant of one element: storing it again costs no more than reading it.
bool IsCheap(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  bool is_scalar = instruction.opcode == Opcode::kConstant && instruction.shape.is_scalar();
  return is_scalar || IsFill(module, id);
}

// A fill is filled again for an op that reads what it builds in; other readers may come first. A constant is stored again
// for everyone who builds in it when somebody reads it: that is never worth an order.
bool IsTaken(const ir::Module& module, InstrId fill) {
  if (module.root(module.instruction(fill).computation) == fill) return true;
  bool is_constant = module.instruction(fill).opcode == Opcode::kConstant;
  return std::ranges::any_of(module.users(fill), [&](InstrId id) {
    const Instruction& user = module.instruction(id);
    bool builds = false, reads = false;
    for (size_t operand = 0; operand < user.operands.size(); ++operand) {
      if (user.operands[operand] == fill) (MayBuildIn(user, operand) ? builds : reads) = true;
    }
    return reads && (builds || is_constant);
  });
}

bool SeparateUses(ir::Module& module, InstrId fill) {
  bool changed = false;
  bool taken = IsTaken(module, fill);
  const std::vector<InstrId> users = module.users(fill);
  for (InstrId user : users) {
    size_t operand_count = module.instruction(user).operands.size();
    for (size_t operand = 0; operand < operand_count; ++operand) {
      if (module.operand(user, operand) != fill || !MayBuildIn(module.instruction(user), operand)) continue;
      if (!taken) {
        taken = true;
        continue;
      }
      const Instruction original = module.instruction(fill);
      Builder build(module, user, fill);
      module.SetOperand(user, operand,
                        build.Op(original.opcode, original.shape, original.operands, original.attributes));
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<PassReport> GiveOwnFills(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (IsCheap(module, id)) changed |= SeparateUses(module, id);
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
