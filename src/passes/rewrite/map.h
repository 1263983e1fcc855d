// Applying a scalar computation (a reducer, a combiner of a scatter) to whole arrays.
#pragma once

#include <vector>

#include "passes/rewrite/build.h"

namespace stead::passes {

// True when every instruction is elementwise on scalars, a scalar constant or a parameter; the result may be a tuple of them.
bool IsScalarExpression(const ir::Module& module, ir::ComputationId computation);

// The instructions of the computation on arrays: parameter k is arguments[k], all of which have `dimensions`.
// REQUIRES: IsScalarExpression.
ir::InstrId MapExpression(Builder& build, ir::ComputationId computation, const std::vector<ir::InstrId>& arguments,
                          const std::vector<int64_t>& dimensions);

}  // namespace stead::passes
