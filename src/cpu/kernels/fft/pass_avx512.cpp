#include <cstring>

#include "cpu/kernels/fft/pass.h"

#pragma GCC target("avx512f,avx512dq,fma")

#include "cpu/kernels/fft/pass_runner.h"

namespace stead::cpu {

void Avx512Pass(const FftPass<float>& pass, SplitArray<float> from, SplitArray<float> to) {
  RunPass<64>(pass, from, to);
}
void Avx512Pass(const FftPass<double>& pass, SplitArray<double> from, SplitArray<double> to) {
  RunPass<64>(pass, from, to);
}

}  // namespace stead::cpu
