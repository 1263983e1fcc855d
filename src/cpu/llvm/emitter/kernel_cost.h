// How long a kernel takes, roughly: good enough to tell loops that are worth sharing between threads from those that are not.
#pragma once

#include "ir/module.h"

namespace stead::cpu {

// Of the fusion's members, or the op that stands alone, on one core. Values that are computed again for several results count
// once, so a kernel may take longer.
double EstimatedNanoseconds(const ir::Module& module, ir::InstrId id);

}  // namespace stead::cpu
