// Readers first, where a result could then be built in the buffer that it is handed over in.
//
//   body (a, b): sum = add(a, ...); more = add(b, a); ROOT (sum, more)
//
// If `more` runs first, `sum` may overwrite a. Nothing forces that; the other order costs a spare buffer that changes places
// with a's at each iteration. So for each pair of a given-away array and the result that should take its buffer, edges lead from
// the array's readers to the op that makes the result:
//   entry       a donated parameter and the result that is declared to be its alias,
//   loop body   a leaf of the state and the same leaf of the next state,
//   branch      an operand that some branch hands over as a result, and this branch's value for that result.
// Where edges and pairs contradict each other, the pairs of the fewest bytes are given up: each is an element that breaks its
// own edges, and hitting.h finds the cheapest elements.
#include "inplace/order/preference.h"

#include <algorithm>
#include <unordered_set>

#include "inplace/memory/donation.h"

namespace stead::inplace {

using analysis::ArrayLeafNumber;
using analysis::Dataflow;
using analysis::Definition;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::InstrId;
using ir::Module;

namespace {

// Better pairs than the greedy ones are not worth a long search.
constexpr int64_t kPreferenceSearchBudget = 1000;
// How much more than its bytes an alias that the module demands is worth.
constexpr int64_t kDemandedWeight = 1 << 16;

// The result content `head` should be built in the buffer of `offered`.
struct WantedPlace {
  DefinitionId offered;
  DefinitionId head;
  int64_t weight = 0;
};

class Wanted {
 public:
  Wanted(const Module& module, const Scope& scope, const Dataflow& dataflow, const Families& families)
      : module_(module), dataflow_(dataflow), families_(families), root_(module.root(scope.computation)) {}

  void Add(InstrId parameter, int32_t parameter_leaf, int32_t result_leaf, bool demanded = false) {
    DefinitionId offered = dataflow_.value(parameter, parameter_leaf).definition;
    DefinitionId head = families_.Head(dataflow_.value(root_, result_leaf).definition);
    const Definition& made = dataflow_.definition(head);
    // What an update makes of the array usually stays in its buffer; where the module demands the buffer, that is moved out first.
    bool is_written = families_.Writer(offered) <= dataflow_.node_count();
    bool is_used = families_.LastUse(offered) >= dataflow_.node_count() || (is_written && !demanded);
    if (is_used || !CanBeDirected(module_, dataflow_, head)) return;
    if (dataflow_.definition(offered).bytes != made.bytes) return;
    bool reads_it =
        std::ranges::any_of(dataflow_.uses(offered), [&](const DefinitionUse& use) { return use.node == made.node; });
    if (reads_it && !OverwritesFully(module_, dataflow_, made.node, made.leaf, offered)) return;
    places_.push_back({offered, head, demanded ? SaturatingProduct(made.bytes, kDemandedWeight) : made.bytes});
  }

  const std::vector<WantedPlace>& places() const { return places_; }

 private:
  const Module& module_;
  const Dataflow& dataflow_;
  const Families& families_;
  InstrId root_;
  std::vector<WantedPlace> places_;
};

void AddDeclared(const Module& module, Wanted& wanted) {
  const ir::Computation& entry = module.entry_computation();
  for (const ir::InputOutputAlias& alias : module.input_output_aliases) {
    InstrId parameter = entry.parameters.at(alias.parameter);
    wanted.Add(parameter, ArrayLeafNumber(module.shape(parameter), alias.parameter_index),
               ArrayLeafNumber(module.shape(entry.root), alias.output_index), alias.must);
  }
}

void AddState(const Module& module, const Scope& scope, const ScopeContext& context, Wanted& wanted) {
  InstrId parameter = module.computation(scope.computation).parameters.at(0);
  const std::vector<bool>& untouched = context.untouched_state.at(scope.caller);
  for (int32_t leaf = 0; leaf < static_cast<int32_t>(untouched.size()); ++leaf) {
    if (!untouched[leaf] && !IsFollower(context, scope.caller, leaf)) wanted.Add(parameter, leaf, leaf);
  }
}

void AddHomes(const Module& module, const Scope& scope, const ScopeContext& context, Wanted& wanted) {
  InstrId parameter = module.computation(scope.computation).parameters.at(0);
  const std::vector<std::optional<int32_t>>& homes = context.branches.at(scope.caller).own_homes.at(scope.branch);
  for (size_t result = 0; result < homes.size(); ++result) {
    if (homes[result]) wanted.Add(parameter, *homes[result], static_cast<int32_t>(result));
  }
}

}  // namespace

Preference PreferReaders(const Module& module, const Scope& scope, const Dataflow& dataflow,
                         const ScopeContext& context, const std::vector<OrderEdge>& edges) {
  Families families(module, dataflow, context);
  Wanted wanted(module, scope, dataflow, families);
  switch (scope.kind) {
    case Scope::Kind::kEntry: AddDeclared(module, wanted); break;
    case Scope::Kind::kLoopBody: AddState(module, scope, context, wanted); break;
    case Scope::Kind::kBranch: AddHomes(module, scope, context, wanted); break;
    case Scope::Kind::kLoopCondition: break;
  }
  HittingProblem problem{.node_count = dataflow.node_count() + 1, .edges = edges};
  for (const WantedPlace& place : wanted.places()) {
    const int32_t pair = static_cast<int32_t>(problem.weights.size());
    const Definition& made = dataflow.definition(place.head);
    problem.weights.push_back(place.weight);
    std::unordered_set<int32_t> readers;
    auto add_readers = [&](DefinitionId content) {
      for (const DefinitionUse& use : dataflow.uses(content)) {
        if (use.node != made.node && readers.insert(use.node).second)
          problem.arcs.push_back({use.node, made.node, {pair}});
      }
    };
    add_readers(place.offered);
    bool is_written = families.Writer(place.offered) <= dataflow.node_count();
    for (size_t number = 0; is_written && number < dataflow.definition_count(); ++number) {
      DefinitionId content(number);
      if (content != place.offered && families.Head(content) == place.offered) add_readers(content);
    }
  }
  Preference preference;
  HittingSolution given_up;
  if (!problem.arcs.empty()) given_up = SolveHitting(problem, kPreferenceSearchBudget);
  auto holds = [&](int32_t pair) { return !std::ranges::binary_search(given_up.bought, pair); };
  for (const Arc& arc : problem.arcs) {
    if (holds(arc.breakers.front())) preference.edges.push_back({arc.before, arc.after});
  }
  for (size_t pair = 0; pair < wanted.places().size(); ++pair) {
    if (holds(static_cast<int32_t>(pair))) preference.placed.push_back(wanted.places()[pair].head);
  }
  return preference;
}

}  // namespace stead::inplace
