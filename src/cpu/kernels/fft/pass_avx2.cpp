#include <cstring>

#include "cpu/kernels/fft/pass.h"

#pragma GCC target("avx2,fma")

#include "cpu/kernels/fft/pass_runner.h"

namespace stead::cpu {

void Avx2Pass(const FftPass<float>& pass, SplitArray<float> from, SplitArray<float> to) { RunPass<32>(pass, from, to); }
void Avx2Pass(const FftPass<double>& pass, SplitArray<double> from, SplitArray<double> to) {
  RunPass<32>(pass, from, to);
}

}  // namespace stead::cpu
