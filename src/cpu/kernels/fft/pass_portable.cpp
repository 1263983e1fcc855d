#include "cpu/kernels/fft/pass_runner.h"

namespace stead::cpu {

void PortablePass(const FftPass<float>& pass, SplitArray<float> from, SplitArray<float> to) {
  RunPass<16>(pass, from, to);
}
void PortablePass(const FftPass<double>& pass, SplitArray<double> from, SplitArray<double> to) {
  RunPass<16>(pass, from, to);
}

}  // namespace stead::cpu
