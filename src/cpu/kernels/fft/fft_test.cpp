// Transforms against their definition, summed up in long double.
#include "cpu/kernels/fft/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>

#include "cpu/kernels/fft/kernels.h"
#include "runtime/testing.h"

namespace stead::cpu {
namespace {

using Complex = std::complex<long double>;
using Signal = std::vector<Complex>;

Signal RandomSignal(int64_t size, bool is_real, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  Signal signal;
  for (int64_t index = 0; index < size; ++index) {
    const float real = number(generator);
    signal.emplace_back(real, is_real ? 0 : number(generator));
  }
  return signal;
}

Signal Transform(const Signal& signal, int sign) {
  const int64_t size = static_cast<int64_t>(signal.size());
  std::vector<Complex> roots;
  for (int64_t step = 0; step < size; ++step) {
    roots.push_back(std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * step / size));
  }
  Signal result(size);
  for (int64_t frequency = 0; frequency < size; ++frequency) {
    for (int64_t time = 0; time < size; ++time) result[frequency] += signal[time] * roots[frequency * time % size];
    if (sign > 0) result[frequency] /= size;
  }
  return result;
}

template <typename Real>
std::vector<Real> ToMemory(const Signal& signal, bool is_real) {
  std::vector<Real> memory;
  for (const Complex& number : signal) {
    memory.push_back(static_cast<Real>(number.real()));
    if (!is_real) memory.push_back(static_cast<Real>(number.imag()));
  }
  return memory;
}

// The largest error, relative to the largest value.
template <typename Real>
long double Error(const std::vector<Real>& actual, const Signal& expected, bool is_real) {
  const std::vector<long double> wanted = ToMemory<long double>(expected, is_real);
  EXPECT_EQ(actual.size(), wanted.size());
  long double largest = 0;
  long double error = 0;
  for (size_t index = 0; index < wanted.size(); ++index) {
    largest = std::max(largest, std::fabs(wanted[index]));
    error = std::max(error, std::fabs(actual[index] - wanted[index]));
  }
  return largest == 0 ? error : error / largest;
}

template <typename Real>
constexpr long double kTolerance = sizeof(Real) == 4 ? 1e-6L : 2e-15L;

template <typename Real>
void CheckLine(int64_t size) {
  SCOPED_TRACE(size);
  const bool is_wide = sizeof(Real) == 8;
  const auto run = [&](FftKind kind, const std::vector<Real>& operand, int64_t result_size) {
    std::vector<Real> result(result_size);
    PrepareFft({kind, is_wide, {}, {{size, 1, 1}}})(operand.data(), result.data(), runtime::EagerPool());
    return result;
  };
  const Signal signal = RandomSignal(size, false);
  const std::vector<Real> memory = ToMemory<Real>(signal, false);
  EXPECT_LE(Error(run(FftKind::kForward, memory, 2 * size), Transform(signal, -1), false), kTolerance<Real>);
  EXPECT_LE(Error(run(FftKind::kInverse, memory, 2 * size), Transform(signal, 1), false), kTolerance<Real>);

  const Signal real_signal = RandomSignal(size, true);
  Signal half = Transform(real_signal, -1);
  half.resize(size / 2 + 1);
  const int64_t half_size = 2 * (size / 2 + 1);
  EXPECT_LE(Error(run(FftKind::kRealToComplex, ToMemory<Real>(real_signal, true), half_size), half, false),
            kTolerance<Real>);
  EXPECT_LE(Error(run(FftKind::kComplexToReal, ToMemory<Real>(half, false), size), real_signal, true),
            kTolerance<Real>);
}

TEST(Fft, EveryShortLength) {
  for (int64_t size = 1; size <= 140; ++size) {
    CheckLine<float>(size);
    CheckLine<double>(size);
  }
}

TEST(Fft, LongerLengths) {
  for (int64_t size : {256, 600, 1001, 1021, 1024}) {
    CheckLine<float>(size);
    CheckLine<double>(size);
  }
}

TEST(Fft, QuarterTurnsAreExact) {
  std::vector<double> impulse(16, 0.0), spectrum(16);
  impulse[2 * 2] = 1;
  PrepareFft({FftKind::kForward, true, {}, {{8, 1, 1}}})(impulse.data(), spectrum.data(), runtime::EagerPool());
  const std::vector<double> expected = {1, 0, 0, -1, -1, 0, 0, 1, 1, 0, 0, -1, -1, 0, 0, 1};
  EXPECT_EQ(spectrum, expected);
}

// Every number of lines side by side, whole blocks and what is left over.
TEST(Fft, LinesInBothDirections) {
  for (int64_t lines : {1, 2, 3, 7, 16, 21, 40}) {
    for (int64_t size : {5, 12, 67}) {
      SCOPED_TRACE(testing::Message() << lines << " lines of " << size);
      const Signal numbers = RandomSignal(lines * size, false);
      const std::vector<float> memory = ToMemory<float>(numbers, false);
      for (const bool along_rows : {true, false}) {
        const int64_t stride = along_rows ? 1 : lines;
        const int64_t line_stride = along_rows ? size : 1;
        Signal expected(numbers.size());
        for (int64_t line = 0; line < lines; ++line) {
          Signal one;
          for (int64_t index = 0; index < size; ++index) one.push_back(numbers[line * line_stride + index * stride]);
          one = Transform(one, -1);
          for (int64_t index = 0; index < size; ++index) expected[line * line_stride + index * stride] = one[index];
        }
        std::vector<float> result(memory.size());
        PrepareFft({FftKind::kForward, false, {{lines, line_stride, line_stride}}, {{size, stride, stride}}})(
            memory.data(), result.data(), runtime::EagerPool());
        EXPECT_LE(Error(result, expected, false), 1e-6L);
      }
    }
  }
}

// Forward and back again over three dimensions, the operand of the way back in another order of memory.
TEST(Fft, ThreeDimensionsAndBack) {
  constexpr int64_t kBatch = 2, kA = 4, kB = 3, kC = 10, kHalf = kC / 2 + 1;
  const std::vector<double> signal = ToMemory<double>(RandomSignal(kBatch * kA * kB * kC, true), true);
  std::vector<double> spectrum(2 * kBatch * kA * kB * kHalf), back(signal.size());
  PrepareFft({FftKind::kRealToComplex,
              true,
              {{kBatch, kA * kB * kC, 1}},
              {{kA, kB * kC, kBatch}, {kB, kC, kBatch * kA}, {kC, 1, kBatch * kA * kB}}})(
      signal.data(), spectrum.data(), runtime::EagerPool());
  double sum = 0;
  for (int64_t index = 0; index < kA * kB * kC; ++index) sum += signal[index];
  EXPECT_NEAR(spectrum[0], sum, 1e-13);
  PrepareFft({FftKind::kComplexToReal,
              true,
              {{kBatch, 1, kA * kB * kC}},
              {{kA, kBatch, kB * kC}, {kB, kBatch * kA, kC}, {kC, kBatch * kA * kB, 1}}})(spectrum.data(), back.data(),
                                                                                          runtime::EagerPool());
  for (size_t index = 0; index < signal.size(); ++index) EXPECT_NEAR(back[index], signal[index], 1e-14);
}

TEST(Fft, InPlace) {
  for (const FftKind kind : {FftKind::kForward, FftKind::kInverse}) {
    const Fft fft = {kind, false, {{19, 150, 150}}, {{10, 15, 15}, {15, 1, 1}}};
    std::vector<float> array = ToMemory<float>(RandomSignal(19 * 150, false), false);
    std::vector<float> expected(array.size());
    PrepareFft(fft)(array.data(), expected.data(), runtime::EagerPool());
    PrepareFft(fft)(array.data(), array.data(), runtime::EagerPool());
    EXPECT_EQ(array, expected);
  }
}

// One line's infinities are no other line's business.
TEST(Fft, LinesDoNotMix) {
  std::vector<float> signal(2 * 8 * 4, 1.0f), result(signal.size());
  signal[0] = std::numeric_limits<float>::infinity();
  PrepareFft({FftKind::kForward, false, {{4, 8, 8}}, {{8, 1, 1}}})(signal.data(), result.data(), runtime::EagerPool());
  EXPECT_FALSE(std::isfinite(result[0]));
  for (size_t index = 2 * 8; index < result.size(); ++index) EXPECT_TRUE(std::isfinite(result[index]));
}

// One pass against the sums it stands for, with a different number in place of each root of unity between passes.
template <typename Real>
void CheckPass(const FftKernels<Real>& kernels, int64_t radix, int64_t count, int64_t stride) {
  SCOPED_TRACE(testing::Message() << radix << " x " << count << ", stride " << stride);
  const int64_t size = radix * count * stride;
  const std::vector<Real> twiddle_real = ToMemory<Real>(RandomSignal(radix * count, true, 2), true);
  const std::vector<Real> twiddle_imaginary = ToMemory<Real>(RandomSignal(radix * count, true, 3), true);
  std::vector<Real> cosines, sines;
  for (int64_t step = 0; step < radix; ++step) {
    const Complex root = std::polar(1.0L, 2 * std::numbers::pi_v<long double> * step / radix);
    cosines.push_back(static_cast<Real>(root.real()));
    sines.push_back(static_cast<Real>(root.imag()));
  }
  std::vector<Real> real = ToMemory<Real>(RandomSignal(size, true, 4), true);
  std::vector<Real> imaginary = ToMemory<Real>(RandomSignal(size, true, 5), true);
  std::vector<Real> real_result(size), imaginary_result(size);
  const FftPass<Real> pass = {radix,          count,       stride, twiddle_real.data(), twiddle_imaginary.data(),
                              cosines.data(), sines.data()};
  kernels.run_pass(pass, {real.data(), imaginary.data()}, {real_result.data(), imaginary_result.data()});
  for (int64_t p = 0; p < count; ++p) {
    for (int64_t j = 0; j < radix; ++j) {
      const int64_t place = (j - 1) * count + p;
      const Complex twiddle =
          j == 0 || count == 1 ? Complex(1) : Complex(twiddle_real[place], twiddle_imaginary[place]);
      for (int64_t q = 0; q < stride; ++q) {
        Complex sum = 0;
        for (int64_t k = 0; k < radix; ++k) {
          const int64_t from = q + stride * (p + count * k);
          const int64_t angle = j * k % radix;
          sum += Complex(real[from], imaginary[from]) * Complex(cosines[angle], -sines[angle]);
        }
        sum *= twiddle;
        const int64_t to = q + stride * (radix * p + j);
        ASSERT_NEAR(real_result[to], sum.real(), 20 * kTolerance<Real>);
        ASSERT_NEAR(imaginary_result[to], sum.imag(), 20 * kTolerance<Real>);
      }
    }
  }
}

// Lines into a block and back, beside numbers that must stay.
template <typename Real>
void CheckLines(const FftKernels<Real>& kernels, int64_t lines, int64_t count) {
  SCOPED_TRACE(testing::Message() << lines << " lines of " << count);
  std::vector<int64_t> starts;
  for (int64_t line = 0; line < lines; ++line) starts.push_back(2 * (lines - 1 - line) * (count + 3));
  const std::vector<Real> memory = ToMemory<Real>(RandomSignal(lines * (count + 3), false), false);
  std::vector<Real> real(lines * count), imaginary(lines * count);
  kernels.load_lines(memory.data(), starts.data(), lines, count, {real.data(), imaginary.data()});
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t number = 0; number < count; ++number) {
      ASSERT_EQ(real[number * lines + line], memory[starts[line] + 2 * number]);
      ASSERT_EQ(imaginary[number * lines + line], memory[starts[line] + 2 * number + 1]);
    }
  }
  std::vector<Real> back(memory.size(), 7);
  kernels.store_lines({real.data(), imaginary.data()}, starts.data(), lines, count, 2, back.data());
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t part = 0; part < 2 * (count + 3); ++part) {
      const int64_t place = starts[line] + part;
      ASSERT_EQ(back[place], part < 2 * count ? 2 * memory[place] : 7);
    }
  }
}

template <typename Real>
void CheckKernels(const FftKernels<Real>& kernels) {
  for (int64_t radix : {2, 3, 4, 5, 7, 13, 61}) {
    for (int64_t count : {1, 2, 21}) {
      for (int64_t stride : {1, 3, 16, 37}) CheckPass(kernels, radix, count, stride);
    }
  }
  for (int64_t lines : {1, 2, 4, 8, 16, 19, 35}) {
    for (int64_t count : {1, 2, 8, 9, 33}) CheckLines(kernels, lines, count);
  }
}

TEST(FftKernels, Portable) {
  CheckKernels(PortableFftKernelsF32());
  CheckKernels(PortableFftKernelsF64());
}

TEST(FftKernels, Avx2) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "this CPU has no AVX2";
  CheckKernels(Avx2FftKernelsF32());
  CheckKernels(Avx2FftKernelsF64());
}

TEST(FftKernels, Avx512) {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq"))
    GTEST_SKIP() << "this CPU has no AVX-512";
  CheckKernels(Avx512FftKernelsF32());
  CheckKernels(Avx512FftKernelsF64());
}

}  // namespace
}  // namespace stead::cpu
