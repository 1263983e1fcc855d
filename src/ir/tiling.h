// How one array lies on several devices: it is cut into tiles of equal shape, and each device holds one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stead::ir {

struct Tiling {
  std::vector<int64_t> tile_counts;  // per dimension of the array
  std::vector<int64_t>
      device_tiles;  // per device: the number of its tile, row major; several devices may hold the same

  // Every device holds the whole array.
  bool is_whole() const {
    return std::ranges::all_of(tile_counts, [](int64_t count) { return count == 1; });
  }
  friend bool operator==(const Tiling&, const Tiling&) = default;
};

// The arrays at the border of a program: leaves of the parameters and of the result, in order.
struct BorderTilings {
  std::vector<Tiling> parameters, results;
};

}  // namespace stead::ir
