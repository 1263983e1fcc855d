// Writes rng out: numbers of a distribution, other ones in every run.
//   rng(low, high), distribution=rng_uniform: floats and integers in [low, high).
//   rng(mean, deviation), distribution=rng_normal: floats.
//   The language does not say which numbers these are. A program makes the same ones in its first run, the next ones in its
//   second, and so on: each rng takes other blocks of the Philox stream whose key is the number of the run, which an
//   rng-get-and-update-state keeps.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace stead::passes {

// `stream`: a number that no other rng of the module has. RETURNS whether it was replaced; other distributions and types stay.
bool ExpandDistribution(ir::Module& module, ir::InstrId rng, uint64_t stream);

}  // namespace stead::passes
