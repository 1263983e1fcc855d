// Ops that read or write elements at places given by other values.
#pragma once

#include "interp/op_call.h"

namespace stead::interp {

// The window is moved inside the operand when it would stick out.
Result<ir::Literal> EvaluateDynamicSlice(const OpCall& call);
Result<ir::Literal> EvaluateDynamicUpdateSlice(const OpCall& call);
// Slices of the operand at starts taken from the indices; starts are moved inside.
Result<ir::Literal> EvaluateGather(const OpCall& call);
// Combines windows of the updates into the inputs, index after index in row-major order. A window that sticks out is dropped whole.
Result<ir::Literal> EvaluateScatter(const OpCall& call);
Result<ir::Literal> EvaluateGetDimensionSize(const OpCall& call);

}  // namespace stead::interp
