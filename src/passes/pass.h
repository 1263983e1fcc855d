// What a pass is: a named Module -> Module rewrite that knows nothing of buffers. The runner (pass_runner.h) verifies, times
// and dumps around each; a pass does none of that itself. Barriers are fences that no pass may cross.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace stead::passes {

struct PassReport {
  bool changed = false;
};

struct Pass {
  std::string_view name;         // "constant-fold": its flag, its dump file
  std::string_view description;  // one sentence
  Result<PassReport> (*run)(ir::Module& module);
};

}  // namespace stead::passes
