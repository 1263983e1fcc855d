// Integers that address arrays, as far as they are understood: a multiple of one value of the program plus a number.
//   The values of inner computations in terms of the computation that calls them; counters of loops by their iteration.
//   Safe wrong answer: a value that is not taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/footprint.h"
#include "analysis/trip_count.h"
#include "ir/module.h"

namespace stead::analysis {

// factor * value + addend, in integers of the scalar's own type; the addend alone when factor is 0.
struct IndexValue {
  ir::InstrId value;
  int64_t element = -1;  // of a tuple `value`
  int64_t factor = 0;
  int64_t addend = 0;
};
// REQUIRES: `scalar` is an integer of one element.
IndexValue IndexValueOf(const ir::Module& module, ir::InstrId scalar);

// The number moved into [0, high] as a part of a footprint: its known start and its symbol.
SymbolMeaning ClampedIndex(const ir::Module& module, ir::InstrId scalar, int64_t high);

// State elements of loops that are start + step * t in iteration t.
class LoopCounters {
 public:
  // REQUIRES: `loop` is a while.
  void Add(const ir::Module& module, ir::InstrId loop);
  // With counters by their iteration, where the window that they place is never moved to fit.
  Footprint ByIteration(const Footprint& footprint) const;

 private:
  struct Counters {
    ir::InstrId loop;
    std::vector<LoopCounter> counters;
  };
  std::unordered_map<ir::InstrId, Counters> by_parameter_;
};

// What a run of the called computation touches, in terms of the caller's values: of a branch, or of all iterations of a body.
// `called`: which of the caller's computations the footprint is of.
Footprint InCaller(const ir::Module& module, ir::InstrId caller, size_t called, const Footprint& footprint);
// Of the scalars in a fusion, the parameters are the fusion's operands.
Footprint OutsideFusion(const ir::Module& module, ir::InstrId fusion, const Footprint& footprint);

}  // namespace stead::analysis
