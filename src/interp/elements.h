// Elements as numbers: how a run of stored elements becomes values to compute with, and values become elements again.
//   Every element type computes as one of seven value types: pred as bool, s2..s64 as int64_t, u2..u64 as uint64_t,
//   f64 as double, every other float as float, c64 and c128 as std::complex.
//   Reading is exact. Writing is HLO's conversion from the value type to the element type: integers wrap, floats round once to
//   nearest even, float to integer cuts off and saturates (NaN gives 0), anything to pred is `!= 0`, complex to real keeps
//   the real part. So an op is "read, compute, write", and `convert` is "read, write".
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/literal.h"

namespace stead::interp {

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

template <typename Value>
inline constexpr bool kIsComplex = false;
template <typename Real>
inline constexpr bool kIsComplex<std::complex<Real>> = true;

// Calls visit.template operator()<Value>() with the value type of `type`.
template <typename Visit>
auto VisitValue(ir::ElementType type, Visit visit) {
  switch (ir::ElementClassOf(type)) {
    case ir::ElementClass::kBoolean: return visit.template operator()<bool>();
    case ir::ElementClass::kSigned: return visit.template operator()<int64_t>();
    case ir::ElementClass::kUnsigned: return visit.template operator()<uint64_t>();
    case ir::ElementClass::kFloat:
      return type == ir::ElementType::kF64 ? visit.template operator()<double>() : visit.template operator()<float>();
    case ir::ElementClass::kComplex: break;
  }
  return type == ir::ElementType::kC128 ? visit.template operator()<Complex128>()
                                        : visit.template operator()<Complex64>();
}

// Reads elements [first, first + count): returns where the values are, which is `buffer` unless the elements already are values.
template <typename Value>
using Reader = const Value* (*)(const std::byte* elements, int64_t first, int64_t count, Value* buffer);
// REQUIRES: Value is the value type of `type`.
template <typename Value>
Reader<Value> ReaderOf(ir::ElementType type);

// Writes `count` values as elements [first, first + count).
template <typename Value>
using Writer = void (*)(const Value* values, int64_t count, std::byte* elements, int64_t first);
template <typename Value>
Writer<Value> WriterOf(ir::ElementType type);

// All elements of an array, converted to Wide: int64_t, uint64_t, double or Complex128. REQUIRES: the conversion is exact.
template <typename Wide>
std::vector<Wide> ReadAll(const ir::Literal& literal);
// An array of the given values, each rounded once. REQUIRES: one value per element of `shape`.
template <typename Wide>
ir::Literal WriteAll(const ir::Shape& shape, const std::vector<Wide>& values);

// Calls visit.template operator()<Wide>() with the widest type that holds `type` exactly: int64_t, uint64_t (pred too),
// double or Complex128.
template <typename Visit>
auto VisitWide(ir::ElementType type, Visit visit) {
  switch (ir::ElementClassOf(type)) {
    case ir::ElementClass::kSigned: return visit.template operator()<int64_t>();
    case ir::ElementClass::kBoolean:
    case ir::ElementClass::kUnsigned: return visit.template operator()<uint64_t>();
    case ir::ElementClass::kFloat: return visit.template operator()<double>();
    case ir::ElementClass::kComplex: break;
  }
  return visit.template operator()<Complex128>();
}

// An integer element as an index; unsigned values beyond int64 give the largest int64.
int64_t IndexAt(const ir::Literal& literal, int64_t position);

}  // namespace stead::interp
