// How often a loop's body runs, when the module says so.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace stead::analysis {

// The known trip count of the while, or the one that follows from a counter: state k starts at a constant, the body adds a
// constant, the condition compares it with a constant. Looks through fusions, tuples and copies.
// Safe wrong answer: none. REQUIRES: `id` is a while.
std::optional<int64_t> TripCount(const ir::Module& module, ir::InstrId id);

}  // namespace stead::analysis
