// Computes what is known: an instruction whose operands are constants becomes a constant, valued by the interpreter; so does
// whatever has no elements.
//   Needs: a verified module.  Keeps: meaning; barriers, side effects, control flow, random bits, linear algebra.
//   Cost: O(instructions + folded elements); results and operands above 65536 elements are left.
//   Does not: spell out large broadcasts and iotas, which are cheaper to make than to read, except as indices of gathers and
//   scatters.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> FoldConstants(ir::Module& module);

}  // namespace stead::passes
