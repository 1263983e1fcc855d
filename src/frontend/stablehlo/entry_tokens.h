// Tokens at the border of a program. They order effects inside it; outside there are only arrays, so a framework hands in
// and takes out an array of no elements (pred[0]) for each.
//   Each token among the entry's parameters and results becomes such an array, and a token of the program's own (after-all)
//   stands in for the parameter's.
#pragma once

#include "ir/module.h"

namespace stead::frontend {

// REQUIRES: a result of several values is a `tuple` instruction.
void ReplaceEntryTokens(ir::Module& module);

}  // namespace stead::frontend
