// 28 of the 32 registers hold sums: 14 rows of two vectors.
#include <immintrin.h>

#include "cpu/kernels/matmul_kernel.h"

// g++ 12 takes the values that its own headers leave undefined on purpose for mistakes.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")

#include "cpu/kernels/matmul_tile.h"

namespace stead::cpu {
namespace {

struct F32Lanes {
  using Scalar = float;
  using Vector = __m512;
  static constexpr int kWidth = 16;
  static Vector Zero() { return _mm512_setzero_ps(); }
  static Vector Load(const float* from) { return _mm512_loadu_ps(from); }
  static void Store(float* to, Vector value) { _mm512_storeu_ps(to, value); }
  static Vector Broadcast(float value) { return _mm512_set1_ps(value); }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) { return _mm512_fmadd_ps(left, right, sum); }
  static float Sum(Vector value) { return _mm512_reduce_add_ps(value); }
};

struct F64Lanes {
  using Scalar = double;
  using Vector = __m512d;
  static constexpr int kWidth = 8;
  static Vector Zero() { return _mm512_setzero_pd(); }
  static Vector Load(const double* from) { return _mm512_loadu_pd(from); }
  static void Store(double* to, Vector value) { _mm512_storeu_pd(to, value); }
  static Vector Broadcast(double value) { return _mm512_set1_pd(value); }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) { return _mm512_fmadd_pd(left, right, sum); }
  static double Sum(Vector value) { return _mm512_reduce_add_pd(value); }
};

struct S32Lanes {
  using Scalar = int32_t;
  using Vector = __m512i;
  static constexpr int kWidth = 16;
  static Vector Zero() { return _mm512_setzero_si512(); }
  static Vector Load(const int32_t* from) { return _mm512_loadu_si512(from); }
  static void Store(int32_t* to, Vector value) { _mm512_storeu_si512(to, value); }
  static Vector Broadcast(int32_t value) { return _mm512_set1_epi32(value); }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) {
    return _mm512_add_epi32(sum, _mm512_mullo_epi32(left, right));
  }
};

struct S64Lanes {
  using Scalar = int64_t;
  using Vector = __m512i;
  static constexpr int kWidth = 8;
  static Vector Zero() { return _mm512_setzero_si512(); }
  static Vector Load(const int64_t* from) { return _mm512_loadu_si512(from); }
  static void Store(int64_t* to, Vector value) { _mm512_storeu_si512(to, value); }
  static Vector Broadcast(int64_t value) { return _mm512_set1_epi64(value); }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) {
    return _mm512_add_epi64(sum, _mm512_mullo_epi64(left, right));
  }
};

}  // namespace

MatMulKernel<float> Avx512KernelF32() { return MakeKernel<F32Lanes, 14>(); }
MatMulKernel<double> Avx512KernelF64() { return MakeKernel<F64Lanes, 14>(); }
MatMulKernel<int32_t> Avx512KernelS32() { return MakeKernel<S32Lanes, 14>(); }
MatMulKernel<int64_t> Avx512KernelS64() { return MakeKernel<S64Lanes, 14>(); }

}  // namespace stead::cpu
