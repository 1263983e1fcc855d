// Products of matrices and sliding sums of products.
//   Real floats of every size are multiplied and summed in double and rounded once at the end, complex numbers in c128,
//   integers modulo their width: more exact than any machine code has to be.
#pragma once

#include "interp/op_call.h"

namespace stead::interp {

Result<ir::Literal> EvaluateDot(const OpCall& call);
// The product of operands that come with scales per block, which are applied in bf16.
Result<ir::Literal> EvaluateScaledDot(const OpCall& call);
Result<ir::Literal> EvaluateConvolution(const OpCall& call);

}  // namespace stead::interp
