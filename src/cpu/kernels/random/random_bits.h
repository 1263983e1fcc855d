// rng-bit-generator: a state -> random bits and the next state, bit for bit as XLA:CPU makes them.
//   The state is u64[2] {key, counter}, or for Philox also u64[3] {key, lower half of the counter, upper half}. Every block of words
//   is a scramble of its own counter, so blocks are made in any order, on any number of threads, with no memory beside the result.
#pragma once

#include <cstdint>

#include "cpu/kernels/random/blocks.h"
#include "runtime/thread_pool.h"

namespace stead::cpu {

struct RandomBits {
  bool is_three_fry = false;    // else Philox
  bool has_wide_state = false;  // of three words
  int64_t element_bytes = 4;    // 1, 2, 4 or 8
  // The result in row-major order, around the dimension along which the two words of a Threefry block are neighbours: outer arrays of
  // `extent` rows of `inner` elements. For Philox and elements of 8 bytes only the product of the three matters.
  int64_t outer = 1, extent = 1, inner = 1;
};

// `next_state` may lie over `state`.
void MakeRandomBits(const RandomBits& request, const void* state, void* next_state, void* elements,
                    runtime::ThreadPool& threads, const BlockKernels& kernels = BestBlockKernels());

}  // namespace stead::cpu
