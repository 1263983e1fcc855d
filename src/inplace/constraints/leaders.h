// Loop state that the body hands on twice, kept once.
//   module + untouched state -> per loop and state leaf: the leaf in whose memory it lies once the body has run.
#pragma once

#include "inplace/constraints/scope.h"

namespace stead::inplace {

// Records the loop's followers (DataflowContext::leaders). REQUIRES: those of the loops inside are known.
void FindLeaders(const ir::Module& module, ir::InstrId loop, ScopeContext& context);

}  // namespace stead::inplace
