#include "passes/inline_calls.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/rewrite/build.h"

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
    ComputationId callee = TakeCallee(call);
    std::unordered_map<InstrId, InstrId> arguments;
    std::vector<InstrId> body;
    for (InstrId id : module_.computation(callee).instructions) {
      if (module_.instruction(id).opcode == Opcode::kParameter) {
        int64_t number = module_.instruction(id).As<ir::ParameterAttributes>().number;
        arguments[id] = module_.operand(call, static_cast<size_t>(number));
      } else {
        body.push_back(id);
      }
    }
    InstrId root = module_.root(callee);
    module_.MoveBefore(call, body, arguments);
    OrderAfter(module_.instruction(call).control_predecessors, body);
    if (auto argument = arguments.find(root); argument != arguments.end()) {
      if (!Forward(module_, call, argument->second)) module_.ReplaceAllUses(call, argument->second);
    } else {
      if (module_.instruction(root).metadata.empty()) module_.SetMetadata(root, module_.instruction(call).metadata);
      module_.ReplaceAllUses(call, root);
    }
    module_.Erase(call);
  }

  // The first instructions of the body wait for what the call waited for; the others follow by their operands.
  void OrderAfter(const std::vector<InstrId> predecessors, const std::vector<InstrId>& body) {
    if (predecessors.empty()) return;
    std::unordered_set<InstrId> inside(body.begin(), body.end());
    for (InstrId id : body) {
      bool first = true;
      for (InstrId operand : module_.instruction(id).operands) first = first && !inside.contains(operand);
      if (!first) continue;
      std::vector<InstrId> all = module_.instruction(id).control_predecessors;
      all.insert(all.end(), predecessors.begin(), predecessors.end());
      module_.SetControlPredecessors(id, std::move(all));
    }
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
