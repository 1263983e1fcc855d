// 12 of the 16 registers hold sums: 6 rows of two vectors.
#include <immintrin.h>

#include "cpu/kernels/matmul_kernel.h"

#pragma GCC target("avx2,fma")

#include "cpu/kernels/matmul_tile.h"

namespace stead::cpu {
namespace {

struct F32Lanes {
  using Scalar = float;
  using Vector = __m256;
  static constexpr int kWidth = 8;
  static Vector Zero() { return _mm256_setzero_ps(); }
  static Vector Load(const float* from) { return _mm256_loadu_ps(from); }
  static void Store(float* to, Vector value) { _mm256_storeu_ps(to, value); }
  static Vector Broadcast(float value) { return _mm256_set1_ps(value); }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) { return _mm256_fmadd_ps(left, right, sum); }
  static float Sum(Vector value) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps(value, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
  }
};

struct F64Lanes {
  using Scalar = double;
  using Vector = __m256d;
  static constexpr int kWidth = 4;
  static Vector Zero() { return _mm256_setzero_pd(); }
  static Vector Load(const double* from) { return _mm256_loadu_pd(from); }
  static void Store(double* to, Vector value) { _mm256_storeu_pd(to, value); }
  static Vector Broadcast(double value) { return _mm256_set1_pd(value); }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) { return _mm256_fmadd_pd(left, right, sum); }
  static double Sum(Vector value) {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(value), _mm256_extractf128_pd(value, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
  }
};

struct S32Lanes {
  using Scalar = int32_t;
  using Vector = __m256i;
  static constexpr int kWidth = 8;
  static Vector Zero() { return _mm256_setzero_si256(); }
  static Vector Load(const int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void Store(int32_t* to, Vector value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
  static Vector Broadcast(int32_t value) { return _mm256_set1_epi32(value); }
  static Vector MultiplyAdd(Vector left, Vector right, Vector sum) {
    return _mm256_add_epi32(sum, _mm256_mullo_epi32(left, right));
  }
};

}  // namespace

MatMulKernel<float> Avx2KernelF32() { return MakeKernel<F32Lanes, 6>(); }
MatMulKernel<double> Avx2KernelF64() { return MakeKernel<F64Lanes, 6>(); }
MatMulKernel<int32_t> Avx2KernelS32() { return MakeKernel<S32Lanes, 6>(); }

}  // namespace stead::cpu
