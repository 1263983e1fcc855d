// Groups producers and consumers into `fusion` instructions, each of which runs as one loop nest.
//   Needs: calls and foreign fusions inlined, dead code removed.
//   Keeps: meaning; barriers and control edges as they are; the chance of every update to be done in place.
//   Result: fusions of kind kLoop (elementwise, movement or dynamic-update-slice result) and kInput (reduce), one root each.
//   The fusion has the name and the source place of the instruction that gives its result.
//   Cost: near linear; searches for paths are bounded.  Does not: fuse dots, sorts, gathers, scatters, loops or custom calls.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> Fuse(ir::Module& module);

}  // namespace stead::passes
