// Chaos mode, for tests: where the planner takes the first among equals, a seed lets it take another. No choice of this kind may
// change how much is copied or what is computed. Seed 0, the default, leaves every order as it is.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "inplace/constraints/arcs.h"

namespace stead::inplace {

template <typename Item>
void Shuffle(std::vector<Item>& items, uint64_t seed) {
  if (seed == 0) return;
  std::mt19937_64 random(seed);
  for (size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random() % left]);
}

// The same problem with its elements, arcs and edges in another order.
void ShuffleConflicts(ConflictGraph& graph, uint64_t seed);

}  // namespace stead::inplace
