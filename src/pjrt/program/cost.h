// An estimate of the work of a program, for callers of cost_analysis().
//   Operations: one per result element of an elementwise op, one per input element of a reduction, two per multiply-add.
//   Bytes: operands and results of every op that moves data, inside fusions only at their border. Loop bodies count as often
//   as they run where that is known, and once where it is not; of a conditional, the most expensive branch.
#pragma once

#include "ir/module.h"

namespace stead::pjrt {

struct Cost {
  double operations = 0;
  double bytes_accessed = 0;
};

Cost EstimateCost(const ir::Module& module);

}  // namespace stead::pjrt
