// Lengths whose prime factors are small are done pass by pass (kernels.h). For others, j k = (j^2 + k^2 - (k - j)^2) / 2 turns the
// transform into a convolution: with the chirp c[j] = exp(-pi i j^2 / n),
//   X[k] = c[k] * sum over j of (x[j] c[j]) * conj(c[k - j]),
// and that is done by transforms of a longer, smooth length (Bluestein's method).
#include "cpu/kernels/fft/line_transform.h"

#include <algorithm>
#include <utility>

#include "cpu/kernels/fft/roots_of_unity.h"

namespace stead::cpu {
namespace {

// The factors of a length in the order of its passes; empty when one of them is too large.
std::vector<int64_t> Radices(int64_t length) {
  std::vector<int64_t> radices;
  for (int64_t radix : {4, 2, 3, 5}) {
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  }
  for (int64_t radix = 7; radix <= kMostRadix; radix += 2) {
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  }
  if (length > 1) radices.clear();
  return radices;
}

int64_t SmoothLengthFrom(int64_t least) {
  int64_t best = 1;
  while (best < least) best *= 2;
  for (int64_t fives = 1; fives < best; fives *= 5) {
    for (int64_t threes = fives; threes < best; threes *= 3) {
      int64_t length = threes;
      while (length < least) length *= 2;
      best = std::min(best, length);
    }
  }
  return best;
}

template <typename Real>
FftFactors<Real> FactorsOf(const std::vector<Real>& real, const std::vector<Real>& imaginary) {
  return {real.data(), imaginary.data(), static_cast<int64_t>(real.size())};
}

}  // namespace

template <typename Real>
LineTransform<Real>::LineTransform(int64_t length) : length_(length), kernels_(BestFftKernels<Real>()) {
  if (length == 1) return;
  const std::vector<int64_t> radices = Radices(length);
  if (radices.empty()) PrepareConvolution();
  for (int64_t radix : radices) {
    AddPass(radix, length);
    length /= radix;
  }
}

template <typename Real>
void LineTransform<Real>::AddPass(int64_t radix, int64_t length) {
  FftPass<Real> pass;
  pass.radix = radix;
  pass.count = length / radix;
  pass.stride = length_ / length;
  const auto keep = [&](std::vector<Real> table) { return tables_.emplace_back(std::move(table)).data(); };
  const RootsOfUnity roots(length);
  std::vector<Real> real, imaginary;
  for (int64_t output = 1; output < radix; ++output) {
    for (int64_t butterfly = 0; butterfly < pass.count; ++butterfly) {
      const Root root = roots[output * butterfly];
      real.push_back(static_cast<Real>(root.real()));
      imaginary.push_back(static_cast<Real>(root.imag()));
    }
  }
  pass.twiddle_real = keep(std::move(real));
  pass.twiddle_imaginary = keep(std::move(imaginary));
  const RootsOfUnity circle(radix);
  std::vector<Real> cosines, sines;
  for (int64_t step = 0; step < radix; ++step) {
    cosines.push_back(static_cast<Real>(circle[step].real()));
    sines.push_back(static_cast<Real>(-circle[step].imag()));
  }
  pass.cosines = keep(std::move(cosines));
  pass.sines = keep(std::move(sines));
  passes_.push_back(pass);
}

template <typename Real>
void LineTransform<Real>::PrepareConvolution() {
  inner_ = std::make_unique<const LineTransform>(SmoothLengthFrom(2 * length_ - 1));
  const int64_t size = inner_->length();
  const RootsOfUnity roots(2 * length_);
  std::vector<Real> real(size), imaginary(size), spare_real(size), spare_imaginary(size);
  int64_t square = 0;
  for (int64_t step = 0; step < length_; ++step) {
    const Root chirp = roots[square];
    square = (square + 2 * step + 1) % (2 * length_);
    chirp_real_.push_back(static_cast<Real>(chirp.real()));
    chirp_imaginary_.push_back(static_cast<Real>(chirp.imag()));
    // The inverse transform's division by its length is done here, once.
    const int64_t mirrored = step == 0 ? 0 : size - step;
    real[step] = real[mirrored] = static_cast<Real>(chirp.real() / size);
    imaginary[step] = imaginary[mirrored] = static_cast<Real>(-chirp.imag() / size);
  }
  const SplitArray<Real> filter =
      inner_->Run({real.data(), imaginary.data()}, {spare_real.data(), spare_imaginary.data()}, 1);
  filter_real_.assign(filter.real, filter.real + size);
  filter_imaginary_.assign(filter.imaginary, filter.imaginary + size);
}

template <typename Real>
SplitArray<Real> LineTransform<Real>::Convolve(SplitArray<Real> data, SplitArray<Real> spare, int64_t lines) const {
  kernels_.multiply(FactorsOf(chirp_real_, chirp_imaginary_), data, lines);
  const int64_t filled = length_ * lines;
  const int64_t size = inner_->length() * lines;
  std::fill(data.real + filled, data.real + size, Real(0));
  std::fill(data.imaginary + filled, data.imaginary + size, Real(0));
  const SplitArray<Real> spectrum = inner_->Run(data, spare, lines);
  kernels_.multiply(FactorsOf(filter_real_, filter_imaginary_), spectrum, lines);
  // With its parts exchanged a forward transform is an inverse one.
  const SplitArray<Real> other = spectrum.real == data.real ? spare : data;
  const SplitArray<Real> exchanged =
      inner_->Run({spectrum.imaginary, spectrum.real}, {other.imaginary, other.real}, lines);
  const SplitArray<Real> result = {exchanged.imaginary, exchanged.real};
  kernels_.multiply(FactorsOf(chirp_real_, chirp_imaginary_), result, lines);
  return result;
}

template <typename Real>
SplitArray<Real> LineTransform<Real>::Run(SplitArray<Real> data, SplitArray<Real> spare, int64_t lines) const {
  if (inner_ != nullptr) return Convolve(data, spare, lines);
  for (FftPass<Real> pass : passes_) {
    pass.stride *= lines;
    kernels_.run_pass(pass, data, spare);
    std::swap(data, spare);
  }
  return data;
}

template class LineTransform<float>;
template class LineTransform<double>;

}  // namespace stead::cpu
