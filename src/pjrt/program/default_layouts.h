// The layouts of arrays at the border of a program. Elements below 8 bits are packed there. In programs of format `hlo`
//   XLA's builder gives values layouts of its own liking (that of a transpose is permuted), which mean nothing before layouts
//   are assigned. What counts at the border is what the compile options say; that they say nothing means row major.
#pragma once

#include "ir/module.h"

namespace stead::pjrt {

// Lets every parameter and result of the entry be row major, but those whose layout has a meaning: of a custom call, a bitcast.
void UseDefaultLayouts(ir::Module& module);
// Asks for packed arrays in entry_computation_layout, which keeps its orders of dimensions.
void UsePackedBorder(ir::Module& module);

}  // namespace stead::pjrt
