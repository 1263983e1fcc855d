// Shape rules: the result shape that an instruction must have, from its operands and attributes.
//   RETURNS an error that cites the constraint of the StableHLO specification when the operands do not fit.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace stead::ir {

// The shape of `instruction` (whose own shape field is ignored, except for ops whose attributes do not determine it:
// constant, iota, parameter, convert, bitcast, reshape, broadcast, custom-call, rng*, reduce-precision keep theirs after a check).
Result<Shape> InferShape(const Module& module, const Instruction& instruction);

}  // namespace stead::ir
