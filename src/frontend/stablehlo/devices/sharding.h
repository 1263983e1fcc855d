// Shardy's meshes and shardings, resolved: which part of an array the device at each place of a mesh holds.
//   Input: attributes of the bytecode.  Output: plain numbers; no array has more tiles than its mesh has devices. RETURNS InvalidArgument for axes that the mesh does not have, sizes
//   that do not divide each other, and names that nobody defines; Unimplemented for arrays of which devices hold parts of a sum.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/parsed_module.h"
#include "ir/tiling.h"

namespace stead::frontend {

struct Mesh {
  struct Axis {
    std::string_view name;
    int64_t size = 1;
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  std::vector<Axis> axes;           // the outermost first
  std::vector<int64_t> device_ids;  // by position; empty: the position is the device

  int64_t device_count() const;
  // The place of the device along each axis.
  std::vector<int64_t> CoordinatesOf(int64_t device) const;
  int64_t DeviceAt(const std::vector<int64_t>& coordinates) const;
};

// A cut of a dimension: along one axis of the mesh, or the part of it that is left between `pre_size` and the rest.
struct AxisCut {
  size_t axis = 0;
  int64_t pre_size = 1;
  int64_t size = 1;
};

struct ArraySharding {
  Mesh mesh;
  std::vector<std::vector<AxisCut>> dimensions;  // per dimension its cuts, the outermost first

  int64_t TileCount(size_t dimension) const;
  // Which of the tiles along the dimension the device at the coordinates holds.
  int64_t TileAt(size_t dimension, const std::vector<int64_t>& coordinates) const;
};

class ShardingReader {
 public:
  // `source` must outlive the reader.
  explicit ShardingReader(const mlir::ParsedModule& source) : source_(source) {}

  // Remembers what a `sdy.mesh` operation defines.
  Status AddMesh(const mlir::Operation& op);
  Result<ArraySharding> Read(mlir::AttributeId id) const;

 private:
  Result<Mesh> MeshOf(const mlir::MeshAttribute& attribute) const;
  Result<Mesh> MeshNamed(mlir::AttributeId id) const;
  Result<AxisCut> CutAlong(const Mesh& mesh, mlir::AttributeId id) const;

  const mlir::ParsedModule& source_;
  std::unordered_map<std::string_view, Mesh> meshes_;
};

// The sharding as tiles of an array of `rank` dimensions on `device_count` devices.
Result<ir::Tiling> TilingOf(const ArraySharding& sharding, int64_t rank, int64_t device_count);
// Every device holds all of the array.
ir::Tiling WholeArray(int64_t rank, int64_t device_count);

}  // namespace stead::frontend
