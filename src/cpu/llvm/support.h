// Says before any code is emitted whether the emitters know everything an instruction is made of.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace stead::cpu {

// RETURNS `UNIMPLEMENTED: op 'x' ...` for the first op, element type or form that machine code has no meaning for. Looks into
// fused computations and reducers.
Status CheckEmittable(const ir::Module& module, ir::InstrId id);

}  // namespace stead::cpu
