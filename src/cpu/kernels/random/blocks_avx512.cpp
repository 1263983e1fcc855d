#include "cpu/kernels/random/blocks.h"

#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw")

#include "cpu/kernels/random/rounds.h"

namespace stead::cpu {

BlockKernels Avx512BlockKernels() { return kBlockKernels; }

}  // namespace stead::cpu
