// Copies of whole computations.
#pragma once

#include "ir/module.h"

namespace stead::inplace {

// A copy of the computation under a new name. Loop bodies and branches inside are copied as well; fused computations and
// reducers stay shared.
ir::ComputationId CloneComputation(ir::Module& module, ir::ComputationId id);

}  // namespace stead::inplace
