// Random bits as elementwise instructions on counters, by the generators that rng-bit-generator names.
//   A state, as instructions -> words and the next state. REQUIRES: a state that is u64[2], or u64[3] for Philox, and elements of 8 to
//   64 bits, at least one. The words are u32 for elements of up to 32 bits, else u64; ThreeFry shapes them as the elements, Philox in a line.
#pragma once

#include "passes/rewrite/build.h"

namespace stead::passes {

struct RandomBits {
  ir::InstrId elements;
  ir::InstrId state;
};

RandomBits ThreeFryBits(Builder& build, ir::InstrId state, const ir::Shape& shape);
RandomBits PhiloxBits(Builder& build, ir::InstrId state, const ir::Shape& shape);

}  // namespace stead::passes
