#include <cstring>
#include <utility>

#include "cpu/kernels/fft/kernels.h"

#pragma GCC target("avx512f,avx512dq,fma")

#include "cpu/kernels/fft/make_kernels.h"

namespace stead::cpu {

FftKernels<float> Avx512FftKernelsF32() { return MakeFftKernels<64, float>(); }
FftKernels<double> Avx512FftKernelsF64() { return MakeFftKernels<64, double>(); }

}  // namespace stead::cpu
