#include "pjrt/program/partition.h"

#include <cstring>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/literal_layout.h"

namespace stead::pjrt {

namespace {

// A tile in the whole array, which lie in the same order: where its first element lies, and how both are walked.
class TileWalk {
 public:
  TileWalk(const ir::Shape& whole, const ir::Tiling& tiling, int64_t tile)
      : tile_(whole), strides_(ir::MemoryStrides(whole)), minor_to_major_(whole.layout.minor_to_major) {
    if (minor_to_major_.empty()) {
      minor_to_major_.resize(whole.dimensions.size());
      std::iota(minor_to_major_.rbegin(), minor_to_major_.rend(), 0);
    }
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
    Walk(minor_to_major_.size(), offset_, tile_offset, body);
  }

 private:
  // The `dims_left` fastest dimensions.
  template <typename Body>
  void Walk(size_t dims_left, int64_t whole_offset, int64_t& tile_offset, Body& body) const {
    if (dims_left <= 1) {
      const int64_t elements = dims_left == 0 ? 1 : tile_.dimensions[minor_to_major_[0]];
      const int64_t bytes = elements * ir::ElementBytes(tile_.element_type);
      body(whole_offset, tile_offset, bytes);
      tile_offset += bytes;
      return;
    }
    const int64_t dim = minor_to_major_[dims_left - 1];
    for (int64_t index = 0; index < tile_.dimensions[dim]; ++index) {
      Walk(dims_left - 1, whole_offset + index * strides_[dim], tile_offset, body);
    }
  }

  ir::Shape tile_;
  std::vector<int64_t> strides_;  // in bytes
  std::vector<int64_t> minor_to_major_;
  int64_t offset_ = 0;  // in bytes
};

ir::Shape Unpacked(ir::Shape shape) {
  shape.layout.suffix.clear();
  return shape;
}

// The memory of an array that is not packed, for one that is, and the reverse. Parts of bytes do not move by themselves.
Result<runtime::AllocationRef> Unpack(const ir::Shape& packed, const runtime::AllocationRef& memory) {
  TRY(runtime::AllocationRef elements, runtime::Allocate(Unpacked(packed).byte_size()));
  ir::UnpackElements(packed.element_type, {memory->data(), static_cast<size_t>(packed.byte_size())},
                     {elements->data(), static_cast<size_t>(packed.element_count())});
  return elements;
}

Result<runtime::AllocationRef> Pack(const ir::Shape& packed, const runtime::AllocationRef& elements) {
  TRY(runtime::AllocationRef memory, runtime::Allocate(packed.byte_size()));
  ir::PackElements(packed.element_type, {elements->data(), static_cast<size_t>(packed.element_count())},
                   {memory->data(), static_cast<size_t>(packed.byte_size())});
  return memory;
}

Result<runtime::Argument> GatherPacked(const ir::Shape& whole, const ir::Tiling& tiling,
                                       std::span<const runtime::Argument> device_tiles) {
  TRY(const ir::Shape tile_shape, TileShape(whole, tiling));
  std::vector<runtime::Argument> unpacked;
  for (const runtime::Argument& tile : device_tiles) {
    TRY(runtime::AllocationRef elements, Unpack(tile_shape, tile.memory));
    unpacked.push_back({std::move(elements), true});
  }
  TRY(runtime::Argument gathered, Gather(Unpacked(whole), tiling, unpacked));
  TRY(gathered.memory, Pack(whole, gathered.memory));
  return gathered;
}

Result<std::vector<runtime::AllocationRef>> ScatterPacked(const ir::Shape& whole, const ir::Tiling& tiling,
                                                          const runtime::AllocationRef& memory) {
  TRY(const ir::Shape tile_shape, TileShape(whole, tiling));
  TRY(const runtime::AllocationRef elements, Unpack(whole, memory));
  TRY(std::vector<runtime::AllocationRef> tiles, Scatter(Unpacked(whole), tiling, elements));
  for (runtime::AllocationRef& tile : tiles) {
    TRY(tile, Pack(tile_shape, tile));
  }
  return tiles;
}

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
  if (whole.is_packed()) return GatherPacked(whole, tiling, device_tiles);
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
  if (whole.is_packed()) return ScatterPacked(whole, tiling, memory);
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
