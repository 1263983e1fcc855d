#include "frontend/stablehlo/devices/hlo_sharding.h"

#include <gtest/gtest.h>

namespace stead::frontend {
namespace {

using Tiles = std::vector<int64_t>;

ir::Tiling Parsed(std::string_view text, int64_t rank, int64_t device_count) {
  Result<ir::Tiling> tiling = ParseHloSharding(text, rank, device_count);
  EXPECT_TRUE(tiling.ok()) << text;
  return tiling.ok() ? *tiling : ir::Tiling();
}

TEST(HloSharding, TilesInTheOrderOfDevices) {
  EXPECT_EQ(Parsed("{devices=[2,1]<=[2]}", 2, 2), (ir::Tiling{{2, 1}, {0, 1}}));
  EXPECT_EQ(Parsed("{devices=[2,2]<=[4]}", 2, 4), (ir::Tiling{{2, 2}, {0, 1, 2, 3}}));
  EXPECT_EQ(Parsed("{devices=[2,2]0,2,1,3}", 2, 4), (ir::Tiling{{2, 2}, {0, 2, 1, 3}}));
}

TEST(HloSharding, PermutedDevices) {
  // Devices 0..7 as 4 rows of 2, read by columns: 0 2 4 6, 1 3 5 7.
  EXPECT_EQ(Parsed("{devices=[2,4]<=[4,2]T(1,0)}", 2, 8).device_tiles, (Tiles{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(HloSharding, DevicesThatHoldTheSame) {
  EXPECT_EQ(Parsed("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", 2, 4), (ir::Tiling{{2, 1}, {0, 0, 1, 1}}));
  EXPECT_EQ(Parsed("{devices=[2,2,1]<=[4] last_tile_dims={manual, replicated}}", 1, 4),
            (ir::Tiling{{2}, {0, 0, 1, 1}}));
  EXPECT_TRUE(Parsed("{replicated}", 3, 4).is_whole());
  EXPECT_TRUE(Parsed("{maximal device=1}", 1, 4).is_whole());
}

TEST(HloSharding, OtherTextIsRefused) {
  for (std::string_view text :
       {"", "{", "{devices=", "{devices=[2,1]}", "{devices=[2,1]<=[4]}", "{devices=[2]<=[2]}", "{devices=[0,2]<=[2]}",
        "{devices=[2,1]0,0}", "{devices=[2,1]0,5}", "{devices=[2,1]<=[2]T(1)}", "{devices=[2,1]<=[1,2]T(0,0)}",
        "{devices=[2,9223372036854775807]<=[2]}", "{devices=[2,1]<=[2] last_tile_dims={", "tuple"}) {
    EXPECT_FALSE(ParseHloSharding(text, 2, 2).ok()) << text;
  }
}

}  // namespace
}  // namespace stead::frontend
