// Discrete Fourier transforms of any length, over any number of dimensions of an array in any layout.
//   X[k] = sum over j of x[j] exp(-2 pi i j k / n); the inverse has the opposite sign and divides by n. A real operand's spectrum
//   is cut to its first n/2 + 1 numbers, a real result takes the rest from the symmetry.
//   The cost is n log n for every n, large primes too. Deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/thread_pool.h"

namespace stead::cpu {

enum class FftKind : uint8_t { kForward, kInverse, kRealToComplex, kComplexToReal };

// Strides in elements. `size` is the length of the transform: of the shorter spectrum only size / 2 + 1 numbers are there.
struct FftDimension {
  int64_t size = 1;
  int64_t operand_stride = 0, result_stride = 0;
};

struct Fft {
  FftKind kind = FftKind::kForward;
  bool is_wide = false;  // parts are f64, not f32
  std::vector<FftDimension> batch;
  // The last one is the one that is cut.
  std::vector<FftDimension> transformed;
};

// Computes all of `result`. The arrays do not overlap, unless they are the same one with the same strides and complex numbers on
// both sides: then the transform is done in place. Runs on the threads of a pool; callable from any thread.
using FftFunction = std::function<void(const void* operand, void* result, runtime::ThreadPool& threads)>;

// Works out once what depends on the shape only. REQUIRES: every size is positive, something is transformed.
FftFunction PrepareFft(const Fft& fft);

}  // namespace stead::cpu
