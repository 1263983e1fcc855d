// Ops that exchange the elements of an array in pairs: the transpose of a square, a reverse.
//   Such an op can work in its operand's memory, pair by pair. Safe wrong answer: nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace stead::analysis {

// The partner of the element at index k is at index p with p[dim] = k[permutation[dim]], counted from the end of the dimension
// where it is reversed. The partner of p is k again.
struct Exchange {
  std::vector<int64_t> dimensions;  // of the array, in row-major order
  std::vector<int64_t> permutation;
  std::vector<bool> reversed;
  friend bool operator==(const Exchange&, const Exchange&) = default;
};

std::optional<Exchange> ExchangeOf(const ir::Module& module, ir::InstrId id);

}  // namespace stead::analysis
