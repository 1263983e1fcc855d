#include "passes/loop_state/known_state.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/loop_elements.h"

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
  KnownLoopState(ir::Module& module, LoopElements loop) : module_(module), loop_(std::move(loop)) {}

  bool WriteOut() {
    bool changed = false;
    for (size_t element = 0; element < loop_.size(); ++element) {
      const std::vector<InstrId>& readers = loop_.state[element];
      InstrId start = module_.operand(loop_.init, element);
      if (!loop_.IsHandedOn(module_, element) || !MayStandInside(start, readers)) continue;
      changed |= StandInFor(readers, start);
      changed |= StandInFor(loop_.tested[element], start);
      for (InstrId reader : loop_.results[element]) changed |= Forward(module_, reader, start);
    }
    return changed;
  }

 private:
  bool MayStandInside(InstrId start, const std::vector<InstrId>& readers) const {
    if (IsScalarConstant(module_, start)) return true;
    return IsFillOfConstant(module_, start) && std::ranges::all_of(readers, [&](InstrId reader) {
             return std::ranges::all_of(module_.users(reader), [&](InstrId user) {
               return user == loop_.next || AbsorbsFills(module_.instruction(user).opcode);
             });
           });
  }

  // Gives whoever uses the readers, but for the next state, copies of `start`. RETURNS whether anybody does.
  bool StandInFor(const std::vector<InstrId>& readers, InstrId start) {
    bool changed = false;
    for (InstrId reader : readers) {
      const std::vector<InstrId> users = module_.users(reader);
      for (InstrId user : users) {
        if (user == loop_.next) continue;
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
  LoopElements loop_;
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
      if (module.instruction(id).opcode != Opcode::kWhile) continue;
      if (auto loop = LoopElements::Of(module, id)) changed |= KnownLoopState(module, *std::move(loop)).WriteOut();
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
