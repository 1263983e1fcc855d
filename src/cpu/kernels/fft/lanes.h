// Vectors of any width. Included once per instruction set, after its target is chosen; everything here and in the headers that
// build on it has internal linkage, so that code for one CPU never serves another.
#pragma once

#include <cstring>

namespace stead::cpu {
namespace {

template <typename Real, int kWidth>
struct LanesOf {
  typedef Real Type __attribute__((vector_size(kWidth * sizeof(Real))));
};
template <typename Real>
struct LanesOf<Real, 1> {
  using Type = Real;
};
template <typename Real, int kWidth>
using Lanes = typename LanesOf<Real, kWidth>::Type;

template <typename T, typename Real>
inline T LoadLanes(const Real* from) {
  T lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <typename T, typename Real>
inline void StoreLanes(Real* to, T lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

}  // namespace
}  // namespace stead::cpu
