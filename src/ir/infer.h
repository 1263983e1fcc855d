// Shape rules: the result shape that an instruction must have, from its operands and attributes.
//   RETURNS an error that cites the constraint of the StableHLO specification when the operands do not fit.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace stead::ir {

// The shape of `instruction`, which need not stand in the module yet. Where ShapeIsDetermined is false, its own shape (or
// element type, for dot and convolution) is kept after a check. Layouts follow the operand for ops that keep positions.
Result<Shape> InferShape(const Module& module, const Instruction& instruction);

// True when operands, attributes and called computations alone say the shape.
bool ShapeIsDetermined(Opcode opcode);

}  // namespace stead::ir
