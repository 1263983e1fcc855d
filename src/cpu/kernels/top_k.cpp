#include "cpu/kernels/top_k.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace stead::cpu {
namespace {

// A number that grows with the float whose bits these are.
template <typename Bits>
struct FloatRank {
  using Element = Bits;
  static Bits Of(Bits bits) { return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits; }
};

template <typename Integer>
struct IntegerRank {
  using Element = Integer;
  static Integer Of(Integer value) { return value; }
};

template <typename Rank, bool largest>
void SelectInOrder(const char* row, int64_t size, int64_t count, char* values, int32_t* places) {
  using Element = typename Rank::Element;
  const auto at = [&](int64_t place) {
    Element element;
    std::memcpy(&element, row + place * static_cast<int64_t>(sizeof element), sizeof element);
    return element;
  };
  const auto is_better = [](Element one, Element other) { return largest ? one > other : one < other; };
  const auto is_before = [&](int32_t left, int32_t right) {
    const Element one = Rank::Of(at(left)), other = Rank::Of(at(right));
    return one != other ? is_better(one, other) : left < right;
  };
  int32_t* const end = places + count;
  for (int32_t place = 0; place < count; ++place) places[place] = place;
  std::make_heap(places, end, is_before);
  Element last = Rank::Of(at(places[0]));
  for (int64_t place = count; place < size; ++place) {
    // An equal element that comes later stands behind.
    if (!is_better(Rank::Of(at(place)), last)) continue;
    std::pop_heap(places, end, is_before);
    end[-1] = static_cast<int32_t>(place);
    std::push_heap(places, end, is_before);
    last = Rank::Of(at(places[0]));
  }
  std::sort_heap(places, end, is_before);
  for (int64_t number = 0; number < count; ++number) {
    const Element element = at(places[number]);
    std::memcpy(values + number * static_cast<int64_t>(sizeof element), &element, sizeof element);
  }
}

template <typename Rank>
void Select(const void* row, int64_t size, int64_t count, bool largest, void* values, int32_t* places) {
  if (count == 0) return;
  const auto select = largest ? SelectInOrder<Rank, true> : SelectInOrder<Rank, false>;
  select(static_cast<const char*>(row), size, count, static_cast<char*>(values), places);
}

using SelectFunction = void(const void*, int64_t, int64_t, bool, void*, int32_t*);

SelectFunction* FunctionFor(ElementOrder order, int64_t element_bytes) {
  const bool is_signed = order == ElementOrder::kSigned;
  if (order == ElementOrder::kFloat) {
    if (element_bytes == 2) return Select<FloatRank<int16_t>>;
    return element_bytes == 4 ? Select<FloatRank<int32_t>> : Select<FloatRank<int64_t>>;
  }
  switch (element_bytes) {
    case 1: return is_signed ? Select<IntegerRank<int8_t>> : Select<IntegerRank<uint8_t>>;
    case 2: return is_signed ? Select<IntegerRank<int16_t>> : Select<IntegerRank<uint16_t>>;
    case 4: return is_signed ? Select<IntegerRank<int32_t>> : Select<IntegerRank<uint32_t>>;
    default: return is_signed ? Select<IntegerRank<int64_t>> : Select<IntegerRank<uint64_t>>;
  }
}

}  // namespace

void SelectRow(const void* row, int64_t size, int64_t count, ElementOrder order, int64_t element_bytes, bool largest,
               void* values, int32_t* places) {
  FunctionFor(order, element_bytes)(row, size, count, largest, values, places);
}

}  // namespace stead::cpu
