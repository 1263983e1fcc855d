// Sets of bytes of one array: what an op reads or writes of it. Exact for slices, windows and known index arrays.
//   A footprint is a union of runs of bytes that repeat at fixed strides. Strided, reversed, transposed and flattened ways to
//   address an array all give such sets, so they compare without regard to shapes.
//   A run may start at an integer that only the program knows (Symbol). Two footprints of one array compare as of one moment:
//   equal symbols are equal numbers.
//   Safe wrong answers: "may share a byte", a larger footprint.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace stead::analysis {

// factor * value + addend, computed in integers of `type`, moved into [0, high].
struct Symbol {
  ir::InstrId
      value;  // a scalar; a tuple, of which `element` is meant; a loop, whose number of iterations so far is meant
  int64_t element = -1;  // -1: the value itself
  int64_t factor = 1;
  int64_t addend = 0;
  int64_t high = 0;
  ir::ElementType type = ir::ElementType::kS32;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// stride * symbol bytes.
struct SymbolTerm {
  int64_t stride = 0;
  Symbol symbol;
  friend bool operator==(const SymbolTerm&, const SymbolTerm&) = default;
};

// `count` times, `stride` bytes apart.
struct Axis {
  int64_t stride = 0;
  int64_t count = 0;
  friend bool operator==(const Axis&, const Axis&) = default;
};

// `bytes` bytes from `start` + all terms on, repeated along all axes. Axes have positive strides, largest first, and counts above 1.
// No two terms have one symbol.
struct StridedRun {
  int64_t start = 0;
  int64_t bytes = 0;
  std::vector<Axis> axes;
  std::vector<SymbolTerm> terms;

  // Adds an axis of any sign and count.
  void Repeat(int64_t stride, int64_t count);
  // Starts stride * symbol bytes further on.
  void Move(int64_t stride, const Symbol& symbol);
  void MergeTouching();
  friend bool operator==(const StridedRun&, const StridedRun&) = default;
};

struct Footprint {
  bool whole = true;             // any byte of the array
  std::vector<StridedRun> runs;  // when !whole

  static Footprint Nothing() { return {false, {}}; }
  static Footprint Of(StridedRun run) { return {false, {std::move(run)}}; }
  bool empty() const { return !whole && runs.empty(); }
  // True when its bytes are known numbers.
  bool is_known() const;
  // Adds the bytes of `other`. Neighbours and even distances are found best in ascending order; many runs become one that covers all.
  void Include(const Footprint& other);
  friend bool operator==(const Footprint&, const Footprint&) = default;
};

// True only when no byte lies in both.
bool Disjoint(const Footprint& left, const Footprint& right);
// True only when every byte of `inner` lies in `outer`.
bool Covers(const Footprint& outer, const Footprint& inner);

// The bytes of an array of this shape at start + step * k, 0 <= k < count, in every dimension. Steps may be negative.
Footprint BoxFootprint(const ir::Shape& array, const std::vector<int64_t>& starts, const std::vector<int64_t>& counts,
                       const std::vector<int64_t>& steps);
// Bytes between neighbours in each dimension; none for layouts with tiles or other suffixes.
std::optional<std::vector<int64_t>> ByteStrides(const ir::Shape& array);

// What a symbol is when more is known of its value: a known start, plus a multiple of another symbol.
struct SymbolMeaning {
  int64_t start = 0;
  int64_t factor = 0;  // 0: the start alone
  Symbol symbol;
};
// The footprint with symbols replaced by what `meaning` says of them; none: by all numbers that they may be.
Footprint Replaced(const Footprint& footprint,
                   const std::function<std::optional<SymbolMeaning>(const Symbol&)>& meaning);

}  // namespace stead::analysis
