// Elements below 8 bits lie side by side in memory at the border of a program (`s4[8]{0:E(4)}`) and nowhere else.
//   Parameters and results for which entry_computation_layout, or else their own layout, asks for it are packed: behind such a
//   parameter stands a bitcast to its bytes, a u8 array, and the ops that take these apart; before such a result the reverse.
//   So whoever moves or reads the elements sees plain arrays of bytes. Elsewhere E(4) is dropped: it says nothing about elements.
//   Needs: calls and fusions inlined, before "row-major".  Keeps: meaning.  Cost: O(instructions).
//   Does not: touch modules in which packed memory is reinterpreted by a bitcast or leaves for a custom call; pack elements of
//   parameters that are tuples.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> PackBorder(ir::Module& module);

}  // namespace stead::passes
