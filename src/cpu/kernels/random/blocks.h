// Blocks of random words from blocks of counters, many at a time: the generators of Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (SC 2011), Threefry-2x32 with 20 rounds and Philox-4x32 with 10.
//   In and out: row w holds word w of each block, counters before, random words after.
#pragma once

#include <cstdint>

namespace stead::cpu {

inline constexpr int64_t kBlocksAtATime = 64;
using BlockWords = uint32_t[4][kBlocksAtATime];  // Threefry uses the first two rows

struct BlockKernels {
  void (*three_fry)(uint64_t key, BlockWords& words) = nullptr;
  void (*philox)(uint64_t key, BlockWords& words) = nullptr;
};

// One table per instruction set, and the best that this CPU has.
BlockKernels PortableBlockKernels();
BlockKernels Avx2BlockKernels();
BlockKernels Avx512BlockKernels();
const BlockKernels& BestBlockKernels();

}  // namespace stead::cpu
