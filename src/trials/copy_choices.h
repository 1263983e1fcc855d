// What a brute-force planner may choose in a small module: an order for every computation that runs, and which uses of arrays get
// a private copy. Shares nothing with the planner but the table of effects (analysis/effects.h) and trip counts.
//   module -> orders per computation x purchases. Essay: copy_choices.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/effects.h"
#include "ir/module.h"

namespace stead::trials {

// An array leaf of an instruction.
struct ValueLeaf {
  ir::InstrId instruction;
  int32_t leaf = 0;
  friend auto operator<=>(const ValueLeaf&, const ValueLeaf&) = default;
};

// One array leaf of one operand, or a result leaf of a computation.
struct LeafUse {
  ir::ComputationId computation;
  ir::InstrId user;  // none: the end of the computation
  int32_t operand = 0;
  int32_t leaf = 0;
  ValueLeaf origin;           // what made the bytes, behind tuples, barriers and reshapes
  analysis::Footprint bytes;  // what is read
};

// A private copy, taken as soon as the value is there, of what one use reads; or of an operand of a conditional, either for all
// branches, or when one of them begins.
struct Purchase {
  std::vector<int32_t> uses;
  ir::ComputationId computation;  // where it is taken: that of the uses, or the branch
  int64_t cost = 0;               // bytes x executions
};

struct ComputationChoices {
  ir::ComputationId id;
  int64_t executions = 1;
  int64_t written_bytes = 0;  // moved by the copies that the program itself asks for
  // Every order of the ops that overwrite something; all others run as soon as they can.
  std::vector<std::vector<ir::InstrId>> orders;
  int32_t first_result_use = 0;  // number of the use of result leaf 0; the others follow
};

struct CopyChoices {
  std::vector<ComputationChoices> computations;
  std::map<ir::ComputationId, size_t> numbers;  // into `computations`
  IdVector<ir::InstrId, analysis::Effects> effects;
  std::vector<LeafUse> uses;
  // Per instruction: the number of its first use; those of its other operand leaves follow in order.
  IdVector<ir::InstrId, int32_t> first_use;
  std::vector<Purchase> purchases;
};

// None when the module has too many orders, or ops that are not covered: side effects, calls, other layouts.
std::optional<CopyChoices> CollectCopyChoices(const ir::Module& module, int64_t unknown_trip_count);

std::string Describe(const ir::Module& module, const CopyChoices& choices, const Purchase& purchase);

}  // namespace stead::trials
