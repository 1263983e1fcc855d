// Updates an element of a row in the whole array, instead of taking the row out, updating it and putting it back:
//   row = dynamic-slice(x, i);  new = dynamic-update-slice(row, u, j);  y = dynamic-update-slice(x, new, i)
//   ->  y = dynamic-update-slice(x, u, (i, j)), and whoever reads `new` reads the row of y
//   Rows may be seen through reshapes that add or drop dimensions of size one.
//   Needs: a verified module.  Keeps: meaning.  Cost: O(instructions).
//   Does not: touch windows that are neither one element wide nor full in a dimension, or arrays that are not row major.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> FlattenNestedUpdates(ir::Module& module);

}  // namespace stead::passes
