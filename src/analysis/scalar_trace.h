// Where a scalar comes from: through what only renames or moves it, into fusions and out of their parameters.
#pragma once

#include <vector>

#include "ir/module.h"

namespace stead::analysis {

// An instruction seen through fusions: `fusions` are those entered on the way, outermost first.
struct ScalarPlace {
  ir::InstrId id;
  std::vector<ir::InstrId> fusions;
};

// Follows the scalar to the op that makes it.
ScalarPlace Trace(const ir::Module& module, ScalarPlace place);
ScalarPlace TraceOperand(const ir::Module& module, const ScalarPlace& user, size_t number);

}  // namespace stead::analysis
