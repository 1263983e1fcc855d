// Shardings as XLA writes them, which programs without Shardy carry: "{devices=[2,1,4]<=[8] last_tile_dim_replicate}".
//   Input: the text.  Output: tiles. RETURNS InvalidArgument for text that is no sharding of such an array.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ir/tiling.h"

namespace stead::frontend {

Result<ir::Tiling> ParseHloSharding(std::string_view text, int64_t rank, int64_t device_count);

}  // namespace stead::frontend
