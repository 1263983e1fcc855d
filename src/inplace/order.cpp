// Choosing an order.
//
// All orders that respect the edges are free of further copies; they differ in how much memory is live at once. Two
// candidates are made and the one with the lower peak is taken, the first when equal:
//   given order   the program's own, bent only where an edge demands it;
//   greedy order  among the ready ops, the one that frees most and allocates least.
// Live bytes are counted per family: a definition together with the contents that in-place ops build in its buffer. A family
// is allocated by its first op and freed with the last op that uses any of it. Reuse of a dying operand's buffer by an
// elementwise op needs no thought of its own: it frees and allocates the same bytes.
//
// Cost: O((nodes + edges) log nodes). Deterministic: ties go to the given order.
#include "inplace/order.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

namespace stead::inplace {

using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::Module;
using ir::Opcode;

namespace {

struct Family {
  int64_t bytes = 0;
  int32_t first = 0;           // the node that allocates it
  bool permanent = false;      // a parameter, a constant or a result: not freed
  bool preallocated = false;   // a parameter or constant: not allocated here
  std::vector<int32_t> users;  // distinct nodes
};

class Chooser {
 public:
  Chooser(const Module& module, const Dataflow& dataflow, const ScopeContext& context,
          const std::vector<OrderEdge>& edges)
      : count_(dataflow.node_count()),
        successors_(count_),
        predecessor_count_(count_, 0),
        families_of_(count_),
        made_by_(count_) {
    for (const OrderEdge& edge : edges) {
      if (edge.before >= count_ || edge.after >= count_) continue;
      successors_[edge.before].push_back(edge.after);
      ++predecessor_count_[edge.after];
    }
    CollectFamilies(module, dataflow, context);
  }

  std::vector<int32_t> Run() {
    std::vector<int32_t> given = GivenOrder();
    STEAD_CHECK(static_cast<int32_t>(given.size()) == count_, "the order edges have a cycle");
    std::vector<int32_t> greedy = GreedyOrder();
    return Peak(greedy) < Peak(given) ? greedy : given;
  }

 private:
  void CollectFamilies(const Module& module, const Dataflow& dataflow, const ScopeContext& context) {
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
      if (family.preallocated) family.permanent = true;
    }
    for (size_t number = 0; number < leader.size(); ++number) {
      if (find(static_cast<int32_t>(number)) == static_cast<int32_t>(number)) AddFamily(std::move(by_leader[number]));
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
      if (waiting[node] == 0) ready.push(node);
    }
    while (!ready.empty()) {
      int32_t node = ready.top();
      ready.pop();
      order.push_back(node);
      for (int32_t next : successors_[node]) {
        if (--waiting[next] == 0) ready.push(next);
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
      ready.insert({score[node], node});
    };
    for (int32_t node = 0; node < count_; ++node) {
      if (waiting[node] == 0) add(node);
    }
    while (!ready.empty()) {
      int32_t node = ready.begin()->second;
      ready.erase(ready.begin());
      order.push_back(node);
      for (int32_t number : families_of_[node]) {
        users_sum[number] -= node;
        if (--users_left[number] != 1) continue;
        // The last user left has become the one that frees the family.
        int32_t last = static_cast<int32_t>(users_sum[number]);
        if (ready.erase({score[last], last}) > 0) add(last);
      }
      for (int32_t next : successors_[node]) {
        if (--waiting[next] == 0) add(next);
      }
    }
    return order;
  }

  int64_t Peak(const std::vector<int32_t>& order) const {
    std::vector<int32_t> users_left;
    for (const Family& family : families_) users_left.push_back(static_cast<int32_t>(family.users.size()));
    int64_t live = 0, peak = 0;
    for (int32_t node : order) {
      for (int32_t number : made_by_[node]) {
        if (!families_[number].preallocated) live += families_[number].bytes;
      }
      peak = std::max(peak, live);
      for (int32_t number : families_of_[node]) {
        if (--users_left[number] == 0 && !families_[number].permanent) live -= families_[number].bytes;
      }
      for (int32_t number : made_by_[node]) {
        if (families_[number].users.empty() && !families_[number].permanent) live -= families_[number].bytes;
      }
    }
    return peak;
  }

  int32_t count_;
  std::vector<std::vector<int32_t>> successors_;
  std::vector<int32_t> predecessor_count_;
  std::vector<Family> families_;
  std::vector<std::vector<int32_t>> families_of_;  // per node: families it uses
  std::vector<std::vector<int32_t>> made_by_;      // per node: families it allocates
};

}  // namespace

std::vector<int32_t> ChooseOrder(const Module& module, const Dataflow& dataflow, const ScopeContext& context,
                                 const std::vector<OrderEdge>& edges) {
  return Chooser(module, dataflow, context, edges).Run();
}

}  // namespace stead::inplace
