#include "inplace/order/chaos.h"

#include <algorithm>
#include <numeric>

namespace stead::inplace {
namespace {

std::vector<int32_t> ShuffledNumbers(size_t count, uint64_t seed) {
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  Shuffle(numbers, seed);
  return numbers;
}

// Item k of the result is item numbers[k].
template <typename Item>
std::vector<Item> Permuted(const std::vector<Item>& items, const std::vector<int32_t>& numbers) {
  std::vector<Item> permuted;
  for (int32_t number : numbers) permuted.push_back(items[number]);
  return permuted;
}

}  // namespace

void ShuffleConflicts(ConflictGraph& graph, uint64_t seed) {
  if (seed == 0) return;
  HittingProblem& problem = graph.problem;
  std::vector<int32_t> elements = ShuffledNumbers(graph.elements.size(), seed);
  std::vector<int32_t> new_number(elements.size());
  for (size_t number = 0; number < elements.size(); ++number)
    new_number[elements[number]] = static_cast<int32_t>(number);
  graph.elements = Permuted(graph.elements, elements);
  problem.weights = Permuted(problem.weights, elements);
  std::vector<int32_t> arcs = ShuffledNumbers(problem.arcs.size(), seed + 1);
  problem.arcs = Permuted(problem.arcs, arcs);
  graph.causes = Permuted(graph.causes, arcs);
  for (Arc& arc : problem.arcs) {
    for (int32_t& breaker : arc.breakers) breaker = new_number[breaker];
    std::ranges::sort(arc.breakers);
  }
  std::vector<int32_t> edges = ShuffledNumbers(problem.edges.size(), seed + 2);
  problem.edges = Permuted(problem.edges, edges);
  graph.edge_kinds = Permuted(graph.edge_kinds, edges);
}

}  // namespace stead::inplace
