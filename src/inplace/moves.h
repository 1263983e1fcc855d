// Which results are copied when all is done, so that each lies in the memory where the module demands it (must-alias).
//   module + a way to plan it with given moves -> the plan that copies the fewest bytes.
//   Each plan that leaves a result elsewhere says what to move: that result, or those in its way; the cheapest plan goes on first.
//   Large modules take the first way that is found. Refuses demands that cannot be met.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "inplace/plan.h"

namespace stead::inplace {

// Per result leaf of the entry: how often it is copied. Twice where results change places.
using Moves = std::map<int32_t, int>;

// `is_search`: other ways than the first that is found are looked at.
Result<BufferPlan> ChooseMoves(const ir::Module& module, bool is_search,
                               const std::function<Result<BufferPlan>(const Moves&)>& plan_with);

}  // namespace stead::inplace
