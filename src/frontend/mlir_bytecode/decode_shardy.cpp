// Encodings of Shardy, the dialect that says how arrays lie on several devices: shardy/dialect/sdy/ir/bytecode.td.
#include "frontend/mlir_bytecode/decode.h"

namespace stead::frontend::mlir {

namespace {

enum class ShardyAttribute : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxis = 3,
  kAxisReference = 4,
  kDimensionSharding = 5,
  kSharding = 6,
  kShardings = 7,
  kShardingWithUnreduced = 15,
  kShardingsWithUnreduced = 16,
  kShardingWithReduction = 17,
};

ManualAxesAttribute DecodeManualAxes(const AttributePool& pool, ByteCursor& cursor) {
  ManualAxesAttribute axes;
  size_t count = cursor.ReadCount();
  for (size_t axis = 0; axis < count && cursor.ok(); ++axis) axes.names.push_back(pool.ReadStringAttribute(cursor));
  return axes;
}

AxisReferenceAttribute DecodeAxisReference(const AttributePool& pool, ByteCursor& cursor) {
  AxisReferenceAttribute axis{.name = pool.ReadString(cursor)};
  size_t start = cursor.offset();
  // A reference that may be absent: one bit says whether it is there.
  uint64_t marked = cursor.ReadVarint();
  if ((marked & 1) == 0) return axis;
  if (marked >> 1 >= pool.attribute_count()) {
    cursor.Fail(start, "the part of an axis refers to no attribute");
  } else {
    axis.sub_axis = AttributeId(marked >> 1);
  }
  return axis;
}

ShardingAttribute DecodeSharding(const AttributePool& pool, ByteCursor& cursor, bool has_unreduced_axes) {
  ShardingAttribute sharding{.mesh = pool.ReadAttributeId(cursor), .dimensions = pool.ReadAttributeIds(cursor)};
  pool.ReadAttributeIds(cursor);  // axes over which the array is surely the same: not needed to find its parts
  if (has_unreduced_axes) sharding.unreduced_axes = pool.ReadAttributeIds(cursor);
  return sharding;
}

}  // namespace

Attribute DecodeShardyAttribute(const AttributePool& pool, ByteCursor& cursor) {
  uint64_t code = cursor.ReadVarint();
  using enum ShardyAttribute;
  switch (ShardyAttribute(code)) {
    case kManualAxes: return DecodeManualAxes(pool, cursor);
    case kMeshAxis: {
      std::string_view name = pool.ReadString(cursor);
      return MeshAxisAttribute{name, cursor.ReadSignedVarint()};
    }
    case kMesh: {
      std::vector<AttributeId> axes = pool.ReadAttributeIds(cursor);
      return MeshAttribute{std::move(axes), cursor.ReadSignedVarints()};
    }
    case kSubAxis: {
      int64_t pre_size = cursor.ReadSignedVarint();
      return SubAxisAttribute{pre_size, cursor.ReadSignedVarint()};
    }
    case kAxisReference: return DecodeAxisReference(pool, cursor);
    case kDimensionSharding: return DimensionShardingAttribute{pool.ReadAttributeIds(cursor)};
    case kSharding: return DecodeSharding(pool, cursor, false);
    case kShardingWithUnreduced:
    case kShardingWithReduction: return DecodeSharding(pool, cursor, true);
    case kShardings:
    case kShardingsWithUnreduced: return ShardingsAttribute{pool.ReadAttributeIds(cursor)};
    default: return UnknownAttribute{"sdy", code};
  }
}

}  // namespace stead::frontend::mlir
