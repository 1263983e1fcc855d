// How the blocks of a generator of random bits lie over the elements it makes. The generators make blocks of words from counters;
// which word goes where is XLA's choice.
#pragma once

#include <algorithm>
#include <optional>

#include "ir/module.h"

namespace stead::ir {

struct RandomBlocks {
  bool is_three_fry = false;    // else Philox
  bool has_wide_state = false;  // u64[3] {key, lower half of the counter, upper half}, else u64[2] {key, counter}
  // The elements in row-major order: outer arrays of `extent` rows of `inner` elements. The two words of a Threefry block are
  // neighbours along `extent`, unless an element takes a block of its own.
  int64_t outer = 1, extent = 1, inner = 1;
  int64_t count = 0;  // of blocks, by which the counter grows
};

// RETURNS nothing for states and elements that the generators do not have: the state is one of the two above (of two words for
// Threefry), and elements are integers of 8 to 64 bits.
inline std::optional<RandomBlocks> RandomBlocksOf(const Module& module, const Instruction& generator) {
  RandomBlocks blocks;
  blocks.is_three_fry = generator.As<RngBitGeneratorAttributes>().algorithm == "rng_three_fry";
  const Shape& state = module.shape(generator.operands[0]);
  blocks.has_wide_state = state.rank() == 1 && state.dimensions[0] == 3;
  const bool has_state = state.element_type == ElementType::kU64 && state.rank() == 1 &&
                         (state.dimensions[0] == 2 || (blocks.has_wide_state && !blocks.is_three_fry));
  if (!has_state || !generator.shape.is_tuple()) return std::nullopt;
  const Shape& bits = generator.shape.elements.at(1);
  if (!IsInteger(bits.element_type) || ElementBits(bits.element_type) < 8) return std::nullopt;

  // The first even dimension, else the first of the longest.
  const Dimensions extents = bits.dimensions.empty() ? Dimensions{1} : bits.dimensions;
  const auto even = std::ranges::find_if(extents, [](int64_t extent) { return extent % 2 == 0; });
  const auto split = even != extents.end() ? even : std::ranges::max_element(extents);
  for (auto extent = extents.begin(); extent != extents.end(); ++extent)
    (extent < split ? blocks.outer : extent == split ? blocks.extent : blocks.inner) *= *extent;

  const bool is_wide = ElementBits(bits.element_type) == 64;
  if (blocks.is_three_fry) {
    blocks.count = blocks.outer * (is_wide ? blocks.extent : (blocks.extent + 1) / 2) * blocks.inner;
  } else {
    const int64_t in_block = is_wide ? 2 : 4;
    blocks.count = (bits.element_count() + in_block - 1) / in_block;
  }
  return blocks;
}

}  // namespace stead::ir
