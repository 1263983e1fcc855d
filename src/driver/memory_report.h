// For whoever runs out of memory: what a program needs at its peak and which of its buffers are the largest.
#pragma once

#include <string>

#include "inplace/plan.h"

namespace stead::driver {

// "the program needs 800 bytes at its peak; its largest buffers are `dot.3` f32[10,10] 400 bytes, ..."
std::string MemoryReport(const inplace::BufferPlan& plan);

}  // namespace stead::driver
