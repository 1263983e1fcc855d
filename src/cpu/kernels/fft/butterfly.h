// The butterflies: r numbers in, their transform out. `T` is one number's part or a vector of them.
//   Included once per instruction set, as lanes.h is.
#pragma once

#include <cstdint>

#include "cpu/kernels/fft/kernels.h"

namespace stead::cpu {
namespace {

template <typename T>
struct Number {
  T real, imaginary;
};

template <typename T>
inline Number<T> operator+(Number<T> a, Number<T> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
template <typename T>
inline Number<T> operator-(Number<T> a, Number<T> b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
template <typename T, typename Real>
inline Number<T> Scale(Number<T> a, Real factor) {
  return {a.real * factor, a.imaginary * factor};
}
// -i a
template <typename T>
inline Number<T> TurnBack(Number<T> a) {
  return {a.imaginary, -a.real};
}
template <typename T, typename Factor>
inline Number<T> Multiply(Number<T> a, Factor real, Factor imaginary) {
  return {a.real * real - a.imaginary * imaginary, a.real * imaginary + a.imaginary * real};
}

template <typename Real>
struct Radix2 {
  static constexpr int kRadix = 2;
  explicit Radix2(const FftPass<Real>&) {}
  template <typename T>
  inline void operator()(const Number<T>* a, Number<T>* b) const {
    b[0] = a[0] + a[1];
    b[1] = a[0] - a[1];
  }
};

template <typename Real>
struct Radix3 {
  static constexpr int kRadix = 3;
  explicit Radix3(const FftPass<Real>&) {}
  template <typename T>
  inline void operator()(const Number<T>* a, Number<T>* b) const {
    constexpr Real kSine = 0.866025403784438646763723170752936183L;
    const Number<T> sum = a[1] + a[2];
    const Number<T> middle = a[0] - Scale(sum, Real(0.5));
    const Number<T> side = TurnBack(Scale(a[1] - a[2], kSine));
    b[0] = a[0] + sum;
    b[1] = middle + side;
    b[2] = middle - side;
  }
};

template <typename Real>
struct Radix4 {
  static constexpr int kRadix = 4;
  explicit Radix4(const FftPass<Real>&) {}
  template <typename T>
  inline void operator()(const Number<T>* a, Number<T>* b) const {
    const Number<T> even_sum = a[0] + a[2];
    const Number<T> even_difference = a[0] - a[2];
    const Number<T> odd_sum = a[1] + a[3];
    const Number<T> odd_difference = TurnBack(a[1] - a[3]);
    b[0] = even_sum + odd_sum;
    b[1] = even_difference + odd_difference;
    b[2] = even_sum - odd_sum;
    b[3] = even_difference - odd_difference;
  }
};

template <typename Real>
struct Radix5 {
  static constexpr int kRadix = 5;
  explicit Radix5(const FftPass<Real>&) {}
  template <typename T>
  inline void operator()(const Number<T>* a, Number<T>* b) const {
    constexpr Real kCosine1 = 0.309016994374947424102293417182819059L;
    constexpr Real kCosine2 = -0.809016994374947424102293417182819059L;
    constexpr Real kSine1 = 0.951056516295153572116439333379382143L;
    constexpr Real kSine2 = 0.587785252292473129168705954639072769L;
    const Number<T> sum1 = a[1] + a[4];
    const Number<T> sum2 = a[2] + a[3];
    const Number<T> difference1 = a[1] - a[4];
    const Number<T> difference2 = a[2] - a[3];
    const Number<T> middle1 = a[0] + Scale(sum1, kCosine1) + Scale(sum2, kCosine2);
    const Number<T> middle2 = a[0] + Scale(sum1, kCosine2) + Scale(sum2, kCosine1);
    const Number<T> side1 = TurnBack(Scale(difference1, kSine1) + Scale(difference2, kSine2));
    const Number<T> side2 = TurnBack(Scale(difference1, kSine2) - Scale(difference2, kSine1));
    b[0] = a[0] + sum1 + sum2;
    b[1] = middle1 + side1;
    b[4] = middle1 - side1;
    b[2] = middle2 + side2;
    b[3] = middle2 - side2;
  }
};

// Any odd radix: outputs j and r - j share their sums of cosines and of sines.
template <typename Real>
struct OddRadix {
  static constexpr int kRadix = kMostRadix;
  explicit OddRadix(const FftPass<Real>& pass) : radix(pass.radix), cosines(pass.cosines), sines(pass.sines) {}
  template <typename T>
  inline void operator()(const Number<T>* a, Number<T>* b) const {
    Number<T> sums[kMostRadix / 2 + 1], differences[kMostRadix / 2 + 1];
    b[0] = a[0];
    for (int64_t k = 1; k <= radix / 2; ++k) {
      sums[k] = a[k] + a[radix - k];
      differences[k] = a[k] - a[radix - k];
      b[0] = b[0] + sums[k];
    }
    for (int64_t j = 1; j <= radix / 2; ++j) {
      Number<T> middle = a[0] + Scale(sums[1], cosines[j]);
      Number<T> side = Scale(differences[1], sines[j]);
      for (int64_t k = 2; k <= radix / 2; ++k) {
        const int64_t angle = j * k % radix;
        middle = middle + Scale(sums[k], cosines[angle]);
        side = side + Scale(differences[k], sines[angle]);
      }
      b[j] = middle + TurnBack(side);
      b[radix - j] = middle - TurnBack(side);
    }
  }
  int64_t radix;
  const Real* cosines;
  const Real* sines;
};

}  // namespace
}  // namespace stead::cpu
