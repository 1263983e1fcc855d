// What copies cost: bytes x executions along the dearest path through a module.
//   records of copies + module -> bytes. Of a conditional only one branch runs, so only the dearest counts; a loop counts its trip
//   count times, which the records' executions say. Saturates instead of overflowing.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "inplace/plan.h"
#include "ir/module.h"

namespace stead::inplace {

// left x right and left + right, or the largest number when that is too large. REQUIRES: both >= 0.
int64_t SaturatingProduct(int64_t left, int64_t right);
int64_t SaturatingSum(int64_t left, int64_t right);

// `own_bytes`: what each computation costs without those it calls, over all its executions. One that is called from two places
// counts at the first.
int64_t DearestPath(const ir::Module& module, const std::unordered_map<ir::ComputationId, int64_t>& own_bytes);

// What the plan's copies move.
int64_t CopiedBytes(const BufferPlan& plan);

}  // namespace stead::inplace
