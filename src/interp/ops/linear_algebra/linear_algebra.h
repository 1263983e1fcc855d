// Transforms and factorisations, in double or c128 whatever the type, rounded once at the end.
#pragma once

#include "interp/op_call.h"

namespace stead::interp {

Result<ir::Literal> EvaluateFft(const OpCall& call);
// The triangle that the factor does not fill is zero.
Result<ir::Literal> EvaluateCholesky(const OpCall& call);
Result<ir::Literal> EvaluateTriangularSolve(const OpCall& call);
Result<ir::Literal> EvaluateBatchNormInference(const OpCall& call);
Result<ir::Literal> EvaluateBatchNormTraining(const OpCall& call);
Result<ir::Literal> EvaluateBatchNormGrad(const OpCall& call);

}  // namespace stead::interp
