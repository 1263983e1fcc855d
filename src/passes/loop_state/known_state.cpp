#include "passes/loop_state/known_state.h"

#include <algorithm>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/tuple_elements.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

bool IsScalarConstant(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  return instruction.opcode == Opcode::kConstant && instruction.shape.is_scalar();
}

bool IsFillOfConstant(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  return instruction.opcode == Opcode::kBroadcast && IsScalarConstant(module, instruction.operands[0]);
}

// What these do with a fill is part of a loop that they are done in anyway.
bool AbsorbsFills(Opcode opcode) {
  return ir::IsElementwise(opcode) || opcode == Opcode::kDynamicSlice || opcode == Opcode::kSlice;
}

class KnownLoopState {
 public:
  KnownLoopState(ir::Module& module, InstrId loop) : module_(module), loop_(loop) {}

  bool WriteOut() {
    const Instruction& loop = module_.instruction(loop_);
    const InstrId init = loop.operands[0], next = module_.root(loop.called[1]);
    auto tested = ReadersByElement(module_, module_.computation(loop.called[0]).parameters[0]),
         state = ReadersByElement(module_, module_.computation(loop.called[1]).parameters[0]),
         results = ReadersByElement(module_, loop_);
    bool plain =
        module_.instruction(init).opcode == Opcode::kTuple && module_.instruction(next).opcode == Opcode::kTuple;
    if (!plain || !tested || !state || !results) return false;
    bool changed = false;
    for (size_t element = 0; element < state->size(); ++element) {
      const std::vector<InstrId>& readers = (*state)[element];
      InstrId start = module_.operand(init, element);
      bool is_handed_on = std::ranges::find(readers, module_.operand(next, element)) != readers.end();
      if (!is_handed_on || !MayStandInside(start, readers, next)) continue;
      changed |= StandInFor(readers, start, next);
      changed |= StandInFor((*tested)[element], start, next);
      for (InstrId reader : (*results)[element]) changed |= Forward(module_, reader, start);
    }
    return changed;
  }

 private:
  bool MayStandInside(InstrId start, const std::vector<InstrId>& readers, InstrId next) const {
    if (IsScalarConstant(module_, start)) return true;
    return IsFillOfConstant(module_, start) && std::ranges::all_of(readers, [&](InstrId reader) {
             return std::ranges::all_of(module_.users(reader), [&](InstrId user) {
               return user == next || AbsorbsFills(module_.instruction(user).opcode);
             });
           });
  }

  // Gives whoever uses the readers, but for the next state, copies of `start`. RETURNS whether anybody does.
  bool StandInFor(const std::vector<InstrId>& readers, InstrId start, InstrId next) {
    bool changed = false;
    for (InstrId reader : readers) {
      const std::vector<InstrId> users = module_.users(reader);
      for (InstrId user : users) {
        if (user == next) continue;
        for (size_t operand = 0; operand < module_.instruction(user).operands.size(); ++operand) {
          if (module_.operand(user, operand) == reader) module_.SetOperand(user, operand, CopyOf(start, user));
        }
        changed = true;
      }
    }
    return changed;
  }

  InstrId CopyOf(InstrId start, InstrId position) {
    const Instruction original = module_.instruction(start);
    Builder build(module_, position, start);
    if (original.opcode == Opcode::kConstant) return build.Constant(original.As<ir::Literal>());
    InstrId scalar = build.Constant(module_.instruction(original.operands[0]).As<ir::Literal>());
    return build.Op(original.opcode, original.shape, {scalar}, original.attributes);
  }

  ir::Module& module_;
  InstrId loop_;
};

}  // namespace

Result<PassReport> WriteOutKnownState(ir::Module& module) {
  bool changed = false;
  std::vector<ir::ComputationId> order = module.ComputationsPostOrder();
  // Outer loops first: what is known in them is the start of the inner ones' state.
  std::ranges::reverse(order);
  for (ir::ComputationId computation : order) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kWhile) changed |= KnownLoopState(module, id).WriteOut();
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
