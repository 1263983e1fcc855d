// What packed-moves asks: which ops can be done on bytes, and which values can pass loops and branches as bytes.
#pragma once

#include "ir/module.h"

namespace stead::passes {

// True when the op only moves elements that were unpacked from bytes, and can move those instead.
bool MovesBytes(const ir::Module& module, ir::InstrId id);

// Keeps state of the loop as bytes where that costs nothing in the body: unpacked there and after the loop, packed before it.
// RETURNS whether there was any.
bool PackState(ir::Module& module, ir::InstrId loop);
// The same of what goes into the branches of a conditional and comes out of them.
bool PackBranches(ir::Module& module, ir::InstrId conditional);

}  // namespace stead::passes
