#include "inplace/constraints/results.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "inplace/records.h"
#include "inplace/rewrite.h"

namespace stead::inplace {

using analysis::Dataflow;
using analysis::Definition;
using analysis::DefinitionId;
using ir::CopyReason;
using ir::InstrId;
using ir::Module;
using ir::Opcode;

namespace {

// Why this result cannot be handed out as it is; none when it can.
std::optional<CopyReason> Obstacle(const Module& module, const Scope& scope, const Dataflow& dataflow,
                                   const ScopeContext& context, DefinitionId definition, bool returned_before) {
  if (!IsWritable(module, scope, dataflow, context, definition)) {
    switch (scope.kind) {
      case Scope::Kind::kEntry: {
        InstrId made = dataflow.definition(definition).instruction;
        return module.instruction(made).opcode == Opcode::kConstant ? CopyReason::kConstant : CopyReason::kNotDonated;
      }
      case Scope::Kind::kLoopBody: return CopyReason::kLoopState;
      case Scope::Kind::kBranch: return CopyReason::kBranchResult;
      case Scope::Kind::kLoopCondition: return std::nullopt;
    }
  }
  if (!returned_before) return std::nullopt;
  switch (scope.kind) {
    case Scope::Kind::kEntry: return CopyReason::kReturnedTwice;
    case Scope::Kind::kLoopBody: return CopyReason::kLoopState;
    case Scope::Kind::kBranch: return CopyReason::kBranchResult;
    case Scope::Kind::kLoopCondition: break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<CopyRecord> SettleResults(Module& module, const Scope& scope, const ScopeContext& context,
                                      const std::map<int32_t, int>& moved) {
  std::vector<CopyRecord> records;
  if (scope.kind == Scope::Kind::kLoopCondition) return records;
  Dataflow dataflow(module, scope.computation, context);
  InstrId root = module.root(scope.computation);
  std::unordered_set<DefinitionId> returned;
  int32_t leaf_count = analysis::ArrayLeafCount(module.shape(root));
  for (int32_t leaf = 0; leaf < leaf_count; ++leaf) {
    bool stays_in_place = scope.kind == Scope::Kind::kLoopBody &&
                          (context.untouched_state.at(scope.caller)[leaf] || IsFollower(context, scope.caller, leaf));
    if (stays_in_place) continue;
    const analysis::Resolved& result = dataflow.value(root, leaf);
    bool returned_before = !returned.insert(result.definition).second;
    std::optional<CopyReason> reason = Obstacle(module, scope, dataflow, context, result.definition, returned_before);
    auto moves = moved.find(leaf);
    int copies = scope.kind == Scope::Kind::kEntry && moves != moved.end() ? moves->second : 0;
    if (!reason && copies > 0) reason = CopyReason::kDemandedPlace;
    const Definition& definition = dataflow.definition(result.definition);
    for (int copy = 0; reason && copy < std::max(copies, 1); ++copy) {
      CopyRecord record = DescribeResultCopy(module, scope, definition.instruction, *reason, definition.bytes);
      record.copy = CopyResult(module, scope.computation, leaf, *reason);
      records.push_back(std::move(record));
    }
  }
  EraseUnusedForwards(module, scope.computation);
  return records;
}

}  // namespace stead::inplace
