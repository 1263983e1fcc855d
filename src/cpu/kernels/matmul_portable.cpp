// Kernels in plain C++ for CPUs without AVX2, and the choice among the instruction sets.
#include <array>
#include <type_traits>

#include "cpu/kernels/matmul_tile.h"

namespace stead::cpu {
namespace {

template <typename T>
struct PlainLanes {
  using Scalar = T;
  static constexpr int kWidth = 16 / sizeof(T);
  using Vector = std::array<T, kWidth>;
  static Vector Zero() { return {}; }
  static Vector Load(const T* from) {
    Vector value;
    for (int lane = 0; lane < kWidth; ++lane) value[lane] = from[lane];
    return value;
  }
  static void Store(T* to, Vector value) {
    for (int lane = 0; lane < kWidth; ++lane) to[lane] = value[lane];
  }
  static Vector Broadcast(T value) {
    Vector lanes;
    lanes.fill(value);
    return lanes;
  }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) {
    for (int lane = 0; lane < kWidth; ++lane) {
      if constexpr (std::is_integral_v<T>) {
        // Signed overflow is undefined in C++; integers wrap here.
        using Unsigned = std::make_unsigned_t<T>;
        sum[lane] = static_cast<T>(static_cast<Unsigned>(sum[lane]) +
                                   static_cast<Unsigned>(left[lane]) * static_cast<Unsigned>(right[lane]));
      } else {
        sum[lane] += left[lane] * right[lane];
      }
    }
    return sum;
  }
};

bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

}  // namespace

MatMulKernel<float> PortableKernelF32() { return MakeKernel<PlainLanes<float>, 4>(); }
MatMulKernel<double> PortableKernelF64() { return MakeKernel<PlainLanes<double>, 4>(); }
MatMulKernel<int32_t> PortableKernelS32() { return MakeKernel<PlainLanes<int32_t>, 4>(); }
MatMulKernel<int64_t> PortableKernelS64() { return MakeKernel<PlainLanes<int64_t>, 4>(); }

template <>
const MatMulKernel<float>& BestMatMulKernel() {
  static const MatMulKernel<float> kernel = HasAvx512() ? Avx512KernelF32()
                                            : HasAvx2() ? Avx2KernelF32()
                                                        : PortableKernelF32();
  return kernel;
}
template <>
const MatMulKernel<double>& BestMatMulKernel() {
  static const MatMulKernel<double> kernel = HasAvx512() ? Avx512KernelF64()
                                             : HasAvx2() ? Avx2KernelF64()
                                                         : PortableKernelF64();
  return kernel;
}
template <>
const MatMulKernel<int32_t>& BestMatMulKernel() {
  static const MatMulKernel<int32_t> kernel = HasAvx512() ? Avx512KernelS32()
                                              : HasAvx2() ? Avx2KernelS32()
                                                          : PortableKernelS32();
  return kernel;
}
template <>
const MatMulKernel<int64_t>& BestMatMulKernel() {
  static const MatMulKernel<int64_t> kernel = HasAvx512() ? Avx512KernelS64() : PortableKernelS64();
  return kernel;
}

}  // namespace stead::cpu
