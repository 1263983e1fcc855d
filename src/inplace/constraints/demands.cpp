// Problem. A result must end up in the memory of parameter y, whatever lies there now.
//
//   z = exponential(x)           must lie in y's memory: arcs b -> z    unless "move z" or "save what b reads" is bought
//   b = slice(y), [3:4]
//
// Writing z to y's memory is as good as an update of y, by the op at the head of z's chain of updates in place. If that is a parameter
// itself, or another result is y, then one of the chain's contents must be copied in any case: an arc from the end of the program to the
// parameter says so. To move a result is to copy it when all is done.
//
// Forced in every plan, for the lower bound, is an arc only where nobody else may have y or z copied: a copy for whoever hands it out or
// overwrites it as well, or because it is returned twice, could be the move.
#include "inplace/constraints/demands.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "inplace/memory/byte_layout.h"
#include "inplace/memory/donation.h"

namespace stead::inplace {

using analysis::Dataflow;
using analysis::Definition;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::InstrId;
using ir::Module;
using ir::Opcode;

namespace {

bool IsLoopOrBranch(const Module& module, InstrId id) {
  Opcode opcode = module.instruction(id).opcode;
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

// How a result came to lie where it does.
struct Chain {
  DefinitionId head;
  std::vector<int32_t> ways_out;  // elements that part the result's memory from the head's
  bool is_shared = false;         // some content of it is handed out, copied or overwritten for somebody else too
};

class DemandArcs {
 public:
  DemandArcs(const Module& module, const Dataflow& dataflow, const ScopeContext& context,
             const std::set<int32_t>& moved, ConflictGraph& graph)
      : module_(module),
        dataflow_(dataflow),
        context_(context),
        moved_(moved),
        graph_(graph),
        root_(module.root(module.entry)) {
    for (int32_t leaf = 0; leaf < analysis::ArrayLeafCount(module_.shape(root_)); ++leaf)
      results_[HeadOf(leaf)].push_back(leaf);
  }

  // The result is demanded in the memory of the parameter's content `offered`.
  void Add(int32_t result_leaf, DefinitionId offered) {
    const std::optional<Chain> chain = ChainOf(result_leaf);
    if (!chain || chain->head == offered) return;
    for (int32_t leaf : results_[offered]) MakeRoom(leaf, offered);
    const Definition& made = dataflow_.definition(chain->head);
    if (module_.instruction(made.instruction).opcode == Opcode::kParameter) {
      AddArc(end(), made.node, chain->ways_out, chain->head, {.node = end()}, !chain->is_shared);
    } else if (CanBeDirected(module_, dataflow_, chain->head)) {
      const std::vector<DefinitionUse>& uses = dataflow_.uses(offered);
      const bool is_only_read = std::ranges::all_of(uses, [&](const DefinitionUse& use) { return IsPlainRead(use); });
      const bool is_forced = !chain->is_shared && is_only_read && dataflow_.shared_uses(offered).empty();
      for (const DefinitionUse& use : uses) AddReader(use, offered, *chain, is_forced);
    }
  }

 private:
  int32_t end() const { return dataflow_.node_count(); }

  // The update in place that made the content, if it is one.
  std::optional<PreservingTie> UpdateOf(const Definition& made) const {
    const std::vector<PreservingTie> ties = PreservingTies(module_, dataflow_, made.node, context_);
    auto tie = std::ranges::find(ties, made.leaf, &PreservingTie::result_leaf);
    return tie == ties.end() ? std::nullopt : std::optional(*tie);
  }

  DefinitionId Updated(const Definition& made, const PreservingTie& tie) const {
    return dataflow_.value(module_.operand(made.instruction, static_cast<size_t>(tie.operand)), tie.leaf).definition;
  }

  DefinitionId HeadOf(int32_t leaf) const {
    for (DefinitionId head = dataflow_.value(root_, leaf).definition;;) {
      const Definition& made = dataflow_.definition(head);
      const std::optional<PreservingTie> update = UpdateOf(made);
      if (!update) return head;
      head = Updated(made, *update);
    }
  }

  // None behind loops and branches, whose insides decide.
  std::optional<Chain> ChainOf(int32_t leaf) {
    DefinitionId definition = dataflow_.value(root_, leaf).definition;
    const int32_t move = ElementNumber(MoveOf(leaf, definition));
    SpareAtEnd(leaf, move);
    Chain chain{definition, {move}};
    for (int32_t next = end();;) {
      const Definition& made = dataflow_.definition(chain.head);
      if (IsLoopOrBranch(module_, made.instruction)) return std::nullopt;
      const std::vector<DefinitionUse>& uses = dataflow_.uses(chain.head);
      chain.is_shared = chain.is_shared || !std::ranges::all_of(uses, [&](const DefinitionUse& use) {
                          return (use.node == next && (next != end() || use.leaf == leaf)) || IsPlainRead(use);
                        });
      chain.is_shared = chain.is_shared || !dataflow_.shared_uses(chain.head).empty();
      next = made.node;
      const std::optional<PreservingTie> update = UpdateOf(made);
      if (!update) return chain;
      chain.head = Updated(made, *update);
      const Element copy{Element::Kind::kCopy, made.node, update->operand, update->leaf};
      if (std::optional<int32_t> known = Known(copy)) chain.ways_out.push_back(*known);
    }
  }

  // What overwrites a result that is moved need not wait for the end.
  void SpareAtEnd(int32_t leaf, int32_t move) {
    if (moved_.contains(leaf)) return;
    for (size_t number = 0; number < graph_.causes.size(); ++number) {
      const ArcCause& cause = graph_.causes[number];
      const bool is_result = !cause.read_only && cause.use.node == end() && cause.use.leaf == leaf;
      std::vector<int32_t>& breakers = graph_.problem.arcs[number].breakers;
      if (!is_result || cause.demand != ArcCause::Demand::kNone) continue;
      auto place = std::ranges::lower_bound(breakers, move);
      if (place == breakers.end() || *place != move) breakers.insert(place, move);
    }
  }

  // By an op that keeps nothing of it.
  bool IsPlainRead(const DefinitionUse& use) const {
    if (use.node == end() || IsLoopOrBranch(module_, dataflow_.instruction(use.node))) return false;
    if (module_.instruction(dataflow_.instruction(use.node)).opcode == Opcode::kCopy) return false;
    const std::vector<PreservingTie> ties = PreservingTies(module_, dataflow_, use.node, context_);
    return std::ranges::none_of(ties, [&](const PreservingTie& tie) { return tie.operand == use.operand; });
  }

  // A result that lies in the demanded memory has to leave it.
  void MakeRoom(int32_t leaf, DefinitionId offered) {
    const std::optional<Chain> chain = ChainOf(leaf);
    if (!chain) return;
    AddArc(end(), dataflow_.definition(offered).node, chain->ways_out, offered, {.node = end()}, !chain->is_shared);
  }

  void AddReader(const DefinitionUse& use, DefinitionId offered, const Chain& chain, bool is_forced) {
    // Whoever hands it out makes room.
    if (use.node == end()) return;
    const Definition& made = dataflow_.definition(chain.head);
    if (use.node == made.node && OverwritesFully(module_, dataflow_, made.node, made.leaf, offered)) return;
    std::vector<int32_t> breakers = chain.ways_out;
    if (std::optional<analysis::Region> box = SavedBox(module_, dataflow_, use)) {
      const InstrId operand = module_.operand(dataflow_.instruction(use.node), static_cast<size_t>(use.operand));
      const int64_t bytes = BoxBytes(module_.shape(operand), *box);
      breakers.push_back(
          ElementNumber({Element::Kind::kSave, use.node, use.operand, use.leaf, offered, std::move(*box), bytes}));
    }
    AddArc(use.node == made.node ? end() : use.node, made.node, std::move(breakers), offered, use, is_forced);
  }

  void AddArc(int32_t before, int32_t after, std::vector<int32_t> breakers, DefinitionId definition,
              const DefinitionUse& use, bool is_forced) {
    const bool is_spared = std::ranges::any_of(breakers, [&](int32_t number) {
      const Element& element = graph_.elements[static_cast<size_t>(number)];
      return element.kind == Element::Kind::kMove && moved_.contains(element.leaf);
    });
    if (is_spared) return;
    std::ranges::sort(breakers);
    graph_.problem.arcs.push_back({before, after, std::move(breakers)});
    graph_.causes.push_back({.definition = definition,
                             .use = use,
                             .demand = is_forced ? ArcCause::Demand::kForced : ArcCause::Demand::kOfPlan});
  }

  Element MoveOf(int32_t leaf, DefinitionId definition) const {
    return {Element::Kind::kMove, end(), 0, leaf, definition, {}, dataflow_.definition(definition).bytes};
  }

  std::optional<int32_t> Known(const Element& wanted) const {
    auto is_same = [&](const Element& element) {
      return element.kind == wanted.kind && element.node == wanted.node && element.operand == wanted.operand &&
             element.leaf == wanted.leaf;
    };
    auto found = std::ranges::find_if(graph_.elements, is_same);
    if (found == graph_.elements.end()) return std::nullopt;
    return static_cast<int32_t>(found - graph_.elements.begin());
  }

  int32_t ElementNumber(Element element) {
    if (std::optional<int32_t> known = Known(element)) return *known;
    graph_.problem.weights.push_back(element.bytes);
    graph_.elements.push_back(std::move(element));
    return static_cast<int32_t>(graph_.elements.size()) - 1;
  }

  const Module& module_;
  const Dataflow& dataflow_;
  const ScopeContext& context_;
  const std::set<int32_t>& moved_;
  ConflictGraph& graph_;
  InstrId root_;
  std::map<DefinitionId, std::vector<int32_t>> results_;  // by their heads
};

// Per result that a must-alias names: where the parameter's content is that lies in the demanded memory.
struct Demand {
  int32_t result_leaf = 0;
  DefinitionId offered;
};

std::vector<Demand> DemandsOf(const Module& module, const Dataflow& dataflow) {
  std::vector<Demand> demands;
  const ir::Computation& entry = module.entry_computation();
  for (const ir::InputOutputAlias& alias : module.input_output_aliases) {
    if (!alias.must) continue;
    const InstrId parameter = entry.parameters.at(alias.parameter);
    const int32_t leaf = analysis::ArrayLeafNumber(module.shape(parameter), alias.parameter_index);
    demands.push_back({analysis::ArrayLeafNumber(module.shape(entry.root), alias.output_index),
                       dataflow.value(parameter, leaf).definition});
  }
  return demands;
}

}  // namespace

void AddDemands(const Module& module, const Dataflow& dataflow, const ScopeContext& context,
                const std::set<int32_t>& moved, ConflictGraph& graph) {
  const std::vector<Demand> demands = DemandsOf(module, dataflow);
  if (demands.empty()) return;
  DemandArcs arcs(module, dataflow, context, moved, graph);
  for (const Demand& demand : demands) arcs.Add(demand.result_leaf, demand.offered);
}

int64_t SetAsideBytes(const Module& module, const Dataflow& dataflow) {
  std::map<DefinitionId, DefinitionId> next;  // the content whose place a content takes
  for (const Demand& demand : DemandsOf(module, dataflow)) {
    const DefinitionId content = dataflow.value(module.root(module.entry), demand.result_leaf).definition;
    const InstrId made = dataflow.definition(content).instruction;
    const bool is_kept = module.instruction(made).opcode == Opcode::kParameter && dataflow.uses(content).size() == 1;
    if (is_kept && content != demand.offered) next[content] = demand.offered;
  }
  int64_t bytes = 0;
  for (const auto& [first, second] : next) {
    DefinitionId at = second;
    bool is_least = true;
    for (size_t step = 0; step < next.size() && at != first && next.contains(at); ++step) {
      is_least = is_least && first < at;
      at = next.at(at);
    }
    if (at == first && is_least) bytes += dataflow.definition(first).bytes;
  }
  return bytes;
}

}  // namespace stead::inplace
