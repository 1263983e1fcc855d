// Writes random bits out as arithmetic on counters: word k of a stream is a scramble of counter + k, so that all words are made
// at once by elementwise ops, which fuse with what uses them.
//   rng-bit-generator -> (new state, bits), bit for bit as XLA:CPU makes them.
//   rng -> numbers of its distribution, from a state that rng-get-and-update-state keeps (distribution.h).
//   Needs: a verified module without calls.  Keeps: meaning.  Does not: touch bits of types that are not integers.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> ExpandRandom(ir::Module& module);

}  // namespace stead::passes
