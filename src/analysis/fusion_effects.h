// Effects of a fusion, composed from the effects of the instructions it holds.
#pragma once

#include "analysis/effects.h"

namespace stead::analysis {

// REQUIRES: `id` is a fusion.
Effects FusionEffects(const ir::Module& module, ir::InstrId id);

}  // namespace stead::analysis
