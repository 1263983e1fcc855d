#include "cpu/kernels/random/rounds.h"

namespace stead::cpu {
namespace {

bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

}  // namespace

BlockKernels PortableBlockKernels() { return kBlockKernels; }

const BlockKernels& BestBlockKernels() {
  static const BlockKernels kernels = HasAvx512()                      ? Avx512BlockKernels()
                                      : __builtin_cpu_supports("avx2") ? Avx2BlockKernels()
                                                                       : PortableBlockKernels();
  return kernels;
}

}  // namespace stead::cpu
