// Moves bytes instead of the elements below 8 bits that they hold.
//   What is nothing but unpacked bytes (see packed-border) and is then sliced, updated in whole rows, joined, transposed, gathered
//   or handed from one iteration of a loop to the next is moved as bytes and unpacked afterwards: an update of a packed array
//   is done in place, and what is packed again at the end was never unpacked. An update of parts of rows takes the bytes around
//   it, and puts them back.
//   s4[8,6] dynamic-update-slice(unpack(b), row, ...)  ->  unpack(u8[8,3] dynamic-update-slice(b, pack(row), ...))
//   Needs: row-major arrays, calls inlined.  Keeps: meaning.  Cost: O(instructions).
//   Does not: touch arrays whose rows end within a byte, or loop state that the body reads or makes in a way for which the whole
//   array would be unpacked or packed in each iteration.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> MovePackedBytes(ir::Module& module);

}  // namespace stead::passes
