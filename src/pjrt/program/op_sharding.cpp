#include "pjrt/program/op_sharding.h"

#include <algorithm>
#include <vector>

#include <protozero/pbf_builder.hpp>

namespace stead::pjrt {

namespace {

enum class ShardingField : protozero::pbf_tag_type {
  kType = 1,
  kTileDimensions = 3,
  kTileDevices = 4,
  kReplicateOnLastTileDimension = 6,
};
enum ShardingType : int32_t { kReplicated = 0, kOther = 3 };

// The devices in the order of their tiles, as many to each.
std::vector<int64_t> DevicesByTile(const ir::Tiling& tiling) {
  std::vector<int64_t> devices(tiling.device_tiles.size());
  for (size_t device = 0; device < devices.size(); ++device) devices[device] = static_cast<int64_t>(device);
  std::ranges::stable_sort(devices, {}, [&](int64_t device) { return tiling.device_tiles[device]; });
  return devices;
}

}  // namespace

std::string WriteOpSharding(const ir::Tiling& tiling) {
  std::string bytes;
  protozero::pbf_builder<ShardingField> sharding(bytes);
  sharding.add_enum(ShardingField::kType, tiling.is_whole() ? kReplicated : kOther);
  if (tiling.is_whole()) return bytes;
  std::vector<int64_t> dimensions = tiling.tile_counts;
  int64_t tile_count = 1;
  for (const int64_t count : dimensions) tile_count *= count;
  const int64_t holders = static_cast<int64_t>(tiling.device_tiles.size()) / tile_count;
  if (holders > 1) dimensions.push_back(holders);
  const std::vector<int64_t> devices = DevicesByTile(tiling);
  sharding.add_packed_int64(ShardingField::kTileDimensions, dimensions.begin(), dimensions.end());
  sharding.add_packed_int64(ShardingField::kTileDevices, devices.begin(), devices.end());
  if (holders > 1) sharding.add_bool(ShardingField::kReplicateOnLastTileDimension, true);
  return bytes;
}

}  // namespace stead::pjrt
