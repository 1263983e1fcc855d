#include "pjrt/program/partition.h"

#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stead::pjrt {

namespace {

// A tile in the whole array: where its first element lies, and how both are walked.
class TileWalk {
 public:
  TileWalk(const ir::Shape& whole, const ir::Tiling& tiling, int64_t tile)
      : tile_(whole),
        element_bytes_(ir::ElementBytes(whole.element_type)),
        strides_(ir::RowMajorStrides(whole.dimensions)) {
    for (size_t dim = tiling.tile_counts.size(); dim-- > 0;) {
      tile_.dimensions[dim] /= tiling.tile_counts[dim];
      offset_ += tile % tiling.tile_counts[dim] * tile_.dimensions[dim] * strides_[dim];
      tile /= tiling.tile_counts[dim];
    }
  }

  const ir::Shape& shape() const { return tile_; }

  // Calls `body(bytes in the whole array, bytes in the tile, count)` for each run of bytes that lies dense in both.
  template <typename Body>
  void ForEachRun(Body body) const {
    if (tile_.element_count() == 0) return;
    int64_t tile_offset = 0;
    Walk(0, offset_, tile_offset, body);
  }

 private:
  template <typename Body>
  void Walk(size_t dim, int64_t whole_offset, int64_t& tile_offset, Body& body) const {
    const bool is_run = dim + 1 >= tile_.dimensions.size();
    if (is_run) {
      const int64_t bytes = (tile_.dimensions.empty() ? 1 : tile_.dimensions[dim]) * element_bytes_;
      body(whole_offset * element_bytes_, tile_offset, bytes);
      tile_offset += bytes;
      return;
    }
    for (int64_t index = 0; index < tile_.dimensions[dim]; ++index) {
      Walk(dim + 1, whole_offset + index * strides_[dim], tile_offset, body);
    }
  }

  ir::Shape tile_;
  int64_t element_bytes_;
  std::vector<int64_t> strides_;
  int64_t offset_ = 0;  // in elements
};

}  // namespace

Result<ir::Shape> TileShape(const ir::Shape& whole, const ir::Tiling& tiling) {
  if (whole.dimensions.size() != tiling.tile_counts.size()) {
    return InvalidArgument(
        fmt::format("{} is split along {} dimensions", whole.ToString(false), tiling.tile_counts.size()));
  }
  ir::Shape tile = whole;
  for (size_t dim = 0; dim < tile.dimensions.size(); ++dim) {
    if (tile.dimensions[dim] % tiling.tile_counts[dim] != 0) {
      return Unimplemented(fmt::format("{} split into {} parts of unequal size", whole.ToString(false),
                                       fmt::join(tiling.tile_counts, " x ")));
    }
    tile.dimensions[dim] /= tiling.tile_counts[dim];
  }
  return tile;
}

Result<runtime::Signature> SignatureOfOneDevice(const runtime::Signature& whole, const ir::BorderTilings& tilings) {
  if (whole.parameters.size() != tilings.parameters.size() || whole.results.size() != tilings.results.size()) {
    return Unimplemented("a program for several devices with values that are no arrays");
  }
  runtime::Signature signature = whole;
  for (size_t number = 0; number < whole.parameters.size(); ++number) {
    TRY(signature.parameters[number], TileShape(whole.parameters[number], tilings.parameters[number]));
  }
  for (size_t number = 0; number < whole.results.size(); ++number) {
    TRY(signature.results[number], TileShape(whole.results[number], tilings.results[number]));
  }
  return signature;
}

Result<runtime::Argument> Gather(const ir::Shape& whole, const ir::Tiling& tiling,
                                 std::span<const runtime::Argument> device_tiles) {
  if (tiling.is_whole()) return device_tiles.front();
  TRY(runtime::AllocationRef memory, runtime::Allocate(whole.byte_size()));
  for (size_t device = 0; device < device_tiles.size(); ++device) {
    const std::byte* tile = device_tiles[device].memory->data();
    TileWalk(whole, tiling, tiling.device_tiles[device])
        .ForEachRun([&](int64_t in_whole, int64_t in_tile, int64_t bytes) {
          std::memcpy(memory->data() + in_whole, tile + in_tile, static_cast<size_t>(bytes));
        });
  }
  // Nobody else knows this memory: the program may overwrite it.
  return runtime::Argument{std::move(memory), true};
}

Result<std::vector<runtime::AllocationRef>> Scatter(const ir::Shape& whole, const ir::Tiling& tiling,
                                                    const runtime::AllocationRef& memory) {
  if (tiling.is_whole()) return std::vector<runtime::AllocationRef>(tiling.device_tiles.size(), memory);
  std::vector<runtime::AllocationRef> tiles;
  for (const int64_t number : tiling.device_tiles) {
    const TileWalk walk(whole, tiling, number);
    TRY(runtime::AllocationRef tile, runtime::Allocate(walk.shape().byte_size()));
    walk.ForEachRun([&](int64_t in_whole, int64_t in_tile, int64_t bytes) {
      std::memcpy(tile->data() + in_tile, memory->data() + in_whole, static_cast<size_t>(bytes));
    });
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

}  // namespace stead::pjrt
