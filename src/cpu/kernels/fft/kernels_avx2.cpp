#include <cstring>
#include <utility>

#include "cpu/kernels/fft/kernels.h"

#pragma GCC target("avx2,fma")

#include "cpu/kernels/fft/make_kernels.h"

namespace stead::cpu {

FftKernels<float> Avx2FftKernelsF32() { return MakeFftKernels<32, float>(); }
FftKernels<double> Avx2FftKernelsF64() { return MakeFftKernels<32, double>(); }

}  // namespace stead::cpu
