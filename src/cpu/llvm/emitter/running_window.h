// Windows that grow by one element from each result to the next: cumulative sums, products, maxima and the like.
#pragma once

#include <optional>

#include "ir/module.h"

namespace stead::cpu {

struct RunningWindow {
  int64_t dimension = 0;
  bool is_forward = true;  // from the dimension's first element on, or from its last one back
};

// Of a reduce-window whose every result is the one before it combined with one more element.
// RETURNS nothing for any other.
std::optional<RunningWindow> RunningWindowOf(const ir::Module& module, const ir::Instruction& reduce_window);

}  // namespace stead::cpu
