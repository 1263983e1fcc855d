// Ops that move elements without looking at them, at places known before the program runs.
#pragma once

#include "interp/op_call.h"

namespace stead::interp {

Result<ir::Literal> EvaluateBroadcast(const OpCall& call);
Result<ir::Literal> EvaluateConcatenate(const OpCall& call);
Result<ir::Literal> EvaluatePad(const OpCall& call);
Result<ir::Literal> EvaluateReverse(const OpCall& call);
Result<ir::Literal> EvaluateSlice(const OpCall& call);
Result<ir::Literal> EvaluateTranspose(const OpCall& call);
Result<ir::Literal> EvaluateIota(const OpCall& call);
Result<ir::Literal> EvaluateReshape(const OpCall& call);
// Reads the bytes of the operand in the order of its layout, as the bytes of the result in the order of its own.
Result<ir::Literal> EvaluateBitcast(const OpCall& call);
// The same bits under another element type; a narrower type adds a last dimension, a wider one takes it away.
Result<ir::Literal> EvaluateBitcastConvert(const OpCall& call);

}  // namespace stead::interp
