#include "inplace/constraints/results.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "inplace/constraints/pointers.h"
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
  // Where a pointer leads is not known well enough to hand its memory on from inside.
  bool is_unclear = scope.kind != Scope::Kind::kEntry && dataflow.is_pointer(definition);
  if (is_unclear || !IsWritable(module, scope, dataflow, context, definition)) {
    switch (scope.kind) {
      case Scope::Kind::kEntry: return KeptReason(module, dataflow, definition);
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

// The result is found where it lies: nothing has to be its own.
bool StaysInPlace(const Module& module, const Scope& scope, const Dataflow& dataflow, const ScopeContext& context,
                  int32_t leaf) {
  const analysis::Resolved& result = dataflow.value(module.root(scope.computation), leaf);
  if (scope.kind == Scope::Kind::kBranch) return IsPointerResult(context, scope.caller, leaf);
  if (scope.kind != Scope::Kind::kLoopBody) return false;
  if (context.untouched_state.at(scope.caller)[leaf] || IsFollower(context, scope.caller, leaf)) return true;
  const ir::Instruction& made = module.instruction(dataflow.definition(result.definition).instruction);
  return IsPointerState(context, scope.caller, leaf) && (HandedOnLeaf(module, dataflow, context, scope.caller, leaf) ||
                                                         (made.opcode == Opcode::kConstant && !IsImmediate(made)));
}

// The leaves of a loop's state that lie in this one's memory once the body has run.
std::vector<int32_t> FollowersOf(const Scope& scope, const ScopeContext& context, int32_t leaf) {
  std::vector<int32_t> followers;
  auto leaders = context.leaders.find(scope.caller);
  if (scope.kind != Scope::Kind::kLoopBody || leaders == context.leaders.end()) return followers;
  for (size_t other = 0; other < leaders->second.size(); ++other) {
    if (leaders->second[other] == leaf) followers.push_back(static_cast<int32_t>(other));
  }
  return followers;
}

}  // namespace

std::vector<CopyRecord> SettleResults(Module& module, const Scope& scope, const Dataflow& dataflow,
                                      const ScopeContext& context, const std::map<int32_t, int>& moved) {
  std::vector<CopyRecord> records;
  if (scope.kind == Scope::Kind::kLoopCondition) return records;
  InstrId root = module.root(scope.computation);
  std::unordered_set<DefinitionId> returned;
  int32_t leaf_count = analysis::ArrayLeafCount(module.shape(root));
  std::vector<bool> stays_in_place;
  for (int32_t leaf = 0; leaf < leaf_count; ++leaf)
    stays_in_place.push_back(StaysInPlace(module, scope, dataflow, context, leaf));
  for (int32_t leaf = 0; leaf < leaf_count; ++leaf) {
    if (stays_in_place[static_cast<size_t>(leaf)]) continue;
    const analysis::Resolved& result = dataflow.value(root, leaf);
    auto shares = [&](DefinitionId other) { return dataflow.MayShareBytes(result.definition, other); };
    bool returned_before =
        returned.contains(result.definition) || (dataflow.has_pointers() && std::ranges::any_of(returned, shares));
    std::optional<CopyReason> reason = Obstacle(module, scope, dataflow, context, result.definition, returned_before);
    auto moves = moved.find(leaf);
    int copies = scope.kind == Scope::Kind::kEntry && moves != moved.end() ? moves->second : 0;
    if (!reason && copies > 0) reason = CopyReason::kDemandedPlace;
    if (!reason) returned.insert(result.definition);
    const Definition& definition = dataflow.definition(result.definition);
    for (int copy = 0; reason && copy < std::max(copies, 1); ++copy) {
      CopyRecord record = DescribeResultCopy(module, scope, definition.instruction, *reason, definition.bytes);
      record.copy = CopyResult(module, scope.computation, leaf, *reason);
      for (int32_t follower : FollowersOf(scope, context, leaf))
        ReplaceResult(module, scope.computation, follower, record.copy);
      records.push_back(std::move(record));
    }
  }
  EraseUnusedForwards(module, scope.computation);
  return records;
}

}  // namespace stead::inplace
