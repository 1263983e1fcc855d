// One pass over vectors of any width. Included once per instruction set, as lanes.h is.
#pragma once

#include <cstdint>

#include "cpu/kernels/fft/butterfly.h"
#include "cpu/kernels/fft/lanes.h"

namespace stead::cpu {
namespace {

template <typename Real, typename Butterfly>
class PassRunner {
 public:
  PassRunner(const FftPass<Real>& pass, SplitArray<Real> from, SplitArray<Real> to)
      : pass_(pass), from_(from), to_(to), butterfly_(pass) {}

  template <int kWidth>
  void Run() const {
    if (pass_.stride == 1) {
      RunAcross<kWidth>(0);
    } else {
      for (int64_t p = 0; p < pass_.count; ++p) RunAlong<kWidth>(p, 0);
    }
  }

 private:
  int64_t radix() const { return Butterfly::kRadix == kMostRadix ? pass_.radix : Butterfly::kRadix; }

  template <typename T>
  inline void Load(int64_t start, Number<T>* numbers) const {
    const int64_t step = pass_.stride * pass_.count;
    int64_t k = 0;
    do {
      numbers[k] = {LoadLanes<T>(from_.real + start), LoadLanes<T>(from_.imaginary + start)};
      start += step;
    } while (++k < radix());
  }

  // One butterfly after the other, each with all the numbers side by side.
  template <int kWidth>
  void RunAlong(int64_t p, int64_t q) const {
    using T = Lanes<Real, kWidth>;
    for (; q + kWidth <= pass_.stride; q += kWidth) {
      Number<T> in[Butterfly::kRadix], out[Butterfly::kRadix];
      Load(q + pass_.stride * p, in);
      butterfly_(in, out);
      const int64_t target = q + pass_.stride * radix() * p;
      for (int64_t j = 0; j < radix(); ++j) {
        if (j > 0 && pass_.count > 1) {
          const int64_t twiddle = (j - 1) * pass_.count + p;
          out[j] = Multiply(out[j], pass_.twiddle_real[twiddle], pass_.twiddle_imaginary[twiddle]);
        }
        StoreLanes(to_.real + target + j * pass_.stride, out[j].real);
        StoreLanes(to_.imaginary + target + j * pass_.stride, out[j].imaginary);
      }
    }
    if constexpr (kWidth > 1) RunAlong<kWidth / 2>(p, q);
  }

  // Neighbouring butterflies in the lanes of a vector, where nothing lies side by side yet.
  template <int kWidth>
  void RunAcross(int64_t p) const {
    using T = Lanes<Real, kWidth>;
    for (; p + kWidth <= pass_.count; p += kWidth) {
      Number<T> in[Butterfly::kRadix], out[Butterfly::kRadix];
      Load(p, in);
      butterfly_(in, out);
      for (int64_t j = 0; j < radix(); ++j) {
        if (j > 0 && pass_.count > 1) {
          const int64_t twiddle = (j - 1) * pass_.count + p;
          out[j] = Multiply(out[j], LoadLanes<T>(pass_.twiddle_real + twiddle),
                            LoadLanes<T>(pass_.twiddle_imaginary + twiddle));
        }
        Real real[kWidth], imaginary[kWidth];
        StoreLanes(real, out[j].real);
        StoreLanes(imaginary, out[j].imaginary);
        for (int64_t lane = 0; lane < kWidth; ++lane) {
          to_.real[radix() * (p + lane) + j] = real[lane];
          to_.imaginary[radix() * (p + lane) + j] = imaginary[lane];
        }
      }
    }
    if constexpr (kWidth > 1) RunAcross<kWidth / 2>(p);
  }

  const FftPass<Real>& pass_;
  SplitArray<Real> from_, to_;
  Butterfly butterfly_;
};

template <int kWidth, typename Real>
void RunPass(const FftPass<Real>& pass, SplitArray<Real> from, SplitArray<Real> to) {
  switch (pass.radix) {
    case 2: return PassRunner<Real, Radix2<Real>>(pass, from, to).template Run<kWidth>();
    case 3: return PassRunner<Real, Radix3<Real>>(pass, from, to).template Run<kWidth>();
    case 4: return PassRunner<Real, Radix4<Real>>(pass, from, to).template Run<kWidth>();
    case 5: return PassRunner<Real, Radix5<Real>>(pass, from, to).template Run<kWidth>();
    default: return PassRunner<Real, OddRadix<Real>>(pass, from, to).template Run<kWidth>();
  }
}

}  // namespace
}  // namespace stead::cpu
