// Which bytes of an array a gather reads and a scatter writes, when the index array is known.
//   Known: constants, index vectors that are evenly spaced (iota, its multiples, sums and slices, grids of them), a single index. Indices
//   outside are moved inside by a gather and dropped by a scatter.
//   Safe wrong answer: the whole array. Constants of more than a thousand numbers are looked into only for even spaces.
#pragma once

#include "analysis/footprint.h"
#include "ir/module.h"

namespace stead::analysis {

// What the gather reads of operand 0.
Footprint GatherFootprint(const ir::Module& module, ir::InstrId gather);
// What the scatter writes of each of its inputs, which all have the dimensions of input 0; `input` has the element type in question.
Footprint ScatterFootprint(const ir::Module& module, ir::InstrId scatter, int64_t input);

}  // namespace stead::analysis
