// How the arrays at the border of a program for several devices lie on them.
//   Input: a StableHLO portable artifact.  Output: a tiling per argument and result of `main`. An argument of which the program says
//   nothing is whole on every device; a result of which it says nothing lies as what it is made from (propagation.h).
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "ir/tiling.h"

namespace stead::frontend {

Result<ir::BorderTilings> ReadBorderTilings(std::span<const std::byte> bytes, int64_t device_count);

}  // namespace stead::frontend
