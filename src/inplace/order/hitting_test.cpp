// The hitting set against every subset of elements.
#include "inplace/order/hitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stead::inplace {
namespace {

HittingProblem RandomProblem(uint32_t seed) {
  std::mt19937 random(seed);
  auto below = [&](int limit) { return static_cast<int32_t>(random() % limit); };
  HittingProblem problem;
  problem.node_count = 2 + below(6);
  for (int32_t before = 0; before < problem.node_count; ++before) {
    for (int32_t after = before + 1; after < problem.node_count; ++after) {
      if (below(4) == 0) problem.edges.push_back({before, after});
    }
  }
  int32_t element_count = 1 + below(7);
  for (int32_t element = 0; element < element_count; ++element) problem.weights.push_back(1 + below(4));
  for (int arc = 1 + below(8); arc > 0; --arc) {
    Arc added{below(problem.node_count), below(problem.node_count), {}};
    for (int breaker = 1 + below(3); breaker > 0; --breaker) added.breakers.push_back(below(element_count));
    std::ranges::sort(added.breakers);
    added.breakers.erase(std::ranges::unique(added.breakers).begin(), added.breakers.end());
    problem.arcs.push_back(std::move(added));
  }
  return problem;
}

int64_t CheapestSubset(const HittingProblem& problem) {
  int64_t best = -1;
  for (uint32_t subset = 0; subset < (1u << problem.weights.size()); ++subset) {
    std::vector<int32_t> bought;
    int64_t cost = 0;
    for (size_t element = 0; element < problem.weights.size(); ++element) {
      if (!(subset >> element & 1)) continue;
      bought.push_back(static_cast<int32_t>(element));
      cost += problem.weights[element];
    }
    if ((best < 0 || cost < best) && IsOrderable(problem, bought)) best = cost;
  }
  return best;
}

TEST(Hitting, IsTheCheapestOfAllSubsets) {
  int64_t total = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    HittingProblem problem = RandomProblem(seed);
    HittingSolution solution = SolveHitting(problem, 200000);
    ASSERT_EQ(solution.cost, CheapestSubset(problem)) << "seed " << seed;
    ASSERT_TRUE(solution.exact);
    ASSERT_EQ(solution.lower_bound, solution.cost);
    ASSERT_TRUE(IsOrderable(problem, solution.bought));
    total += solution.cost;
  }
  EXPECT_GT(total, 3000);
}

TEST(Hitting, WithoutBudgetStaysValidAndKeepsALowerBound) {
  int unproven = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    HittingProblem problem = RandomProblem(seed);
    HittingSolution solution = SolveHitting(problem, 0);
    int64_t optimum = CheapestSubset(problem);
    ASSERT_TRUE(IsOrderable(problem, solution.bought)) << "seed " << seed;
    ASSERT_LE(solution.lower_bound, optimum) << "seed " << seed;
    ASSERT_GE(solution.cost, optimum) << "seed " << seed;
    if (solution.exact) {
      ASSERT_EQ(solution.cost, optimum) << "seed " << seed;
    }
    unproven += !solution.exact;
  }
  EXPECT_GT(unproven, 0);
}

TEST(Hitting, CyclesAreCycles) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    HittingProblem problem = RandomProblem(seed);
    for (const OrderCycle& cycle : SolveHitting(problem, 200000).cycles) {
      for (size_t at = 0; at < cycle.nodes.size(); ++at) {
        int32_t before = cycle.nodes[at], after = cycle.nodes[(at + 1) % cycle.nodes.size()];
        auto joins = [&](const auto& link) { return link.before == before && link.after == after; };
        ASSERT_TRUE(std::ranges::any_of(problem.edges, joins) || std::ranges::any_of(problem.arcs, joins))
            << "seed " << seed;
      }
    }
  }
}

TEST(Hitting, ReportsACycleThatNothingBreaks) {
  HittingProblem problem{.node_count = 2, .edges = {{0, 1}}, .arcs = {{1, 0, {}}}, .weights = {}};
  EXPECT_TRUE(SolveHitting(problem, 100).impossible.has_value());
  problem = {.node_count = 2, .edges = {{0, 1}, {1, 0}}, .arcs = {}, .weights = {}};
  EXPECT_TRUE(SolveHitting(problem, 100).impossible.has_value());
}

}  // namespace
}  // namespace stead::inplace
