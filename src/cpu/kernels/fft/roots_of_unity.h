// exp(-2 pi i k / n), right to the last bit of f64.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace stead::cpu {

using Root = std::complex<long double>;

// Quarters of the circle are exact; in between, the product of one root out of each of two short tables.
class RootsOfUnity {
 public:
  explicit RootsOfUnity(int64_t count);

  // REQUIRES: 0 <= k < count.
  Root operator[](int64_t k) const;

 private:
  // At the angle -(pi / 2) * step / count.
  Root QuarterPart(int64_t step) const;

  int64_t count_;
  int64_t block_ = 1;
  std::vector<Root> fine_, coarse_;
};

}  // namespace stead::cpu
