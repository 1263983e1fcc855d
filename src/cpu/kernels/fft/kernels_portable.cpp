#include "cpu/kernels/fft/make_kernels.h"

namespace stead::cpu {

FftKernels<float> PortableFftKernelsF32() { return MakeFftKernels<16, float>(); }
FftKernels<double> PortableFftKernelsF64() { return MakeFftKernels<16, double>(); }

namespace {

bool HasAvx512() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }
bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

}  // namespace

template <>
const FftKernels<float>& BestFftKernels<float>() {
  static const FftKernels<float> kernels = HasAvx512() ? Avx512FftKernelsF32()
                                           : HasAvx2() ? Avx2FftKernelsF32()
                                                       : PortableFftKernelsF32();
  return kernels;
}

template <>
const FftKernels<double>& BestFftKernels<double>() {
  static const FftKernels<double> kernels = HasAvx512() ? Avx512FftKernelsF64()
                                            : HasAvx2() ? Avx2FftKernelsF64()
                                                        : PortableFftKernelsF64();
  return kernels;
}

}  // namespace stead::cpu
