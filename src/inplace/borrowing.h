// Loops that start from an array which somebody else keeps.
//   module + planned bodies -> per loop and state leaf: it may borrow its initial value instead of overwriting it.
#pragma once

#include "inplace/scope.h"

namespace stead::inplace {

// Records, for each loop of the scope, which leaves may borrow. REQUIRES: the bodies are planned.
void FindBorrowing(const ir::Module& module, const Scope& scope, ScopeContext& context);

// Has the loop borrow the leaf, and the loops inside that would overwrite it. REQUIRES: it may.
void Borrow(const ir::Module& module, ir::InstrId loop, int32_t leaf, ScopeContext& context);

}  // namespace stead::inplace
