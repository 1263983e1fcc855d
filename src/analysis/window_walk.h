// The windows that a loop takes one after the other, found by counting through its iterations.
//   Used by passes that merge state of loops. Safe wrong answer: that windows may overlap, or leave something out.
#pragma once

#include <functional>

#include "analysis/trip_count.h"
#include "ir/module.h"

namespace stead::analysis {

struct WindowWalk {
  bool is_disjoint = false;  // no element lies in the windows of two iterations
  bool is_complete = false;  // and every element of the array lies in one
};

// The windows of the update (a dynamic-update-slice in the body of the loop that `counter` counts); `is_counter` says which
// instructions are the counter's value. Answers "may overlap" when a start depends on anything else, or the loop is long.
//   Rows that the counter numbers are found by algebra, however many.
//   Cost: O(iterations * instructions that make the starts), for at most 65,536 iterations.
WindowWalk WalkOf(const ir::Module& module, const ir::Instruction& update, const LoopCounter& counter,
                  const std::function<bool(ir::InstrId)>& is_counter);

// Whether the dynamic-slice takes, of an array of the same dimensions, the very window that the update writes.
bool ReadsWindowOf(const ir::Module& module, const ir::Instruction& slice, const ir::Instruction& update);

}  // namespace stead::analysis
