// A tiling in the words of XLA: OpSharding, serialised.
#pragma once

#include <string>

#include "ir/tiling.h"

namespace stead::pjrt {

std::string WriteOpSharding(const ir::Tiling& tiling);

}  // namespace stead::pjrt
