// The layouts of arrays at the border of a program of format `hlo`.
//   XLA's builder gives values layouts of its own liking (that of a transpose is permuted), which mean nothing before layouts
//   are assigned. What counts at the border is what the compile options say; that they say nothing means row major.
#pragma once

#include "ir/module.h"

namespace stead::pjrt {

// Lets every parameter and result of the entry be row major, but those whose layout has a meaning: of a custom call, a bitcast.
void UseDefaultLayouts(ir::Module& module);

}  // namespace stead::pjrt
