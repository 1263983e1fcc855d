// Explains the copies of a module as given and of our plan: as text in the manner of rustc, or as JSON for programs.
//   Recomputes nothing of the plan; the given module's copies are analysed here.
#pragma once

#include <string>

#include "inplace/plan.h"
#include "ir/module.h"

namespace stead::inplace {

struct Totals {
  int64_t copies = 0;
  int64_t bytes_copied = 0;  // bytes x executions, along the dearest path
  int64_t peak_bytes = 0;
};

std::string ExplainAsText(const ir::Module& given, const BufferPlan& plan);
// {"module", "given": {totals}, "plan": {totals, lower_bound_bytes, temporary_bytes, donations: [{result, parameter}]},
//  "remarks": [...]}
std::string ExplainAsJson(const ir::Module& given, const BufferPlan& plan);

}  // namespace stead::inplace
