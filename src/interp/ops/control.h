// Ops whose meaning is in the computations they call, and ops on tuples and tokens.
#pragma once

#include "interp/op_call.h"

namespace stead::interp {

Result<ir::Literal> EvaluateCall(const OpCall& call);
Result<ir::Literal> EvaluateConditional(const OpCall& call);
Result<ir::Literal> EvaluateWhile(const OpCall& call);
Result<ir::Literal> EvaluateConstant(const OpCall& call);
Result<ir::Literal> EvaluateTuple(const OpCall& call);
Result<ir::Literal> EvaluateGetTupleElement(const OpCall& call);

}  // namespace stead::interp
