#include "cpu/kernels/fft/roots_of_unity.h"

#include <cmath>
#include <numbers>

namespace stead::cpu {

RootsOfUnity::RootsOfUnity(int64_t count) : count_(count) {
  while (block_ * block_ < count) block_ *= 2;
  for (int64_t step = 0; step < block_; ++step) fine_.push_back(QuarterPart(step));
  for (int64_t step = 0; step * block_ < count; ++step) coarse_.push_back(QuarterPart(step * block_));
}

Root RootsOfUnity::QuarterPart(int64_t step) const {
  const long double angle = std::numbers::pi_v<long double> / 2 * step / count_;
  return {std::cos(angle), -std::sin(angle)};
}

Root RootsOfUnity::operator[](int64_t k) const {
  const int64_t rest = 4 * k % count_;
  const Root left = coarse_[rest / block_];
  const Root right = fine_[rest % block_];
  const Root root(left.real() * right.real() - left.imag() * right.imag(),
                  left.real() * right.imag() + left.imag() * right.real());
  switch (4 * k / count_) {
    case 0: return root;
    case 1: return {root.imag(), -root.real()};
    case 2: return {-root.real(), -root.imag()};
    default: return {-root.imag(), root.real()};
  }
}

}  // namespace stead::cpu
