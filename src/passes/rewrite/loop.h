// Makes loops that count: for (i = 0; i < count; ++i) state = body(i, state).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "passes/rewrite/build.h"

namespace stead::passes {

// Given the counter (s32[]) and the values of the state, builds one iteration and RETURNS the state after it, of equal shapes.
using LoopBody =
    std::function<std::vector<ir::InstrId>(Builder& build, ir::InstrId counter, std::vector<ir::InstrId> state)>;

// The state after the last iteration. A body can use nothing from outside but its arguments: what it reads goes into the state
// and comes back unchanged.
std::vector<ir::InstrId> CountedLoop(Builder& build, const std::string& name, int64_t count,
                                     const std::vector<ir::InstrId>& state, const LoopBody& body);

}  // namespace stead::passes
