// Writes out what of random numbers is arithmetic:
//   rng -> numbers made of rng-bit-generator's bits, from a state that rng-get-and-update-state keeps (distribution.h).
//   rng-bit-generator of which only the next state is read -> the state with its counter moved on.
//   Needs: a verified module without calls.  Keeps: meaning.  Does not: make the bits; that is a routine's work.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> ExpandRandom(ir::Module& module);

}  // namespace stead::passes
