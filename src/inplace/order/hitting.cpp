// Which elements to buy so that an order exists.
//
// Problem. An update U that overwrites x in place needs every reader w of the old x before it: arc w -> U. The order that the
// program demands (data, barriers, ...) may say U -> w: a cycle. Buying "copy x before U" removes U's arcs, buying "save what
// w reads" removes w's. Smallest example (nodes U, w; edge U -> w; arc w -> U with breakers {copy U: 400 MB, save w: 4 B}):
// the only cycle has the two breakers, so the best purchase is `save w`.
//
// Method. Each cycle must be hit: one of the breakers of its arcs is bought. Cycles are found lazily: solve the minimum
// weight hitting set over those known, look for cycles that survive it, repeat. The known cycles are a subset of all, so each
// optimum is a lower bound on the true one; when no cycle survives, it is the true one. The cycles that were needed are its
// certificate, and the text of the explanation.
//
// Hitting set. Groups of elements that share no cycle are independent. In a group: branch on the elements of the smallest
// cycle not yet hit; prune with a packing of cycles that share no element (each costs at least its cheapest breaker). The
// problem is NP-hard (minimum feedback vertex set); real groups have a handful of elements. When a group exceeds the
// budget, the cheapest element per cycle hit is taken, redundant ones are dropped, and the group is reported as unproven.
//
// Cost. One strongly connected component search and short breadth-first searches inside the cyclic components per round; a
// module without conflicts takes one round.
#include "inplace/order/hitting.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/check.h"

namespace stead::inplace {
namespace {

// Searches per cyclic component and round; the rest waits for the next round.
constexpr int kSearchesPerRound = 256;

bool Intersects(const std::vector<int32_t>& left, const std::vector<int32_t>& right) {
  auto one = left.begin();
  auto other = right.begin();
  while (one != left.end() && other != right.end()) {
    if (*one == *other) return true;
    *one < *other ? ++one : ++other;
  }
  return false;
}

// Edges and unbroken arcs, as lists of successors.
class Graph {
 public:
  Graph(const HittingProblem& problem, const std::vector<int32_t>& bought) : problem_(problem) {
    std::vector<int32_t> degree(problem.node_count + 1, 0);
    for (const OrderEdge& edge : problem.edges) ++degree[edge.before + 1];
    for (size_t arc = 0; arc < problem.arcs.size(); ++arc) {
      if (Intersects(problem.arcs[arc].breakers, bought)) continue;
      active_.push_back(static_cast<int32_t>(arc));
      ++degree[problem.arcs[arc].before + 1];
    }
    std::partial_sum(degree.begin(), degree.end(), degree.begin());
    first_ = degree;
    links_.resize(first_.back());
    for (const OrderEdge& edge : problem.edges) links_[degree[edge.before]++] = {edge.after, -1};
    for (int32_t arc : active_) links_[degree[problem.arcs[arc].before]++] = {problem.arcs[arc].after, arc};
    FindComponents();
  }

  bool HasCycle() const {
    if (component_count_ != problem_.node_count) return true;
    return std::ranges::any_of(active_,
                               [&](int32_t arc) { return problem_.arcs[arc].before == problem_.arcs[arc].after; });
  }

  // Short cycles through unbroken arcs; at least one per cyclic component.
  std::vector<OrderCycle> FindCycles() const {
    std::vector<OrderCycle> cycles;
    std::map<int32_t, int> searches;
    Search search(problem_.node_count);
    for (int32_t arc : active_) {
      int32_t component = component_[problem_.arcs[arc].before];
      if (component != component_[problem_.arcs[arc].after] || ++searches[component] > kSearchesPerRound) continue;
      cycles.push_back(CycleThrough(arc, search));
    }
    return cycles;
  }

  // A cycle of edges alone, which nothing breaks.
  std::vector<int32_t> CyclicNodes() const {
    std::vector<int32_t> size(component_count_, 0);
    for (int32_t component : component_) ++size[component];
    std::vector<int32_t> nodes;
    for (int32_t node = 0; node < problem_.node_count; ++node) {
      if (size[component_[node]] > 1) nodes.push_back(node);
    }
    return nodes;
  }

 private:
  struct Link {
    int32_t node;
    int32_t arc;  // -1: a fixed edge
  };
  // Scratch of the breadth-first searches.
  struct Search {
    explicit Search(int32_t node_count) : mark(node_count, 0), parent(node_count), arc(node_count) {}
    std::vector<int32_t> mark, parent, arc, queue;
    int32_t round = 0;
  };

  OrderCycle CycleThrough(int32_t arc, Search& search) const {
    int32_t source = problem_.arcs[arc].after, goal = problem_.arcs[arc].before;
    ++search.round;
    search.queue.assign(1, source);
    search.mark[source] = search.round;
    for (size_t head = 0; head < search.queue.size() && search.mark[goal] != search.round; ++head) {
      int32_t node = search.queue[head];
      for (int32_t link = first_[node]; link < first_[node + 1]; ++link) {
        int32_t next = links_[link].node;
        if (component_[next] != component_[goal] || search.mark[next] == search.round) continue;
        search.mark[next] = search.round;
        search.parent[next] = node;
        search.arc[next] = links_[link].arc;
        search.queue.push_back(next);
      }
    }
    OrderCycle cycle;
    cycle.arcs.push_back(arc);
    for (int32_t node = goal; node != source; node = search.parent[node]) {
      cycle.nodes.push_back(node);
      if (search.arc[node] >= 0) cycle.arcs.push_back(search.arc[node]);
    }
    cycle.nodes.push_back(source);
    std::ranges::reverse(cycle.nodes);
    for (int32_t used : cycle.arcs) {
      const std::vector<int32_t>& breakers = problem_.arcs[used].breakers;
      cycle.breakers.insert(cycle.breakers.end(), breakers.begin(), breakers.end());
    }
    std::ranges::sort(cycle.breakers);
    auto repeated = std::ranges::unique(cycle.breakers);
    cycle.breakers.erase(repeated.begin(), repeated.end());
    return cycle;
  }

  // Tarjan's algorithm with an explicit stack.
  void FindComponents() {
    int32_t count = problem_.node_count;
    std::vector<int32_t> number(count, -1), low(count, 0), next(count, 0), stack, path;
    component_.assign(count, -1);
    int32_t counter = 0;
    for (int32_t start = 0; start < count; ++start) {
      if (number[start] >= 0) continue;
      path.push_back(start);
      while (!path.empty()) {
        int32_t node = path.back();
        if (number[node] < 0) {
          number[node] = low[node] = counter++;
          next[node] = first_[node];
          stack.push_back(node);
        }
        bool descended = false;
        for (; next[node] < first_[node + 1]; ++next[node]) {
          int32_t successor = links_[next[node]].node;
          if (number[successor] < 0) {
            path.push_back(successor);
            descended = true;
            break;
          }
          if (component_[successor] < 0) low[node] = std::min(low[node], low[successor]);
        }
        if (descended) continue;
        path.pop_back();
        if (low[node] != number[node]) continue;
        for (;;) {
          int32_t member = stack.back();
          stack.pop_back();
          component_[member] = component_count_;
          if (member == node) break;
        }
        ++component_count_;
      }
    }
  }

  const HittingProblem& problem_;
  std::vector<int32_t> active_;
  std::vector<int32_t> first_;
  std::vector<Link> links_;
  std::vector<int32_t> component_;
  int32_t component_count_ = 0;
};

using Sets = std::vector<std::vector<int32_t>>;

// The cheapest elements that hit every set of one group.
class Group {
 public:
  Group(Sets sets, const std::vector<int64_t>& weights, int64_t budget)
      : sets_(std::move(sets)), weights_(weights), budget_(budget) {
    std::ranges::sort(sets_, {}, [](const std::vector<int32_t>& set) { return set.size(); });
    lower_bound_ = PackingBound({});
    best_ = Greedy();
    best_cost_ = CostOf(best_);
    if (best_cost_ > lower_bound_) {
      std::vector<int32_t> chosen;
      Branch(chosen, 0);
    }
    if (nodes_ <= budget_) lower_bound_ = best_cost_;
  }

  const std::vector<int32_t>& best() const { return best_; }
  int64_t cost() const { return best_cost_; }
  int64_t lower_bound() const { return lower_bound_; }
  bool exact() const { return best_cost_ == lower_bound_; }

 private:
  int64_t CostOf(const std::vector<int32_t>& elements) const {
    int64_t cost = 0;
    for (int32_t element : elements) cost += weights_[element];
    return cost;
  }
  static bool Hit(const std::vector<int32_t>& set, const std::vector<int32_t>& chosen) {
    return std::ranges::any_of(set,
                               [&](int32_t element) { return std::ranges::find(chosen, element) != chosen.end(); });
  }

  int64_t PackingBound(const std::vector<int32_t>& chosen) const {
    int64_t bound = 0;
    std::vector<int32_t> used;
    for (const std::vector<int32_t>& set : sets_) {
      if (Hit(set, chosen) || Hit(set, used)) continue;
      int64_t cheapest = std::numeric_limits<int64_t>::max();
      for (int32_t element : set) cheapest = std::min(cheapest, weights_[element]);
      bound += cheapest;
      used.insert(used.end(), set.begin(), set.end());
    }
    return bound;
  }

  // The element with the least weight per set hit, again and again; then drops what became redundant, dearest first.
  std::vector<int32_t> Greedy() const {
    std::vector<int32_t> chosen;
    for (;;) {
      std::map<int32_t, int64_t> hits;
      for (const std::vector<int32_t>& set : sets_) {
        if (Hit(set, chosen)) continue;
        for (int32_t element : set) ++hits[element];
      }
      if (hits.empty()) break;
      auto better = [&](const auto& left, const auto& right) {
        return static_cast<double>(weights_[left.first]) * right.second <
               static_cast<double>(weights_[right.first]) * left.second;
      };
      chosen.push_back(std::ranges::min_element(hits, better)->first);
    }
    std::ranges::sort(chosen, std::greater<>(), [&](int32_t element) { return weights_[element]; });
    for (size_t at = 0; at < chosen.size();) {
      std::vector<int32_t> without = chosen;
      without.erase(without.begin() + at);
      bool redundant = std::ranges::all_of(sets_, [&](const std::vector<int32_t>& set) { return Hit(set, without); });
      if (redundant) {
        chosen = std::move(without);
      } else {
        ++at;
      }
    }
    return chosen;
  }

  void Branch(std::vector<int32_t>& chosen, int64_t cost) {
    nodes_ += 1 + static_cast<int64_t>(sets_.size()) / 64;
    if (nodes_ > budget_) return;
    const std::vector<int32_t>* open = nullptr;
    for (const std::vector<int32_t>& set : sets_) {
      if (!Hit(set, chosen)) {
        open = &set;
        break;
      }
    }
    if (open == nullptr) {
      if (cost < best_cost_) {
        best_ = chosen;
        best_cost_ = cost;
      }
      return;
    }
    if (cost + PackingBound(chosen) >= best_cost_) return;
    std::vector<int32_t> candidates = *open;
    std::ranges::stable_sort(candidates, {}, [&](int32_t element) { return weights_[element]; });
    for (int32_t element : candidates) {
      chosen.push_back(element);
      Branch(chosen, cost + weights_[element]);
      chosen.pop_back();
    }
  }

  Sets sets_;
  const std::vector<int64_t>& weights_;
  int64_t budget_;
  int64_t nodes_ = 0;
  std::vector<int32_t> best_;
  int64_t best_cost_ = 0;
  int64_t lower_bound_ = 0;
};

// Splits the cycles into groups that share no element.
std::vector<Sets> SplitIntoGroups(const std::vector<OrderCycle>& cycles, size_t element_count) {
  std::vector<int32_t> leader(element_count);
  std::iota(leader.begin(), leader.end(), 0);
  auto find = [&](int32_t element) {
    while (leader[element] != element) element = leader[element] = leader[leader[element]];
    return element;
  };
  for (const OrderCycle& cycle : cycles) {
    for (int32_t element : cycle.breakers) leader[find(element)] = find(cycle.breakers.front());
  }
  std::map<int32_t, Sets> groups;
  for (const OrderCycle& cycle : cycles) {
    Sets& sets = groups[find(cycle.breakers.front())];
    if (std::ranges::find(sets, cycle.breakers) == sets.end()) sets.push_back(cycle.breakers);
  }
  std::vector<Sets> result;
  for (auto& [element, sets] : groups) result.push_back(std::move(sets));
  return result;
}

// Cycles with one breaker decide it; what remains is every cycle that those do not hit.
std::vector<OrderCycle> DecideForced(const HittingProblem& problem, HittingSolution& solution) {
  for (const OrderCycle& cycle : solution.cycles) {
    if (cycle.breakers.size() == 1) solution.bought.push_back(cycle.breakers.front());
  }
  std::ranges::sort(solution.bought);
  auto repeated = std::ranges::unique(solution.bought);
  solution.bought.erase(repeated.begin(), repeated.end());
  for (int32_t element : solution.bought) solution.cost += problem.weights[element];
  solution.lower_bound = solution.cost;
  std::vector<OrderCycle> open;
  for (const OrderCycle& cycle : solution.cycles) {
    if (!Intersects(cycle.breakers, solution.bought)) open.push_back(cycle);
  }
  return open;
}

void HitKnownCycles(const HittingProblem& problem, int64_t budget, HittingSolution& solution) {
  solution.bought.clear();
  solution.unproven.clear();
  solution.cost = 0;
  for (Sets& sets : SplitIntoGroups(DecideForced(problem, solution), problem.weights.size())) {
    Group group(std::move(sets), problem.weights, budget);
    solution.bought.insert(solution.bought.end(), group.best().begin(), group.best().end());
    solution.cost += group.cost();
    solution.lower_bound += group.lower_bound();
    if (!group.exact()) solution.unproven.insert(solution.unproven.end(), group.best().begin(), group.best().end());
  }
  std::ranges::sort(solution.bought);
  std::ranges::sort(solution.unproven);
  solution.exact = solution.unproven.empty();
}

}  // namespace

HittingSolution SolveHitting(const HittingProblem& problem, int64_t budget) {
  HittingSolution solution;
  for (;;) {
    Graph graph(problem, solution.bought);
    if (!graph.HasCycle()) return solution;
    std::vector<OrderCycle> found = graph.FindCycles();
    HittingSolution impossible;
    if (found.empty()) {
      impossible.impossible = OrderCycle{graph.CyclicNodes(), {}, {}};
      return impossible;
    }
    for (OrderCycle& cycle : found) {
      if (cycle.breakers.empty()) {
        impossible.impossible = std::move(cycle);
        return impossible;
      }
      solution.cycles.push_back(std::move(cycle));
    }
    HitKnownCycles(problem, budget, solution);
  }
}

bool IsOrderable(const HittingProblem& problem, const std::vector<int32_t>& bought) {
  return !Graph(problem, bought).HasCycle();
}

}  // namespace stead::inplace
