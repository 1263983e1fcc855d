// A manual computation says what each device does with its parts of the operands. Where a program runs as a whole, on whole arrays,
// that is: the body once for each place along the manual axes, on slices, and the pieces of its results put together.
//
//   %0 = sdy.manual_computation(%x) in [{"i"}] out [{"i"}] over {"i"} of 2      slice 0 -> body, device 0 \.
//   (%part) { ... }                                                       =>                               concatenate
//                                                                               slice 1 -> body, device 1 /
// Where devices talk to each other inside the body, all parts are at hand (lockstep.h). The cost is one copy of the body per device. Of a
// result that is not split along some axis every device there makes its own; that they agree is left to a pass to prove
// (ir/agreed_value.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "frontend/stablehlo/devices/lockstep.h"
#include "frontend/stablehlo/ops/op_importers.h"
#include "ir/agreed_value.h"

namespace stead::frontend {

namespace {

// The body is imported once for each.
constexpr int64_t kMostPlaces = 1024;

class ManualImport {
 public:
  explicit ManualImport(OpImport& op) : op_(op), body_(op.operation().regions[0].blocks[0]) {}

  Status Run() {
    TRY_STATUS(ReadAttributes());
    const std::optional<DevicePlace> outer_place = op_.importer().place();
    DevicePlace place{mesh_, std::vector<int64_t>(mesh_.axes.size(), 0), {}};
    if (outer_place) place = *outer_place;
    place.manual_axes.insert(place.manual_axes.end(), manual_axes_.begin(), manual_axes_.end());
    std::vector<DevicePlace> places;
    AddPlaces(0, place, places);
    Status status = ImportAt(std::move(places));
    op_.importer().SetPlace(outer_place);
    TRY_STATUS(std::move(status));
    for (size_t result = 0; result < outputs_.size(); ++result) {
      if (std::ranges::any_of(pieces_[result], &std::vector<ir::InstrId>::empty))
        return op_.Bad("has a result that no device makes a part of");
      TRY_STATUS(op_.SetResult(result, Assemble(result, 0, 0)));
    }
    return {};
  }

 private:
  Status ReadAttributes() {
    TRY(mlir::ManualAxesAttribute manual, op_.Get<mlir::ManualAxesAttribute>("manual_axes"));
    TRY(inputs_, ReadShardings("in_shardings", manual, op_.operands().size()));
    TRY(outputs_, ReadShardings("out_shardings", manual, op_.result_shapes().size()));
    if (inputs_.empty() && outputs_.empty()) return op_.Unsupported("without operands and results");
    mesh_ = inputs_.empty() ? outputs_[0].mesh : inputs_[0].mesh;
    TRY_STATUS(FindManualAxes(manual));
    for (const std::vector<ArraySharding>* side : {&inputs_, &outputs_}) {
      for (const ArraySharding& sharding : *side) {
        if (sharding.mesh.axes != mesh_.axes) return op_.Unsupported("on several meshes");
      }
    }
    pieces_.resize(outputs_.size());
    for (size_t result = 0; result < outputs_.size(); ++result) {
      int64_t piece_count = 1;
      for (size_t dimension = 0; dimension < outputs_[result].dimensions.size(); ++dimension) {
        piece_count *= outputs_[result].TileCount(dimension);
      }
      pieces_[result].resize(static_cast<size_t>(piece_count));
    }
    return {};
  }

  Status FindManualAxes(const mlir::ManualAxesAttribute& manual) {
    const std::optional<DevicePlace>& outer_place = op_.importer().place();
    if (outer_place && outer_place->mesh.axes != mesh_.axes)
      return op_.Unsupported("inside another one on another mesh");
    int64_t place_count = 1;
    for (std::string_view name : manual.names) {
      const auto found = std::ranges::find(mesh_.axes, name, &Mesh::Axis::name);
      const size_t axis = static_cast<size_t>(found - mesh_.axes.begin());
      const auto is_axis = [&](size_t other) { return other == axis; };
      const bool is_new = std::ranges::none_of(manual_axes_, is_axis) &&
                          (!outer_place || std::ranges::none_of(outer_place->manual_axes, is_axis));
      if (found == mesh_.axes.end() || !is_new)
        return op_.Bad(fmt::format("cannot be over axis `{}` of its mesh", name));
      manual_axes_.push_back(axis);
      place_count *= found->size;
    }
    if (place_count > kMostPlaces)
      return op_.Unsupported(fmt::format("over {} places, {} at most", place_count, kMostPlaces));
    return {};
  }

  // Shardings by the manual axes; what the others do is not the body's business.
  Result<std::vector<ArraySharding>> ReadShardings(std::string_view name, const mlir::ManualAxesAttribute& manual,
                                                   size_t count) {
    TRY(mlir::ShardingsAttribute list, op_.Get<mlir::ShardingsAttribute>(name));
    if (list.shardings.size() != count) return op_.Bad(fmt::format("has not as many {} as values", name));
    std::vector<ArraySharding> shardings;
    for (mlir::AttributeId id : list.shardings) {
      TRY(ArraySharding sharding, op_.importer().shardings().Read(id));
      for (std::vector<AxisCut>& cuts : sharding.dimensions) {
        std::erase_if(cuts, [&](const AxisCut& cut) {
          return std::ranges::find(manual.names, sharding.mesh.axes[cut.axis].name) == manual.names.end();
        });
      }
      shardings.push_back(std::move(sharding));
    }
    return shardings;
  }

  // Every place along the manual axes from number `axis` on.
  void AddPlaces(size_t axis, DevicePlace& place, std::vector<DevicePlace>& places) const {
    if (axis == manual_axes_.size()) return places.push_back(place);
    const size_t mesh_axis = manual_axes_[axis];
    for (int64_t coordinate = 0; coordinate < mesh_.axes[mesh_axis].size; ++coordinate) {
      place.coordinates[mesh_axis] = coordinate;
      AddPlaces(axis + 1, place, places);
    }
    place.coordinates[mesh_axis] = 0;
  }

  Status ImportAt(std::vector<DevicePlace> places) {
    std::vector<Scope> scopes;
    for (const DevicePlace& place : places) {
      TRY(Scope scope, ScopeAt(place));
      scopes.push_back(std::move(scope));
    }
    Lockstep lockstep(op_.importer(), std::move(places));
    TRY(const std::vector<std::vector<ir::InstrId>> results, lockstep.ImportBlock(body_, scopes));
    if (results[0].size() != outputs_.size()) return op_.Bad("has a body that returns another number of results");
    for (size_t place = 0; place < scopes.size(); ++place) {
      for (size_t result = 0; result < outputs_.size(); ++result) {
        KeepPiece(result, results[place][result], lockstep.places()[place].coordinates);
      }
    }
    return {};
  }

  // What the body's arguments, and the values that it sees around it, are at the place.
  Result<Scope> ScopeAt(const DevicePlace& place) {
    Scope scope{op_.scope().computation_id, {}};
    for (mlir::ValueId id : op_.importer().CapturedValues({&op_.operation().regions[0]})) {
      TRY(scope.instructions[id], op_.importer().ValueOf(op_.scope(), id));
    }
    for (size_t operand = 0; operand < inputs_.size(); ++operand) {
      const mlir::ValueId inner = body_.arguments[operand];
      TRY(const ir::Shape shape, op_.importer().ShapeOf(inner));
      TRY(const ir::InstrId part, PartOf(operand, place.coordinates));
      if (!op_.shape(part).Compatible(shape)) {
        return op_.Bad("has a body whose arguments are not the parts of its operands");
      }
      scope.instructions[inner] = part;
    }
    return scope;
  }

  // The same instruction for places that hold the same part.
  Result<ir::InstrId> PartOf(size_t operand, const std::vector<int64_t>& coordinates) {
    const ir::InstrId whole = op_.operand(operand);
    const ArraySharding& sharding = inputs_[operand];
    const ir::Shape whole_shape = op_.shape(whole);
    if (whole_shape.dimensions.size() != sharding.dimensions.size())
      return op_.Bad("cuts dimensions that are not there");
    ir::Shape part_shape = whole_shape;
    ir::SliceAttributes slice;
    for (size_t dimension = 0; dimension < sharding.dimensions.size(); ++dimension) {
      const int64_t tile_count = sharding.TileCount(dimension);
      const int64_t size = whole_shape.dimensions[dimension];
      if (size % tile_count != 0)
        return op_.Unsupported(fmt::format("that cuts {} elements into {} parts", size, tile_count));
      part_shape.dimensions[dimension] = size / tile_count;
      slice.starts.push_back(sharding.TileAt(dimension, coordinates) * (size / tile_count));
      slice.limits.push_back(slice.starts.back() + size / tile_count);
      slice.strides.push_back(1);
    }
    if (part_shape.dimensions == whole_shape.dimensions) return whole;
    ir::InstrId& part = parts_[{operand, slice.starts}];
    if (!part.valid()) part = op_.Emit(ir::Opcode::kSlice, std::move(part_shape), {whole}, std::move(slice));
    return part;
  }

  void KeepPiece(size_t result, ir::InstrId id, const std::vector<int64_t>& coordinates) {
    const ArraySharding& sharding = outputs_[result];
    int64_t number = 0;
    for (size_t dimension = 0; dimension < sharding.dimensions.size(); ++dimension) {
      number = number * sharding.TileCount(dimension) + sharding.TileAt(dimension, coordinates);
    }
    std::vector<ir::InstrId>& values = pieces_[result][static_cast<size_t>(number)];
    if (std::ranges::find(values, id) == values.end()) values.push_back(id);
  }

  // The program says that the devices which hold a piece agree on its value.
  ir::InstrId Agreed(const std::vector<ir::InstrId>& values) {
    const ir::Shape& shape = op_.shape(values[0]);
    if (values.size() == 1 || !shape.is_array()) return values[0];
    return op_.Emit(ir::Opcode::kCustomCall, shape, values,
                    ir::CustomCallAttributes{.target = std::string(ir::kAgreedValueTarget)});
  }

  // The part of the result that consists of all pieces whose number begins with `prefix`, put together along `dimension` and those
  // inside it.
  ir::InstrId Assemble(size_t result, size_t dimension, int64_t prefix) {
    const ArraySharding& sharding = outputs_[result];
    if (dimension == sharding.dimensions.size()) return Agreed(pieces_[result][static_cast<size_t>(prefix)]);
    const int64_t tile_count = sharding.TileCount(dimension);
    std::vector<ir::InstrId> parts;
    for (int64_t tile = 0; tile < tile_count; ++tile) {
      parts.push_back(Assemble(result, dimension + 1, prefix * tile_count + tile));
    }
    if (parts.size() == 1) return parts[0];
    ir::Shape shape = op_.shape(parts[0]);
    if (dimension < shape.dimensions.size()) shape.dimensions[dimension] *= tile_count;
    return op_.Emit(ir::Opcode::kConcatenate, std::move(shape), std::move(parts),
                    ir::DimensionsAttributes{{static_cast<int64_t>(dimension)}});
  }

  OpImport& op_;
  const mlir::Block& body_;
  Mesh mesh_;
  std::vector<size_t> manual_axes_;
  std::vector<ArraySharding> inputs_, outputs_;
  std::map<std::pair<size_t, ir::Dimensions>, ir::InstrId> parts_;  // by operand and where it begins
  // Per result, by the number of the piece: what the devices that hold it made.
  std::vector<std::vector<std::vector<ir::InstrId>>> pieces_;
};

}  // namespace

Status ImportNamedComputation(OpImport& op) {
  const mlir::Region& body = op.operation().regions[0];
  if (body.blocks.size() != 1 || body.blocks[0].arguments.size() != op.operands().size()) {
    return op.Bad("has a body whose arguments are not its operands");
  }
  for (size_t argument = 0; argument < op.operands().size(); ++argument) {
    mlir::ValueId inner = body.blocks[0].arguments[argument];
    TRY(ir::Shape shape, op.importer().ShapeOf(inner));
    if (!op.shape(op.operand(argument)).Compatible(shape)) return op.Bad("splits its operands between devices");
    op.scope().instructions[inner] = op.operand(argument);
  }
  TRY(std::vector<ir::InstrId> results, op.importer().ImportInline(body, op.scope()));
  if (results.size() != op.result_shapes().size()) return op.Bad("has a body that returns another number of results");
  for (size_t result = 0; result < results.size(); ++result) TRY_STATUS(op.SetResult(result, results[result]));
  return {};
}

Status ImportManualComputation(OpImport& op) {
  if (op.importer().device_count() == 1) return ImportNamedComputation(op);
  const mlir::Region& body = op.operation().regions[0];
  if (body.blocks.size() != 1 || body.blocks[0].arguments.size() != op.operands().size()) {
    return op.Bad("has a body whose arguments are not its operands");
  }
  return ManualImport(op).Run();
}

}  // namespace stead::frontend
