// What became of the donated parameters: the pairs that are used, and for every other donation why it went unused.
#pragma once

#include "inplace/constraints/scope.h"
#include "inplace/plan.h"

namespace stead::inplace {

// Fills plan.donations and plan.remarks, and rewrites the module's aliases to what is used; other donated parameters stay
// in the module as donors. REQUIRES: buffers are assigned.
void ReportDonations(BufferPlan& plan, const ScopeContext& context);

}  // namespace stead::inplace
