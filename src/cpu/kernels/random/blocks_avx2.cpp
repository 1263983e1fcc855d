#include "cpu/kernels/random/blocks.h"

#pragma GCC target("avx2")

#include "cpu/kernels/random/rounds.h"

namespace stead::cpu {

BlockKernels Avx2BlockKernels() { return kBlockKernels; }

}  // namespace stead::cpu
