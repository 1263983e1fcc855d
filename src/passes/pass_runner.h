// Runs the list of passes, verifying after each.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "passes/pass.h"

namespace stead::passes {

// Called with (number, pass name, module) before the first pass (0, "given") and after each pass.
using PassObserver = std::function<Status(int, std::string_view, const ir::Module&)>;

// All passes in the order of the pipeline (passes.def).
std::span<const Pass> Pipeline();

Status RunPasses(ir::Module& module, std::span<const Pass> passes, const PassObserver& observer = {});

}  // namespace stead::passes
