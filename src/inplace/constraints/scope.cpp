#include "inplace/constraints/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "analysis/trip_count.h"
#include "inplace/clone.h"

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::ArrayLeafIndex;
using analysis::ArrayLeafNumber;
using analysis::Dataflow;
using analysis::Definition;
using analysis::DefinitionId;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

// Gives the caller bodies of its own where another caller already has them.
void OwnCallees(Module& module, InstrId caller, std::unordered_set<ComputationId>& taken) {
  std::vector<ComputationId> called = module.instruction(caller).called;
  for (ComputationId& callee : called) {
    if (!taken.insert(callee).second) {
      callee = CloneComputation(module, callee);
      taken.insert(callee);
    }
  }
  module.SetCalled(caller, std::move(called));
}

}  // namespace

Result<std::vector<Scope>> CollectScopes(Module& module, const PlanOptions& options) {
  std::vector<Scope> scopes{{Scope::Kind::kEntry, module.entry, {}, 0, 1}};
  std::unordered_set<ComputationId> taken{module.entry};
  for (size_t at = 0; at < scopes.size(); ++at) {
    // By value: cloning adds scopes and computations.
    const Scope scope = scopes[at];
    const std::vector<InstrId> instructions = module.computation(scope.computation).instructions;
    for (InstrId id : instructions) {
      switch (module.instruction(id).opcode) {
        case Opcode::kCall:
          return Unimplemented(fmt::format("call `{}` is not inlined", module.instruction(id).name),
                               module.SourceOf(id));
        case Opcode::kWhile: {
          OwnCallees(module, id, taken);
          int64_t trips = analysis::TripCount(module, id).value_or(options.unknown_trip_count);
          int64_t executions = SaturatingProduct(scope.executions, trips);
          const Instruction& loop = module.instruction(id);
          scopes.push_back({Scope::Kind::kLoopCondition, loop.called[0], id, 0, executions});
          scopes.push_back({Scope::Kind::kLoopBody, loop.called[1], id, 0, executions});
          break;
        }
        case Opcode::kConditional:
          OwnCallees(module, id, taken);
          for (size_t branch = 0; branch < module.instruction(id).called.size(); ++branch) {
            scopes.push_back({Scope::Kind::kBranch, module.instruction(id).called[branch], id,
                              static_cast<int32_t>(branch), scope.executions});
          }
          break;
        default: break;
      }
    }
  }
  return scopes;
}

std::vector<InstrId> ConditionalsIn(const Module& module, ComputationId computation) {
  std::vector<InstrId> conditionals;
  for (InstrId id : module.computation(computation).instructions) {
    if (module.instruction(id).opcode == Opcode::kConditional) conditionals.push_back(id);
  }
  return conditionals;
}

bool IsImmediate(const Instruction& instruction) {
  return instruction.opcode == Opcode::kConstant && instruction.shape.is_array() &&
         instruction.shape.element_count() == 1;
}

bool IsFollower(const ScopeContext& context, InstrId loop, int32_t leaf) {
  auto leaders = context.leaders.find(loop);
  return leaders != context.leaders.end() && leaders->second[static_cast<size_t>(leaf)] >= 0;
}

bool IsPointerState(const ScopeContext& context, InstrId loop, int32_t leaf) {
  auto pointers = context.pointer_state.find(loop);
  return pointers != context.pointer_state.end() && pointers->second[static_cast<size_t>(leaf)];
}

bool IsWritable(const Module& module, const Scope& scope, const Dataflow& dataflow, const ScopeContext& context,
                DefinitionId definition) {
  const Definition& made = dataflow.definition(definition);
  const Instruction& instruction = module.instruction(made.instruction);
  if (instruction.opcode == Opcode::kConstant) return IsImmediate(instruction);
  if (instruction.opcode != Opcode::kParameter) {
    return !dataflow.is_fixed(definition) && std::ranges::all_of(dataflow.hosts(definition), [&](DefinitionId host) {
      // Where an immediate is stored is open as long as no pointer leads to it.
      bool is_constant = module.instruction(dataflow.definition(host).instruction).opcode == Opcode::kConstant;
      return !is_constant && IsWritable(module, scope, dataflow, context, host);
    });
  }
  switch (scope.kind) {
    case Scope::Kind::kEntry:
      return module.IsDonated(instruction.As<ir::ParameterAttributes>().number,
                              ArrayLeafIndex(instruction.shape, made.leaf));
    case Scope::Kind::kLoopBody:
      return !context.untouched_state.at(scope.caller)[made.leaf] && !IsFollower(context, scope.caller, made.leaf) &&
             !IsPointerState(context, scope.caller, made.leaf);
    case Scope::Kind::kBranch: return context.branches.at(scope.caller).owned[scope.branch][made.leaf];
    case Scope::Kind::kLoopCondition: return false;
  }
  return false;
}

std::vector<bool> UntouchedState(const Module& module, ComputationId body, const ScopeContext& context) {
  Dataflow dataflow(module, body, context);
  InstrId parameter = module.computation(body).parameters.at(0);
  int32_t count = ArrayLeafCount(module.shape(parameter));
  std::vector<bool> untouched;
  for (int32_t leaf = 0; leaf < count; ++leaf) {
    untouched.push_back(dataflow.value(module.root(body), leaf).definition ==
                        dataflow.value(parameter, leaf).definition);
  }
  return untouched;
}

namespace {

bool IsForced(const ScopeContext& context, ComputationId called, size_t leaf) {
  auto forced = context.forced_parameters.find(called);
  return forced != context.forced_parameters.end() && forced->second[leaf];
}

void AddConsumedOperands(const Instruction& conditional, const BranchUse& use, const ScopeContext& context,
                         std::vector<PreservingTie>& ties) {
  for (size_t branch = 0; branch < use.consumed.size(); ++branch) {
    for (size_t leaf = 0; leaf < use.consumed[branch].size(); ++leaf) {
      if (!use.consumed[branch][leaf]) continue;
      OperandLeaf operand{static_cast<int32_t>(branch) + 1, static_cast<int32_t>(leaf)};
      auto home = std::ranges::find(use.homes, std::optional(operand));
      int32_t result = home == use.homes.end() ? -1 : static_cast<int32_t>(home - use.homes.begin());
      bool is_forced = IsForced(context, conditional.called[branch], leaf);
      ties.push_back(
          {operand.operand, operand.leaf, result, use.written[branch][leaf], is_forced, use.updated[branch][leaf]});
    }
  }
}

}  // namespace

std::vector<PreservingTie> PreservingTies(const Module& module, const Dataflow& dataflow, int32_t node,
                                          const ScopeContext& context) {
  std::vector<PreservingTie> ties;
  InstrId id = dataflow.instruction(node);
  const Instruction& instruction = module.instruction(id);
  for (const analysis::Tie& tie : dataflow.effects(node).ties) {
    if (!KeepsBytes(tie.kind)) continue;
    ties.push_back({static_cast<int32_t>(tie.operand),
                    ArrayLeafNumber(module.shape(instruction.operands[tie.operand]), tie.operand_index),
                    ArrayLeafNumber(instruction.shape, tie.result_index), tie.written});
  }
  auto branches = context.branches.find(id);
  if (branches != context.branches.end()) AddConsumedOperands(instruction, branches->second, context, ties);
  if (instruction.opcode != Opcode::kWhile) return ties;
  const std::vector<bool>& untouched = context.untouched_state.at(id);
  auto borrowing = context.borrowing.find(id);
  auto writes = context.loop_writes.find(id);
  for (int32_t leaf = 0; leaf < static_cast<int32_t>(untouched.size()); ++leaf) {
    bool borrows = borrowing != context.borrowing.end() && borrowing->second.used[leaf];
    if (untouched[leaf] || borrows || IsFollower(context, id, leaf) || IsPointerState(context, id, leaf)) continue;
    LoopWrite write = writes == context.loop_writes.end() ? LoopWrite{} : writes->second[leaf];
    bool is_forced = IsForced(context, instruction.called[1], static_cast<size_t>(leaf)) && !write.moved;
    ties.push_back({0, leaf, leaf, std::move(write.bytes), is_forced});
  }
  return ties;
}

}  // namespace stead::inplace
