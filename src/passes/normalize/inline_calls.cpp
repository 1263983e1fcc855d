#include "passes/normalize/inline_calls.h"

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/splice.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Opcode;

bool IsInlinable(Opcode opcode) { return opcode == Opcode::kCall || opcode == Opcode::kFusion; }

// Computations whose instructions run elsewhere or are described to someone else: they must stay as they are.
std::unordered_set<ComputationId> ClosedComputations(const ir::Module& module) {
  std::unordered_set<ComputationId> closed;
  for (ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      const ir::Instruction& instruction = module.instruction(id);
      bool closes = instruction.opcode == Opcode::kCustomCall || instruction.opcode == Opcode::kAsyncStart ||
                    instruction.opcode == Opcode::kAsyncUpdate || instruction.opcode == Opcode::kAsyncDone;
      if (closes) closed.insert(instruction.called.begin(), instruction.called.end());
    }
  }
  return closed;
}

class Inliner {
 public:
  explicit Inliner(ir::Module& module) : module_(module), calls_(CountCallers(module)) {}

  bool Run() {
    const std::unordered_set<ComputationId> closed = ClosedComputations(module_);
    bool changed = false;
    // Callees come first: what is inlined holds no more calls.
    for (ComputationId computation : module_.ComputationsPostOrder()) {
      if (closed.contains(computation)) continue;
      const std::vector<InstrId> list = module_.computation(computation).instructions;
      for (InstrId id : list) {
        if (!IsInlinable(module_.instruction(id).opcode)) continue;
        Inline(id);
        changed = true;
      }
    }
    return changed;
  }

 private:
  ir::Module& module_;
  IdVector<ComputationId, int> calls_;  // mentions of a computation that are still to be met

  // The last caller takes the instructions themselves, with their names; the others take copies.
  ComputationId TakeCallee(InstrId call) {
    ComputationId callee = module_.instruction(call).called.front();
    if (--calls_[callee] == 0) return callee;
    ComputationId clone = CloneComputation(module_, callee);
    calls_.resize(module_.computation_count(), 0);
    for (InstrId id : module_.computation(clone).instructions) {
      for (ComputationId inner : module_.instruction(id).called) ++calls_[inner];
    }
    return clone;
  }

  void Inline(InstrId call) {
    const std::vector<InstrId> arguments = module_.instruction(call).operands;
    InstrId value = Splice(module_, call, TakeCallee(call), arguments);
    bool is_argument = std::ranges::find(arguments, value) != arguments.end();
    if (!is_argument && module_.instruction(value).metadata.empty()) {
      module_.SetMetadata(value, module_.instruction(call).metadata);
    }
    // Layouts may differ at the border of a fusion of another compiler; they say nothing about the value.
    if (!is_argument || !Forward(module_, call, value)) module_.ReplaceAllUses(call, value);
    module_.Erase(call);
  }
};

// A plan places the values of each loop body and branch once, so two loops may not share one.
bool SeparateControlComputations(ir::Module& module) {
  std::unordered_set<ComputationId> taken;
  std::deque<ComputationId> open = {module.entry};
  bool changed = false;
  while (!open.empty()) {
    const std::vector<InstrId> list = module.computation(open.front()).instructions;
    open.pop_front();
    for (InstrId id : list) {
      Opcode opcode = module.instruction(id).opcode;
      if (opcode != Opcode::kWhile && opcode != Opcode::kConditional) continue;
      std::vector<ComputationId> called = module.instruction(id).called;
      for (ComputationId& callee : called) {
        if (!taken.insert(callee).second) {
          callee = CloneComputation(module, callee);
          taken.insert(callee);
          changed = true;
        }
        open.push_back(callee);
      }
      if (called != module.instruction(id).called) module.SetCalled(id, std::move(called));
    }
  }
  return changed;
}

}  // namespace

Result<PassReport> InlineCalls(ir::Module& module) {
  // The order in which another compiler would have run the module binds nobody; control edges and barriers stay.
  bool changed = module.is_scheduled;
  module.is_scheduled = false;
  changed |= Inliner(module).Run();
  changed |= SeparateControlComputations(module);
  return PassReport{changed};
}

}  // namespace stead::passes
