// Kinds of reducers that vectors can run.
#pragma once

#include <optional>

#include "ir/module.h"

namespace stead::cpu {

// The op of a reducer that is one associative op on its two parameters.
std::optional<ir::Opcode> SimpleReducer(const ir::Module& module, ir::ComputationId reducer);

// True for a pair of a value and a place of which one is chosen, the places deciding between equal values, as in the place of the
// largest element: without NaN, pairs may be combined in any order, and the initial one more than once.
bool IsSelection(const ir::Module& module, ir::ComputationId reducer);

}  // namespace stead::cpu
