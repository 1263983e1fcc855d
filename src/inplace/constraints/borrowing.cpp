// Loops that start from an array which somebody else keeps.
//
//   last = while(x), body (a): ROOT add(a, a)         x: a parameter that the caller did not donate
//
// A loop overwrites its state, so x would be copied first. But the body only reads a, and makes the next state whole: the first
// iteration may read x itself and write into a buffer of the loop's own; from then on that buffer is the state, overwritten
// in place. The state's pointer is then a variable that starts at x and follows the buffer (assignment.cpp). That takes the
// memory that the copy would have taken, and moves nothing.
//
// A leaf may borrow if
//   - the body overwrites no part of it (a window update keeps bytes that would have to be there), except through a loop inside
//     that may borrow as well,
//   - the body hands it on in no other leaf, where x's pointer would live on,
//   - the loop runs at least once, so that its result is not x.
#include "inplace/constraints/borrowing.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "analysis/trip_count.h"
#include "inplace/memory/donation.h"

namespace stead::inplace {

using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::InstrId;
using ir::Module;
using ir::Opcode;

namespace {

struct StateLeaf {
  InstrId loop;
  int32_t leaf = 0;
};

// The loops that overwrite the content, if all of its preserving writers are loops that may borrow it.
std::optional<std::vector<StateLeaf>> Borrowers(const Module& module, const Dataflow& dataflow, DefinitionId content,
                                                const ScopeContext& context) {
  std::vector<StateLeaf> borrowers;
  for (const DefinitionUse& use : dataflow.uses(content)) {
    if (use.node == dataflow.node_count()) continue;
    for (const PreservingTie& tie : PreservingTies(module, dataflow, use.node, context)) {
      if (tie.operand != use.operand || tie.leaf != use.leaf) continue;
      InstrId id = dataflow.instruction(use.node);
      auto inner = context.borrowing.find(id);
      if (inner == context.borrowing.end() || !inner->second.possible[tie.leaf]) return std::nullopt;
      borrowers.push_back({id, tie.leaf});
    }
  }
  return borrowers;
}

DefinitionId StateContent(const Module& module, const Dataflow& body, InstrId loop, int32_t leaf) {
  return body.value(module.computation(module.instruction(loop).called[1]).parameters.at(0), leaf).definition;
}

// What pointers lead to, and is overwritten there.
std::unordered_set<DefinitionId> WrittenThroughPointers(const Module& module, const Dataflow& body,
                                                        const ScopeContext& context) {
  std::unordered_set<DefinitionId> written;
  if (!body.has_pointers()) return written;
  Families families(module, body, context);
  for (int32_t node = 0; node < body.node_count(); ++node) {
    for (const PreservingTie& tie : PreservingTies(module, body, node, context)) {
      DefinitionId target = body.value(module.operand(body.instruction(node), tie.operand), tie.leaf).definition;
      for (DefinitionId host : body.hosts(families.Head(target))) written.insert(host);
    }
  }
  return written;
}

std::vector<bool> PossibleLeaves(const Module& module, InstrId loop, const ScopeContext& context) {
  const std::vector<bool>& untouched = context.untouched_state.at(loop);
  std::vector<bool> possible(untouched.size(), false);
  if (analysis::TripCount(module, loop).value_or(0) < 1) return possible;
  Dataflow body(module, module.instruction(loop).called[1], context);
  const std::unordered_set<DefinitionId> written = WrittenThroughPointers(module, body, context);
  for (size_t leaf = 0; leaf < untouched.size(); ++leaf) {
    DefinitionId content = StateContent(module, body, loop, static_cast<int32_t>(leaf));
    bool is_handed_on = body.LastUse(content) >= body.node_count();
    bool is_follower = IsFollower(context, loop, static_cast<int32_t>(leaf));
    possible[leaf] = !untouched[leaf] && !is_follower && !is_handed_on && !written.contains(content) &&
                     Borrowers(module, body, content, context).has_value();
  }
  return possible;
}

}  // namespace

void FindBorrowing(const Module& module, const Scope& scope, ScopeContext& context) {
  for (InstrId id : module.computation(scope.computation).instructions) {
    if (module.instruction(id).opcode != Opcode::kWhile) continue;
    std::vector<bool> possible = PossibleLeaves(module, id, context);
    std::vector<bool> used(possible.size(), false);
    context.borrowing[id] = {std::move(possible), std::move(used)};
  }
}

namespace {

// A copy for a writer that would keep the loop from borrowing what it writes.
bool SparesState(const Module& module, const Dataflow& dataflow, const ScopeContext& context, const Element& element) {
  InstrId made = dataflow.definition(element.definition).instruction;
  if (element.kind != Element::Kind::kCopy || module.instruction(made).opcode != Opcode::kParameter) return false;
  auto loop = context.borrowing.find(dataflow.instruction(element.node));
  return loop == context.borrowing.end() || !loop->second.possible[element.leaf];
}

// The solution with one element exchanged; none when that solves nothing.
std::optional<std::vector<int32_t>> Exchanged(const HittingProblem& problem, const HittingSolution& solution,
                                              int32_t without, int32_t with) {
  std::vector<int32_t> bought = solution.bought;
  std::erase(bought, without);
  bought.insert(std::ranges::lower_bound(bought, with), with);
  bool hits_all = std::ranges::all_of(solution.cycles, [&](const OrderCycle& cycle) {
    return std::ranges::any_of(cycle.breakers,
                               [&](int32_t breaker) { return std::ranges::binary_search(bought, breaker); });
  });
  if (!hits_all || !IsOrderable(problem, bought)) return std::nullopt;
  return bought;
}

}  // namespace

void SpareState(const Module& module, const Scope& scope, const Dataflow& dataflow, const ScopeContext& context,
                const ConflictGraph& graph, HittingSolution& solution) {
  if (scope.kind != Scope::Kind::kLoopBody) return;
  std::vector<int32_t> sparing;
  for (int32_t element = 0; element < static_cast<int32_t>(graph.elements.size()); ++element) {
    if (SparesState(module, dataflow, context, graph.elements[element])) sparing.push_back(element);
  }
  const std::vector<int32_t> bought = solution.bought;
  for (int32_t without : bought) {
    if (std::ranges::binary_search(sparing, without)) continue;
    for (int32_t with : sparing) {
      bool is_new = !std::ranges::binary_search(solution.bought, with);
      if (!is_new || graph.problem.weights[with] != graph.problem.weights[without]) continue;
      if (auto exchanged = Exchanged(graph.problem, solution, without, with)) {
        solution.bought = std::move(*exchanged);
        break;
      }
    }
  }
}

void Borrow(const Module& module, InstrId loop, int32_t leaf, ScopeContext& context) {
  context.borrowing.at(loop).used[leaf] = true;
  Dataflow body(module, module.instruction(loop).called[1], context);
  std::optional<std::vector<StateLeaf>> inner =
      Borrowers(module, body, StateContent(module, body, loop, leaf), context);
  STEAD_CHECK(inner.has_value(), module.instruction(loop).name);
  for (const StateLeaf& borrower : *inner) Borrow(module, borrower.loop, borrower.leaf, context);
}

}  // namespace stead::inplace
