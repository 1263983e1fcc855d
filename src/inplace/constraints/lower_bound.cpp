// Which conflicts no plan avoids.
//
// An arc "reader before writer" is forced when both ends are:
//   the write   the op itself overwrites the content; or the loop or branch does, by such an op on its own parameter, and had to copy
//               nothing inside (a copy inside, at least as many bytes, could spare the one outside: which of the equally cheap
//               copies inside is best outside is not looked for); or what the loop hands out is the initial value itself, and the
//               caller gets it as a result of his own;
//   the read    an op reads the content whole, or known bytes of it. A loop or branch that is only handed it may never look at it,
//               or at a part.
// One copy before or after a conditional may serve several of its branches; but of what those copy only the dearest counts anyway.
// The least cost of breaking the forced arcs alone is a bound for all plans: fewer arcs never cost more. The plan is exact where it
// copies no more than that.
#include "inplace/constraints/lower_bound.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/trip_count.h"
#include "inplace/constraints/branches.h"

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

// Loops that run longer are not followed step by step.
constexpr int64_t kMostSteps = 1000;

bool IsResultOf(const Dataflow& dataflow, DefinitionId definition) {
  return dataflow.LastUse(definition) == dataflow.node_count();
}

// Per result of a loop: the initial value that it is, when nothing but pointers moved.
std::vector<std::optional<int32_t>> InitialLeavesOf(const Module& module, InstrId loop, const ScopeContext& context) {
  std::vector<std::optional<int32_t>> leaves(static_cast<size_t>(ArrayLeafCount(module.shape(loop))));
  const std::optional<int64_t> trips = analysis::TripCount(module, loop);
  if (trips && *trips > kMostSteps) return leaves;
  // With no iteration at all a result is its own initial value.
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) leaves[leaf] = static_cast<int32_t>(leaf);
  if (trips.value_or(0) == 0) return leaves;
  const ComputationId body = module.instruction(loop).called[1];
  const Dataflow dataflow(module, body, context);
  const InstrId parameter = module.computation(body).parameters.at(0);
  for (std::optional<int32_t>& leaf : leaves) {
    for (int64_t step = 0; step < *trips && leaf; ++step) {
      const analysis::Resolved& next = dataflow.value(module.root(body), *leaf);
      const analysis::Definition& made = dataflow.definition(next.definition);
      leaf = made.instruction == parameter && next.box.whole ? std::optional(made.leaf) : std::nullopt;
    }
  }
  return leaves;
}

}  // namespace

LowerBound::LowerBound(const Module& module, const std::vector<Scope>& scopes, ScopeContext& context)
    : module_(module), context_(context) {
  for (const Scope& scope : scopes) scopes_[scope.computation] = &scope;
}

void LowerBound::AddConflicts(const Scope& scope, const Dataflow& dataflow, const ConflictGraph& graph,
                              const HittingSolution& solution, int64_t search_budget) {
  std::unordered_set<DefinitionId> owned;
  if (scope.kind == Scope::Kind::kEntry) owned = AddBranchResults(dataflow);
  int64_t& own = own_bytes_[scope.computation];
  own = SaturatingSum(own, OfConflicts(scope, dataflow, graph, solution, owned, search_budget));
}

void LowerBound::AddCopy(const Scope& scope, int64_t bytes) {
  int64_t& own = own_bytes_[scope.computation];
  own = SaturatingSum(own, SaturatingProduct(bytes, scope.executions));
}

int64_t LowerBound::Total() const { return DearestPath(module_, own_bytes_); }

int64_t LowerBound::OfConflicts(const Scope& scope, const Dataflow& dataflow, const ConflictGraph& graph,
                                const HittingSolution& solution, const std::unordered_set<DefinitionId>& owned,
                                int64_t search_budget) const {
  if (solution.cost == 0) return 0;
  HittingProblem forced = graph.problem;
  for (size_t number = 0; number < graph.elements.size(); ++number) {
    if (owned.contains(graph.elements[number].definition)) forced.weights[number] = 0;
  }
  forced.arcs.clear();
  for (size_t number = 0; number < graph.causes.size(); ++number) {
    const Arc& arc = graph.problem.arcs[number];
    if (IsForced(dataflow, scope, graph.causes[number], arc.after)) forced.arcs.push_back(arc);
  }
  if (owned.empty() && forced.arcs.size() == graph.problem.arcs.size()) return solution.lower_bound;
  return SolveHitting(forced, search_budget).lower_bound;
}

bool LowerBound::IsForced(const Dataflow& dataflow, const Scope& scope, const ArcCause& cause, int32_t writer) const {
  if (cause.demand != ArcCause::Demand::kNone) return cause.demand == ArcCause::Demand::kForced;
  if (!IsForcedWrite(dataflow, scope, dataflow.instruction(writer), cause.tie)) return false;
  if (cause.read_only)
    return IsKept(dataflow, scope, cause.definition) || IsReadAfterwards(dataflow, scope, cause.definition);
  // Handing the initial value out overwrites nothing: only who hands it out as well is in the way.
  bool is_handed_out_too = cause.use.node == dataflow.node_count() ||
                           (module_.instruction(dataflow.instruction(cause.use.node)).opcode == Opcode::kWhile &&
                            IsReturned(dataflow, scope, dataflow.instruction(cause.use.node), cause.use.leaf));
  if (!cause.tie.is_forced && !is_handed_out_too) return false;
  // A branch that leaves these bytes alone would leave them where they are if its buffers did not change places.
  bool is_op = cause.use.node < dataflow.node_count();
  if (is_op && cause.tie.updated && Disjoint(cause.use.bytes, *cause.tie.updated)) return false;
  return IsForcedRead(dataflow, scope, cause.use, writer, cause.tie);
}

// Content that is not the scope's to overwrite is not the program's either, or is needed again for sure.
bool LowerBound::IsKept(const Dataflow& dataflow, const Scope& scope, DefinitionId definition) const {
  const analysis::Definition& made = dataflow.definition(definition);
  if (IsWritable(module_, scope, dataflow, context_, definition)) return false;
  if (module_.instruction(made.instruction).opcode != Opcode::kParameter) return true;
  if (scope.kind == Scope::Kind::kEntry) return true;
  // State that a loop hands on as it is: the next iteration finds it, if there is one.
  if (scope.kind != Scope::Kind::kBranch) return analysis::TripCount(module_, scope.caller) != 1;
  const Scope& outer = *scopes_.at(module_.instruction(scope.caller).computation);
  Dataflow outside(module_, outer.computation, context_);
  InstrId operand = module_.operand(scope.caller, static_cast<size_t>(scope.branch) + 1);
  DefinitionId given = outside.value(operand, made.leaf).definition;
  if (outer.kind == Scope::Kind::kEntry && IsResultOf(outside, given)) return true;
  return IsKept(outside, outer, given);
}

// An op reads what the branch was given once the conditional has run: each branch that overwrites it needs one more array, whoever
// makes the copy.
bool LowerBound::IsReadAfterwards(const Dataflow& dataflow, const Scope& scope, DefinitionId definition) const {
  if (scope.kind != Scope::Kind::kBranch) return false;
  const analysis::Definition& made = dataflow.definition(definition);
  if (module_.instruction(made.instruction).opcode != Opcode::kParameter) return false;
  const Scope& outer = *scopes_.at(module_.instruction(scope.caller).computation);
  Dataflow outside(module_, outer.computation, context_);
  InstrId operand = module_.operand(scope.caller, static_cast<size_t>(scope.branch) + 1);
  DefinitionId given = outside.value(operand, made.leaf).definition;
  const std::vector<bool> after = NodesAfter(module_, outside, outside.node(scope.caller));
  bool is_read = std::ranges::any_of(outside.uses(given), [&](const DefinitionUse& use) {
    if (use.node == outside.node_count() || !after[static_cast<size_t>(use.node)]) return false;
    Opcode opcode = module_.instruction(outside.instruction(use.node)).opcode;
    bool is_op = opcode != Opcode::kWhile && opcode != Opcode::kConditional && opcode != Opcode::kCopy;
    return is_op && use.bytes.whole;
  });
  return is_read || IsReadAfterwards(outside, outer, given);
}

bool LowerBound::IsForcedWrite(const Dataflow& dataflow, const Scope& scope, InstrId writer,
                               const PreservingTie& tie) const {
  const Instruction& instruction = module_.instruction(writer);
  return tie.is_forced || (instruction.opcode == Opcode::kWhile && IsReturned(dataflow, scope, writer, tie.leaf));
}

// The loop hands out its initial value itself, and it leaves the program.
bool LowerBound::IsReturned(const Dataflow& dataflow, const Scope& scope, InstrId loop, int32_t initial) const {
  if (scope.kind != Scope::Kind::kEntry) return false;
  const auto [leaves, is_new] = initial_leaves_.try_emplace(loop);
  if (is_new) leaves->second = InitialLeavesOf(module_, loop, context_);
  for (int32_t result = 0; result < static_cast<int32_t>(leaves->second.size()); ++result) {
    const bool is_initial = leaves->second[static_cast<size_t>(result)] == initial;
    if (is_initial && IsResultOf(dataflow, dataflow.value(loop, result).definition)) return true;
  }
  return false;
}

bool LowerBound::IsForcedRead(const Dataflow& dataflow, const Scope& scope, const DefinitionUse& use, int32_t writer,
                              const PreservingTie& tie) const {
  if (use.node == dataflow.node_count()) return IsResultNeeded(scope, use.leaf);
  InstrId id = dataflow.instruction(use.node);
  const Instruction& reader = module_.instruction(id);
  if (reader.opcode == Opcode::kWhile) {
    bool is_returned = IsReturned(dataflow, scope, id, use.leaf);
    // A loop may have read one leaf before it overwrites another; and if it runs not even once, it overwrites none.
    if (use.node == writer) {
      bool is_written = context_.forced_parameters.at(reader.called[1])[static_cast<size_t>(use.leaf)];
      // Two ops that each overwrite it where it is.
      if (is_written && tie.is_forced) return true;
      bool runs = analysis::TripCount(module_, id).value_or(0) > 0;
      return is_returned && (runs || IsReturned(dataflow, scope, id, tie.leaf));
    }
    if (is_returned) return true;
    return IsReadInside(reader.called[0], use.leaf) || IsReadInside(reader.called[1], use.leaf);
  }
  if (reader.opcode != Opcode::kConditional || use.operand == 0) return true;
  return IsReadInside(reader.called[static_cast<size_t>(use.operand) - 1], use.leaf);
}

// An op reads all of the parameter's leaf.
bool LowerBound::IsReadInside(ComputationId computation, int32_t leaf) const {
  Dataflow dataflow(module_, computation, context_);
  InstrId parameter = module_.computation(computation).parameters.at(0);
  return IsRead(dataflow, *scopes_.at(computation), dataflow.value(parameter, leaf).definition);
}

bool LowerBound::IsRead(const Dataflow& dataflow, const Scope& scope, DefinitionId definition) const {
  return std::ranges::any_of(dataflow.uses(definition), [&](const DefinitionUse& use) {
    if (use.node == dataflow.node_count()) return scope.kind == Scope::Kind::kEntry;
    // A copy may be one that other plans do not make.
    Opcode opcode = module_.instruction(dataflow.instruction(use.node)).opcode;
    bool is_op = opcode != Opcode::kWhile && opcode != Opcode::kConditional && opcode != Opcode::kCopy;
    return is_op && use.bytes.whole;
  });
}

// Whoever called the scope reads all of the result.
bool LowerBound::IsResultNeeded(const Scope& scope, int32_t leaf) const {
  if (scope.kind == Scope::Kind::kEntry) return true;
  if (scope.kind == Scope::Kind::kLoopCondition) return false;
  if (scope.kind == Scope::Kind::kLoopBody && IsReadInside(scope.computation, leaf)) return true;
  const Scope& outer = *scopes_.at(module_.instruction(scope.caller).computation);
  Dataflow dataflow(module_, outer.computation, context_);
  DefinitionId result = dataflow.value(scope.caller, leaf).definition;
  if (dataflow.definition(result).instruction != scope.caller) return false;
  return IsRead(dataflow, outer, result);
}

// RETURNS the results that are counted because an op overwrites them: a copy for that op would do instead, and is not counted again.
std::unordered_set<DefinitionId> LowerBound::AddBranchResults(const Dataflow& entry) {
  std::unordered_set<DefinitionId> overwritten;
  for (int32_t node = 0; node < entry.node_count(); ++node) {
    InstrId id = entry.instruction(node);
    const Instruction& conditional = module_.instruction(id);
    if (conditional.opcode != Opcode::kConditional) continue;
    for (int32_t leaf = 0; leaf < ArrayLeafCount(conditional.shape); ++leaf) {
      DefinitionId result = entry.value(id, leaf).definition;
      if (!IsOwned(entry, result)) continue;
      bool is_counted = false;
      for (size_t branch = 0; branch < conditional.called.size(); ++branch)
        is_counted = AddBranchResult(entry, id, branch, leaf) || is_counted;
      if (is_counted && !IsResultOf(entry, result)) overwritten.insert(result);
    }
  }
  return overwritten;
}

// The content leaves the program, or an op overwrites it where it is.
bool LowerBound::IsOwned(const Dataflow& dataflow, DefinitionId definition) const {
  return std::ranges::any_of(dataflow.uses(definition), [&](const DefinitionUse& use) {
    if (use.node == dataflow.node_count()) return true;
    return std::ranges::any_of(PreservingTies(module_, dataflow, use.node, context_), [&](const PreservingTie& tie) {
      return tie.is_forced && tie.operand == use.operand && tie.leaf == use.leaf;
    });
  });
}

// Counts the result that the branch copies at its end, because the array is kept or is returned in another result too. RETURNS whether
// there is one.
bool LowerBound::AddBranchResult(const Dataflow& entry, InstrId conditional, size_t branch, int32_t leaf) {
  const Scope& scope = *scopes_.at(module_.instruction(conditional).called[branch]);
  Dataflow dataflow(module_, scope.computation, context_);
  InstrId root = module_.root(scope.computation);
  const analysis::Definition& copy = dataflow.definition(dataflow.value(root, leaf).definition);
  const Instruction& made = module_.instruction(copy.instruction);
  if (made.opcode != Opcode::kCopy || made.As<ir::CopyAttributes>().reason != ir::CopyReason::kBranchResult)
    return false;
  DefinitionId copied = dataflow.value(made.operands[0], 0).definition;
  bool is_forced = IsKept(dataflow, scope, copied);
  for (int32_t other = 0; other < ArrayLeafCount(module_.shape(root)); ++other) {
    bool is_same = other != leaf && dataflow.value(root, other).definition == copied;
    is_forced = is_forced || (is_same && IsOwned(entry, entry.value(conditional, other).definition));
  }
  if (is_forced) AddCopy(scope, copy.bytes);
  return is_forced;
}

void LowerBound::NoteForcedParameters(const Scope& scope, const Dataflow& dataflow, bool copies_nothing) {
  if (scope.kind != Scope::Kind::kLoopBody && scope.kind != Scope::Kind::kBranch) return;
  InstrId parameter = module_.computation(scope.computation).parameters.at(0);
  std::vector<bool> forced(ArrayLeafCount(module_.shape(parameter)), false);
  // What never runs overwrites nothing.
  copies_nothing = copies_nothing && scope.executions > 0;
  for (int32_t node = 0; copies_nothing && node < dataflow.node_count(); ++node) {
    for (const PreservingTie& tie : PreservingTies(module_, dataflow, node, context_)) {
      InstrId operand = module_.operand(dataflow.instruction(node), static_cast<size_t>(tie.operand));
      const analysis::Definition& made = dataflow.definition(dataflow.value(operand, tie.leaf).definition);
      if (tie.is_forced && made.instruction == parameter) forced[made.leaf] = true;
    }
  }
  context_.forced_parameters[scope.computation] = std::move(forced);
}

}  // namespace stead::inplace
