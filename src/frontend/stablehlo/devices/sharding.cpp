#include "frontend/stablehlo/devices/sharding.h"

#include <fmt/format.h>

#include <algorithm>

namespace stead::frontend {

namespace {

// Devices of one mesh. Virtual devices of one machine are fewer by far.
constexpr int64_t kMostDevices = 1 << 16;

}  // namespace

int64_t Mesh::device_count() const {
  int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.size;
  return count;
}

std::vector<int64_t> Mesh::CoordinatesOf(int64_t device) const {
  const auto found = std::ranges::find(device_ids, device);
  int64_t position = found == device_ids.end() ? device : found - device_ids.begin();
  std::vector<int64_t> coordinates(axes.size());
  for (size_t axis = axes.size(); axis-- > 0;) {
    coordinates[axis] = position % axes[axis].size;
    position /= axes[axis].size;
  }
  return coordinates;
}

int64_t Mesh::DeviceAt(const std::vector<int64_t>& coordinates) const {
  int64_t position = 0;
  for (size_t axis = 0; axis < axes.size(); ++axis) position = position * axes[axis].size + coordinates[axis];
  return device_ids.empty() ? position : device_ids[position];
}

int64_t ArraySharding::TileCount(size_t dimension) const {
  int64_t count = 1;
  for (const AxisCut& cut : dimensions[dimension]) count *= cut.size;
  return count;
}

int64_t ArraySharding::TileAt(size_t dimension, const std::vector<int64_t>& coordinates) const {
  int64_t tile = 0;
  for (const AxisCut& cut : dimensions[dimension]) {
    const int64_t rest = mesh.axes[cut.axis].size / (cut.pre_size * cut.size);
    tile = tile * cut.size + coordinates[cut.axis] / rest % cut.size;
  }
  return tile;
}

Status ShardingReader::AddMesh(const mlir::Operation& op) {
  TRY(std::optional<mlir::StringAttribute> name, source_.Find<mlir::StringAttribute>(op, "sym_name"));
  TRY(std::optional<mlir::MeshAttribute> attribute, source_.Find<mlir::MeshAttribute>(op, "mesh"));
  if (!name || !attribute) return InvalidArgument("a mesh has no name or no axes");
  TRY(meshes_[name->text], MeshOf(*attribute));
  return {};
}

Result<Mesh> ShardingReader::MeshOf(const mlir::MeshAttribute& attribute) const {
  Mesh mesh{.device_ids = attribute.device_ids};
  for (mlir::AttributeId id : attribute.axes) {
    TRY(mlir::MeshAxisAttribute axis, source_.pool.Get<mlir::MeshAxisAttribute>(id));
    if (axis.size < 1 || axis.size > kMostDevices || mesh.device_count() > kMostDevices / axis.size) {
      return InvalidArgument(fmt::format("axis `{}` of a mesh has size {}", axis.name, axis.size));
    }
    mesh.axes.push_back({axis.name, axis.size});
  }
  if (!mesh.device_ids.empty() && static_cast<int64_t>(mesh.device_ids.size()) != mesh.device_count()) {
    return InvalidArgument(
        fmt::format("a mesh of {} places names {} devices", mesh.device_count(), mesh.device_ids.size()));
  }
  return mesh;
}

Result<Mesh> ShardingReader::MeshNamed(mlir::AttributeId id) const {
  TRY(mlir::Attribute attribute, source_.pool.attribute(id));
  if (const auto* written_here = std::get_if<mlir::MeshAttribute>(&attribute)) return MeshOf(*written_here);
  const auto* name = std::get_if<mlir::StringAttribute>(&attribute);
  const auto found = name == nullptr ? meshes_.end() : meshes_.find(name->text);
  if (found == meshes_.end()) return InvalidArgument("a sharding is on a mesh that the module does not define");
  return found->second;
}

Result<AxisCut> ShardingReader::CutAlong(const Mesh& mesh, mlir::AttributeId id) const {
  TRY(mlir::AxisReferenceAttribute reference, source_.pool.Get<mlir::AxisReferenceAttribute>(id));
  const auto axis = std::ranges::find(mesh.axes, reference.name, &Mesh::Axis::name);
  if (axis == mesh.axes.end()) return InvalidArgument(fmt::format("the mesh has no axis `{}`", reference.name));
  AxisCut cut{.axis = static_cast<size_t>(axis - mesh.axes.begin()), .size = axis->size};
  if (!reference.sub_axis.valid()) return cut;
  TRY(mlir::SubAxisAttribute part, source_.pool.Get<mlir::SubAxisAttribute>(reference.sub_axis));
  const bool divides = part.pre_size >= 1 && part.size >= 1 && part.pre_size <= axis->size && part.size <= axis->size &&
                       axis->size % (part.pre_size * part.size) == 0;
  if (!divides) return InvalidArgument(fmt::format("a part of axis `{}` does not divide it", reference.name));
  cut.pre_size = part.pre_size;
  cut.size = part.size;
  return cut;
}

Result<ArraySharding> ShardingReader::Read(mlir::AttributeId id) const {
  TRY(mlir::ShardingAttribute attribute, source_.pool.Get<mlir::ShardingAttribute>(id));
  if (!attribute.unreduced_axes.empty())
    return Unimplemented("an array of which devices hold parts of a sum (unreduced)");
  ArraySharding sharding;
  TRY(sharding.mesh, MeshNamed(attribute.mesh));
  int64_t tile_count = 1;
  for (mlir::AttributeId dimension_id : attribute.dimensions) {
    TRY(mlir::DimensionShardingAttribute dimension, source_.pool.Get<mlir::DimensionShardingAttribute>(dimension_id));
    std::vector<AxisCut>& cuts = sharding.dimensions.emplace_back();
    for (mlir::AttributeId axis_id : dimension.axes) {
      TRY(AxisCut cut, CutAlong(sharding.mesh, axis_id));
      tile_count *= cut.size;
      if (tile_count > sharding.mesh.device_count()) {
        return InvalidArgument("a sharding cuts an array into more parts than there are devices");
      }
      cuts.push_back(cut);
    }
  }
  return sharding;
}

Result<ir::Tiling> TilingOf(const ArraySharding& sharding, int64_t rank, int64_t device_count) {
  // A mesh without axes stands for one device that holds an array alone; that the others hold it too does no harm.
  if (sharding.mesh.axes.empty()) return WholeArray(rank, device_count);
  if (static_cast<int64_t>(sharding.dimensions.size()) != rank) {
    return InvalidArgument(
        fmt::format("a sharding of {} dimensions is on an array of {}", sharding.dimensions.size(), rank));
  }
  if (sharding.mesh.device_count() != device_count) {
    return InvalidArgument(
        fmt::format("a mesh of {} devices is in a program on {}", sharding.mesh.device_count(), device_count));
  }
  ir::Tiling tiling;
  for (size_t dimension = 0; dimension < sharding.dimensions.size(); ++dimension) {
    tiling.tile_counts.push_back(sharding.TileCount(dimension));
  }
  for (int64_t device = 0; device < device_count; ++device) {
    const std::vector<int64_t> coordinates = sharding.mesh.CoordinatesOf(device);
    int64_t tile = 0;
    for (size_t dimension = 0; dimension < sharding.dimensions.size(); ++dimension) {
      tile = tile * tiling.tile_counts[dimension] + sharding.TileAt(dimension, coordinates);
    }
    tiling.device_tiles.push_back(tile);
  }
  return tiling;
}

ir::Tiling WholeArray(int64_t rank, int64_t device_count) {
  return {.tile_counts = std::vector<int64_t>(static_cast<size_t>(rank), 1),
          .device_tiles = std::vector<int64_t>(static_cast<size_t>(device_count), 0)};
}

}  // namespace stead::frontend
