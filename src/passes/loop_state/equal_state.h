// Keeps one of several elements of loop state, or of a branch's operand, that are always equal.
//   state a and b start with the same value, and the body makes the next a from a as it makes the next b from b: whoever reads b
//   reads a instead. JAX's loops over a range count twice, once for the condition and once for the body. Equal elements that only
//   change places count too. Elements that start differently but are handed on as one are one after the loop, if it runs.
//   A value that a branch is given twice is read once.
//   Needs: a verified module with simple tuples; dead code removal drops what is left of b.  Keeps: meaning.
//   Cost: O(state elements x classes of equal ones) per round, at most as many rounds as classes; values are compared to a small
//   depth.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> MergeEqualState(ir::Module& module);

}  // namespace stead::passes
