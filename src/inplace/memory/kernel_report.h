// Says of each kernel that it writes its result over a donated argument, and why that is right.
#pragma once

#include "inplace/plan.h"

namespace stead::inplace {

// Adds a remark D002 per argument and kernel. REQUIRES: the plan has its placements.
void ReportKernels(BufferPlan& plan);

}  // namespace stead::inplace
