// How often a loop's body runs, when the module says so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace stead::analysis {

// State element `element` counts the iterations: it is start + step * t in iteration t of `trips`.
struct LoopCounter {
  int64_t element = 0;
  int64_t start = 0;
  int64_t step = 1;
  int64_t trips = 0;
};

// The counter that the condition compares with a constant, if it counts upwards. Safe wrong answer: none. REQUIRES: `id` is a while.
std::optional<LoopCounter> CounterOf(const ir::Module& module, ir::InstrId id);

// The known trip count of the while, or the one that follows from a counter: state k starts at a constant, the body adds or
// subtracts a constant, the condition compares it with a constant. Looks through fusions, tuples and copies.
// Safe wrong answer: none. REQUIRES: `id` is a while.
std::optional<int64_t> TripCount(const ir::Module& module, ir::InstrId id);

// Every integer of the state that starts at a constant and to which the body adds one, of a loop with a known trip count.
std::vector<LoopCounter> CountersOf(const ir::Module& module, ir::InstrId id);

}  // namespace stead::analysis
