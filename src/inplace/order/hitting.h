// The exact core of the planner, free of IR: which elements to buy so that an order exists.
//   Nodes 0..node_count-1 with fixed order edges and conditional arcs "before precedes after, unless one of `breakers` is
//   bought". Result: a set of elements of least total weight after which edges + unbroken arcs have no cycle; the cycles that
//   force it; a lower bound that equals the cost when `exact`.
//   Method and proof: hitting.cpp. Used by arcs -> planner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stead::inplace {

struct OrderEdge {
  int32_t before = 0;
  int32_t after = 0;
};

struct Arc {
  int32_t before = 0;
  int32_t after = 0;
  std::vector<int32_t> breakers;  // elements; sorted, without repetition
};

struct HittingProblem {
  int32_t node_count = 0;
  std::vector<OrderEdge> edges;
  std::vector<Arc> arcs;
  std::vector<int64_t> weights;  // per element, >= 0
};

// Nodes n0, n1, ... of which each must precede the next and the last the first.
struct OrderCycle {
  std::vector<int32_t> nodes;
  std::vector<int32_t> arcs;      // the conditional arcs on it
  std::vector<int32_t> breakers;  // elements that break it; sorted, without repetition
};

struct HittingSolution {
  std::vector<int32_t> bought;    // elements, ascending
  std::vector<int32_t> unproven;  // those of `bought` that were chosen after the search budget was spent
  int64_t cost = 0;
  int64_t lower_bound = 0;
  bool exact = true;
  std::vector<OrderCycle> cycles;        // every cycle that was found on the way
  std::optional<OrderCycle> impossible;  // a cycle that no element breaks; then nothing else is set
};

// `budget`: nodes of the branch and bound per independent group of elements.
HittingSolution SolveHitting(const HittingProblem& problem, int64_t budget);

// True when edges + arcs with no bought breaker have no cycle. REQUIRES: `bought` ascending.
bool IsOrderable(const HittingProblem& problem, const std::vector<int32_t>& bought);

}  // namespace stead::inplace
