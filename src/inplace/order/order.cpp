// Choosing an order.
//
// All orders that respect the edges are free of further copies; they differ in how much memory is live at once. Three
// candidates are made and the one with the lowest peak is taken, the first when equal:
//   given order   the program's own, bent only where an edge demands it;
//   greedy order  among the ready ops, the one that frees most and allocates least;
//   searched order  the best continuation of the `width` best beginnings, step by step. What is live after a beginning depends
//                 only on the set of ops in it, so of two beginnings with the same set the one with the lower peak is kept; where
//                 there are never more sets than `width`, the result is the optimum. An op that raises neither the peak so far nor
//                 what is live after it goes first: moving it to the front of any order makes that no worse. Tried only where
//                 the others may be improved on, and for scopes small enough.
// A loop or branch needs what the orders inside keep live while it runs.
// Live bytes are counted per family: a definition together with the contents that in-place ops build in its buffer. A family
// is allocated by its first op and freed with the last op that uses any of it. An elementwise op that is the last to use a family
// of the size of its result takes that over.
//
// Cost: O((nodes + edges) log nodes), and kSearchBudget steps for the search. Deterministic: ties go to the given order.
#include "inplace/order/order.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

#include "inplace/memory/donation.h"
#include "inplace/order/chaos.h"

namespace stead::inplace {

using analysis::ArrayLeafNumber;
using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::Module;
using ir::Opcode;

namespace {

// Copied or compared numbers that the search may spend on one scope.
constexpr int64_t kSearchBudget = 4'000'000;
constexpr int64_t kMaxWidth = 256;
constexpr int64_t kMinWidth = 4;

struct Family {
  int64_t bytes = 0;
  int32_t first = 0;           // the node that allocates it
  bool permanent = false;      // a parameter, a constant or a result: not freed
  bool preallocated = false;   // a parameter, a constant or in the memory of one: not allocated here
  std::vector<int32_t> users;  // distinct nodes
};

class Chooser {
 public:
  Chooser(const Module& module, const Dataflow& dataflow, const ScopeContext& context,
          const std::vector<OrderEdge>& edges, const std::vector<DefinitionId>& placed, uint64_t chaos_seed)
      : count_(dataflow.node_count()),
        successors_(count_),
        predecessor_count_(count_, 0),
        families_of_(count_),
        made_by_(count_),
        taken_over_by_(count_),
        inside_(count_),
        node_at_(count_),
        rank_(count_) {
    std::iota(node_at_.begin(), node_at_.end(), 0);
    Shuffle(node_at_, chaos_seed);
    for (int32_t rank = 0; rank < count_; ++rank) rank_[node_at_[rank]] = rank;
    for (const OrderEdge& edge : edges) {
      if (edge.before >= count_ || edge.after >= count_) continue;
      successors_[edge.before].push_back(edge.after);
      ++predecessor_count_[edge.after];
    }
    for (int32_t node = 0; node < count_; ++node) {
      for (ir::ComputationId called : module.instruction(dataflow.instruction(node)).called) {
        const auto peak = context.peaks.find(called);
        if (peak != context.peaks.end()) inside_[node] = std::max(inside_[node], peak->second);
      }
    }
    CollectFamilies(module, dataflow, context, placed);
  }

  ChosenOrder Run() {
    std::vector<int32_t> given = GivenOrder();
    STEAD_CHECK(static_cast<int32_t>(given.size()) == count_, "the order edges have a cycle");
    std::vector<int32_t> best = std::move(given);
    int64_t peak = Peak(best);
    auto consider = [&](std::vector<int32_t> order) {
      int64_t other = Peak(order);
      if (other >= peak) return;
      peak = other;
      best = std::move(order);
    };
    consider(GreedyOrder());
    int64_t width = std::min(kMaxWidth, kSearchBudget / std::max<int64_t>(1, int64_t{count_} * count_));
    if (width >= kMinWidth && peak > LowerBound()) consider(SearchedOrder(width));
    return {std::move(best), peak};
  }

 private:
  void CollectFamilies(const Module& module, const Dataflow& dataflow, const ScopeContext& context,
                       const std::vector<DefinitionId>& placed) {
    std::vector<int32_t> leader(dataflow.definition_count());
    std::iota(leader.begin(), leader.end(), 0);
    auto find = [&](int32_t one) {
      while (leader[one] != one) one = leader[one] = leader[leader[one]];
      return one;
    };
    for (int32_t node = 0; node < count_; ++node) {
      for (const PreservingTie& tie : PreservingTies(module, dataflow, node, context)) {
        if (tie.result_leaf < 0) continue;
        ir::InstrId id = dataflow.instruction(node);
        DefinitionId from = dataflow.value(module.operand(id, tie.operand), tie.leaf).definition;
        DefinitionId to = dataflow.value(id, tie.result_leaf).definition;
        leader[find(static_cast<int32_t>(to.index()))] = find(static_cast<int32_t>(from.index()));
      }
    }
    std::vector<Family> by_leader(leader.size());
    for (size_t number = 0; number < leader.size(); ++number) {
      DefinitionId definition(number);
      Family& family = by_leader[find(static_cast<int32_t>(number))];
      for (const DefinitionUse& use : dataflow.uses(definition)) {
        if (use.node == count_)
          family.permanent = true;
        else
          family.users.push_back(use.node);
      }
      if (find(static_cast<int32_t>(number)) != static_cast<int32_t>(number)) {
        family.users.push_back(dataflow.definition(definition).node);
        continue;
      }
      family.bytes = dataflow.definition(definition).bytes;
      family.first = dataflow.definition(definition).node;
      Opcode opcode = module.instruction(dataflow.definition(definition).instruction).opcode;
      family.preallocated = opcode == Opcode::kParameter || opcode == Opcode::kConstant;
    }
    for (DefinitionId definition : placed)
      by_leader[find(static_cast<int32_t>(definition.index()))].preallocated = true;
    for (Family& family : by_leader) family.permanent |= family.preallocated;
    std::vector<int32_t> numbers(leader.size(), -1);
    for (size_t number = 0; number < leader.size(); ++number) {
      if (find(static_cast<int32_t>(number)) != static_cast<int32_t>(number)) continue;
      numbers[number] = static_cast<int32_t>(families_.size());
      AddFamily(std::move(by_leader[number]));
    }
    CollectTakeovers(module, dataflow,
                     [&](DefinitionId definition) { return numbers[find(static_cast<int32_t>(definition.index()))]; });
  }

  // The families whose buffer an elementwise op may give to its result.
  template <typename FamilyOf>
  void CollectTakeovers(const Module& module, const Dataflow& dataflow, FamilyOf family_of) {
    for (int32_t node = 0; node < count_; ++node) {
      ir::InstrId id = dataflow.instruction(node);
      for (const analysis::Tie& tie : dataflow.effects(node).ties) {
        if (KeepsBytes(tie.kind)) continue;
        ir::InstrId operand = module.operand(id, static_cast<size_t>(tie.operand));
        int32_t leaf = ArrayLeafNumber(module.shape(operand), tie.operand_index);
        DefinitionId from = dataflow.value(operand, leaf).definition;
        DefinitionId to = dataflow.value(id, ArrayLeafNumber(module.shape(id), tie.result_index)).definition;
        if (dataflow.definition(from).bytes != dataflow.definition(to).bytes) continue;
        if (!OverwritesFully(module, dataflow, node, dataflow.definition(to).leaf, from)) continue;
        taken_over_by_[node].push_back({family_of(from), family_of(to)});
      }
    }
  }

  void AddFamily(Family family) {
    std::ranges::sort(family.users);
    family.users.erase(std::ranges::unique(family.users).begin(), family.users.end());
    int32_t number = static_cast<int32_t>(families_.size());
    for (int32_t user : family.users) families_of_[user].push_back(number);
    made_by_[family.first].push_back(number);
    families_.push_back(std::move(family));
  }

  std::vector<int32_t> GivenOrder() const {
    std::vector<int32_t> waiting = predecessor_count_, order;
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
    for (int32_t node = 0; node < count_; ++node) {
      if (waiting[node] == 0) ready.push(rank_[node]);
    }
    while (!ready.empty()) {
      int32_t node = node_at_[ready.top()];
      ready.pop();
      order.push_back(node);
      for (int32_t next : successors_[node]) {
        if (--waiting[next] == 0) ready.push(rank_[next]);
      }
    }
    return order;
  }

  // Bytes that running the node now would add.
  int64_t Growth(int32_t node, const std::vector<int32_t>& users_left) const {
    int64_t growth = 0;
    for (int32_t number : made_by_[node]) {
      if (!families_[number].preallocated) growth += families_[number].bytes;
    }
    for (int32_t number : families_of_[node]) {
      if (!families_[number].permanent && users_left[number] == 1) growth -= families_[number].bytes;
    }
    return growth;
  }

  std::vector<int32_t> GreedyOrder() const {
    std::vector<int32_t> waiting = predecessor_count_, order, users_left;
    std::vector<int64_t> users_sum;  // of the node numbers left: with one left, its number
    for (const Family& family : families_) {
      users_left.push_back(static_cast<int32_t>(family.users.size()));
      users_sum.push_back(std::accumulate(family.users.begin(), family.users.end(), int64_t{0}));
    }
    std::set<std::pair<int64_t, int32_t>> ready;
    std::vector<int64_t> score(count_, 0);
    auto add = [&](int32_t node) {
      score[node] = Growth(node, users_left);
      ready.insert({score[node], rank_[node]});
    };
    for (int32_t node = 0; node < count_; ++node) {
      if (waiting[node] == 0) add(node);
    }
    while (!ready.empty()) {
      int32_t node = node_at_[ready.begin()->second];
      ready.erase(ready.begin());
      order.push_back(node);
      for (int32_t number : families_of_[node]) {
        users_sum[number] -= node;
        if (--users_left[number] != 1) continue;
        // The last user left has become the one that frees the family.
        int32_t last = static_cast<int32_t>(users_sum[number]);
        if (ready.erase({score[last], rank_[last]}) > 0) add(last);
      }
      for (int32_t next : successors_[node]) {
        if (--waiting[next] == 0) add(next);
      }
    }
    return order;
  }

  // What one step does to the live bytes.
  struct Step {
    int64_t during = 0;  // added while the node runs
    int64_t after = 0;   // added when it has run
  };

  Step StepOf(int32_t node, const std::vector<int32_t>& users_left) const {
    Step step;
    step.during = inside_[node];
    for (int32_t number : made_by_[node]) {
      const Family& family = families_[number];
      if (family.preallocated) continue;
      step.during += family.bytes;
      step.after += family.users.empty() && !family.permanent ? 0 : family.bytes;
    }
    for (int32_t number : families_of_[node]) {
      if (!families_[number].permanent && users_left[number] == 1) step.after -= families_[number].bytes;
    }
    int32_t taken = -1, given = -1;
    for (const Takeover& takeover : taken_over_by_[node]) {
      const Family& family = families_[takeover.from];
      bool over = !family.permanent && users_left[takeover.from] == 1;
      if (!over || takeover.from == taken || takeover.to == given) continue;
      step.during -= family.bytes;
      taken = takeover.from;
      given = takeover.to;
    }
    return step;
  }

  std::vector<int32_t> UserCounts() const {
    std::vector<int32_t> counts;
    for (const Family& family : families_) counts.push_back(static_cast<int32_t>(family.users.size()));
    return counts;
  }

  int64_t Peak(const std::vector<int32_t>& order) const {
    std::vector<int32_t> users_left = UserCounts();
    int64_t live = 0, peak = 0;
    for (int32_t node : order) {
      Step step = StepOf(node, users_left);
      peak = std::max(peak, live + step.during);
      live += step.after;
      for (int32_t number : families_of_[node]) --users_left[number];
    }
    return peak;
  }

  // No order has a lower peak: what one op reads and makes is live together.
  int64_t LowerBound() const {
    int64_t bound = 0;
    const std::vector<int32_t> last(families_.size(), 1);
    for (int32_t node = 0; node < count_; ++node) {
      int64_t bytes = StepOf(node, last).during;
      for (int32_t number : families_of_[node]) {
        if (!families_[number].preallocated && families_[number].first != node) bytes += families_[number].bytes;
      }
      bound = std::max(bound, bytes);
    }
    return bound;
  }

  // A beginning of an order.
  struct Beginning {
    std::vector<int32_t> order, waiting, users_left, ready;
    int64_t live = 0, peak = 0;
    uint64_t set = 0;  // a hash of the nodes in it
  };
  struct Continuation {
    int64_t peak, live;
    size_t beginning;
    int32_t node;
    uint64_t set;
    auto Rank() const { return std::tuple(peak, live, beginning, node); }
  };

  // Spreads node numbers over 64 bits (the finalizer of splitmix64).
  static uint64_t HashOf(int32_t node) {
    uint64_t bits = static_cast<uint64_t>(node) + 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  }

  std::vector<int32_t> SearchedOrder(int64_t width) const {
    Beginning empty{.waiting = predecessor_count_, .users_left = UserCounts()};
    for (int32_t node = 0; node < count_; ++node) {
      if (empty.waiting[node] == 0) empty.ready.push_back(node);
    }
    std::vector<Beginning> beginnings = {std::move(empty)};
    for (int32_t step = 0; step < count_; ++step) {
      std::vector<Beginning> longer;
      for (const Continuation& next : BestContinuations(beginnings, static_cast<size_t>(width)))
        longer.push_back(Extend(beginnings[next.beginning], next));
      beginnings = std::move(longer);
    }
    return beginnings.front().order;
  }

  bool IsFree(const Beginning& beginning, int32_t node) const {
    Step step = StepOf(node, beginning.users_left);
    return beginning.live + step.during <= beginning.peak && step.after <= 0;
  }

  std::vector<Continuation> BestContinuations(const std::vector<Beginning>& beginnings, size_t width) const {
    std::vector<Continuation> all;
    std::unordered_map<uint64_t, size_t> by_set;
    for (size_t number = 0; number < beginnings.size(); ++number) {
      const Beginning& beginning = beginnings[number];
      std::vector<int32_t> nodes = beginning.ready;
      if (auto free = std::ranges::find_if(nodes, [&](int32_t node) { return IsFree(beginning, node); });
          free != nodes.end())
        nodes = {*free};
      for (int32_t node : nodes) {
        Step step = StepOf(node, beginning.users_left);
        Continuation next{std::max(beginning.peak, beginning.live + step.during), beginning.live + step.after, number,
                          node, beginning.set ^ HashOf(node)};
        auto [entry, fresh] = by_set.try_emplace(next.set, all.size());
        if (fresh) {
          all.push_back(next);
        } else if (next.Rank() < all[entry->second].Rank()) {
          all[entry->second] = next;
        }
      }
    }
    std::ranges::sort(all, {}, &Continuation::Rank);
    if (all.size() > width) all.resize(width);
    return all;
  }

  Beginning Extend(const Beginning& beginning, const Continuation& next) const {
    Beginning longer = beginning;
    longer.order.push_back(next.node);
    longer.peak = next.peak;
    longer.live = next.live;
    longer.set = next.set;
    std::erase(longer.ready, next.node);
    for (int32_t number : families_of_[next.node]) --longer.users_left[number];
    for (int32_t successor : successors_[next.node]) {
      if (--longer.waiting[successor] == 0) longer.ready.push_back(successor);
    }
    return longer;
  }

  struct Takeover {
    int32_t from, to;  // families
  };

  int32_t count_;
  std::vector<std::vector<int32_t>> successors_;
  std::vector<int32_t> predecessor_count_;
  std::vector<Family> families_;
  std::vector<std::vector<int32_t>> families_of_;  // per node: families it uses
  std::vector<std::vector<int32_t>> made_by_;      // per node: families it allocates
  std::vector<std::vector<Takeover>> taken_over_by_;
  std::vector<int64_t> inside_;          // per node: bytes live in what it calls
  std::vector<int32_t> node_at_, rank_;  // among equals the lowest rank goes first: the given order
};

}  // namespace

ChosenOrder ChooseOrder(const Module& module, const Dataflow& dataflow, const ScopeContext& context,
                        const std::vector<OrderEdge>& edges, const std::vector<DefinitionId>& placed,
                        uint64_t chaos_seed) {
  return Chooser(module, dataflow, context, edges, placed, chaos_seed).Run();
}

}  // namespace stead::inplace
