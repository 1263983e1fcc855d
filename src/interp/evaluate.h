// The meaning of every op, written to be read beside the StableHLO specification; slow and plain on purpose.
//   Every other way to run a program is compared with this one.
#pragma once

#include <span>

#include "base/result.h"
#include "ir/module.h"

namespace stead::interp {

// Runs the entry computation on one literal per parameter; the result of the root (a tuple literal for tuple roots).
// RETURNS an error for wrong arguments and for ops it has no meaning for: `UNIMPLEMENTED: op 'x' ...`.
Result<ir::Literal> Evaluate(const ir::Module& module, std::span<const ir::Literal> arguments);

// Runs one computation (a reducer, a fusion, a loop body) of the module.
Result<ir::Literal> EvaluateComputation(const ir::Module& module, ir::ComputationId computation,
                                        std::span<const ir::Literal> arguments);

// The value of a single instruction for given operand values; called computations are evaluated. Used for constant folding.
Result<ir::Literal> EvaluateInstruction(const ir::Module& module, ir::InstrId id,
                                        std::span<const ir::Literal> operands);

}  // namespace stead::interp
