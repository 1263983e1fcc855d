// Putting the instructions of a computation where it is called.
#pragma once

#include <vector>

#include "ir/module.h"

namespace stead::passes {

// Moves the instructions of `callee` to just before `position`, with parameter k replaced by arguments[k]. Those without
// operands inside inherit the control predecessors of `position`; the others follow by their operands.
// RETURNS the value of the callee's root. `callee` is left without instructions and may not be called any more.
ir::InstrId Splice(ir::Module& module, ir::InstrId position, ir::ComputationId callee,
                   const std::vector<ir::InstrId>& arguments);

}  // namespace stead::passes
