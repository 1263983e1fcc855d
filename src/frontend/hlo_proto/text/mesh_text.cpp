#include "frontend/hlo_proto/text/mesh_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/hlo_proto/text/number_lists.h"

namespace stead::frontend {

namespace {

using AxisNames = std::vector<std::string>;

// Lists of axes of a sharding, and their words, in the order of XLA's text.
struct AxisList {
  std::string_view word;
  NamedShardingField field;
};
constexpr AxisList kAxisLists[] = {{"replicated", NamedShardingField::kReplicatedAxes},
                                   {"unreduced", NamedShardingField::kUnreducedAxes},
                                   {"manual", NamedShardingField::kManualAxes}};

bool IsAxisName(std::string_view name) { return !name.empty() && std::ranges::all_of(name, IsWordCharacter); }

// mesh['a'=2,'b'=4], device_ids=(0,1); appends the names of the axes.
std::optional<std::string> MeshText(std::string_view message, AxisNames& names) {
  MessageFields mesh(message);
  std::vector<std::string> axes;
  for (std::string_view axis_message : mesh.TakeAll(MeshField::kAxes)) {
    MessageFields axis(axis_message);
    const std::string_view name = axis.TakeBytes(MeshAxisField::kName);
    if (!IsAxisName(name)) return std::nullopt;
    names.emplace_back(name);
    axes.push_back(fmt::format("'{}'={}", name, axis.TakeInteger(MeshAxisField::kSize)));
  }
  std::string text = fmt::format("mesh[{}]", fmt::join(axes, ","));
  const std::vector<int64_t> devices = mesh.TakeIntegers(MeshField::kDeviceIds);
  if (!devices.empty()) text += fmt::format(", device_ids=({})", JoinedNumbers(devices));
  if (const std::optional<std::string_view> transform = mesh.TakeMessage(MeshField::kIotaTransform)) {
    MessageFields fields(*transform);
    DeviceIota iota;
    iota.reshape = fields.TakeIntegers(IotaTransformField::kReshapeDimensions);
    iota.permutation = fields.TakeIntegers(IotaTransformField::kTransposePermutation);
    text += fmt::format(", device_ids=({})", DeviceIotaText(iota));
  }
  return mesh.RestNumbers().empty() ? std::optional(text) : std::nullopt;
}

// 'a' or, of a part of an axis, 'b':(1)2.
std::optional<std::string> AxisText(std::string_view message, const AxisNames& names) {
  MessageFields axis(message);
  const uint64_t index = static_cast<uint64_t>(axis.TakeInteger(AxisReferenceField::kIndex));
  if (index >= names.size()) return std::nullopt;
  std::string text = fmt::format("'{}'", names[index]);
  if (const std::optional<std::string_view> part_message = axis.TakeMessage(AxisReferenceField::kSubAxis)) {
    MessageFields part(*part_message);
    const int64_t before = part.TakeInteger(SubAxisField::kPreSize);
    text += fmt::format(":({}){}", before, part.TakeInteger(SubAxisField::kSize));
  }
  return axis.RestNumbers().empty() ? std::optional(text) : std::nullopt;
}

std::optional<std::vector<std::string>> AxisTexts(const std::vector<std::string_view>& messages,
                                                  const AxisNames& names) {
  std::vector<std::string> texts;
  for (std::string_view message : messages) {
    const std::optional<std::string> text = AxisText(message, names);
    if (!text) return std::nullopt;
    texts.push_back(*text);
  }
  return texts;
}

// {'a', ?}: a question mark says that more axes may come.
std::optional<std::string> DimensionText(std::string_view message, const AxisNames& names) {
  MessageFields dimension(message);
  std::optional<std::vector<std::string>> axes = AxisTexts(dimension.TakeAll(DimensionShardingField::kAxes), names);
  if (!axes) return std::nullopt;
  if (!dimension.TakeFlag(DimensionShardingField::kIsClosed)) axes->push_back("?");
  if (!dimension.RestNumbers().empty()) return std::nullopt;
  return fmt::format("{{{}}}", fmt::join(*axes, ", "));
}

Result<std::string> ReadAxisName(Cursor& cursor) {
  TRY_STATUS(cursor.Expect("'", "before the name of an axis"));
  TRY(std::string_view name, cursor.ReadWord("the name of an axis"));
  TRY_STATUS(cursor.Expect("'", "after the name of an axis"));
  return std::string(name);
}

Status WriteMeshDevices(ProtoMessage<MeshField>& message, Cursor& cursor) {
  TRY_STATUS(cursor.Expect("(", "before the devices of a mesh"));
  if (!cursor.Sees("[")) {
    TRY(std::vector<int64_t> devices, ReadNumberList(cursor, "", ")"));
    AddIntegers(message, MeshField::kDeviceIds, devices);
    return {};
  }
  TRY(DeviceIota iota, ReadDeviceIota(cursor));
  ProtoMessage<IotaTransformField> transform(message, MeshField::kIotaTransform);
  AddIntegers(transform, IotaTransformField::kReshapeDimensions, iota.reshape);
  AddIntegers(transform, IotaTransformField::kTransposePermutation, iota.permutation);
  return cursor.Expect(")", "after the devices of a mesh");
}

Status WriteMesh(ProtoMessage<MeshField>& message, Cursor& cursor, AxisNames& names) {
  TRY_STATUS(cursor.Expect("mesh[", "before the axes of a mesh"));
  while (!cursor.TryConsume("]")) {
    cursor.TryConsume(",");
    TRY(std::string name, ReadAxisName(cursor));
    TRY_STATUS(cursor.Expect("=", "after the name of an axis"));
    TRY(int64_t size, cursor.ReadInteger("the size of an axis"));
    ProtoMessage<MeshAxisField> axis(message, MeshField::kAxes);
    axis.add_string(MeshAxisField::kName, name);
    axis.add_int64(MeshAxisField::kSize, size);
    names.push_back(std::move(name));
  }
  return cursor.TryConsume(", device_ids=") ? WriteMeshDevices(message, cursor) : Status();
}

// 'b':(1)2 as the bytes of an AxisRefProto.
Result<std::string> ReadAxis(Cursor& cursor, const AxisNames& names) {
  TRY(std::string name, ReadAxisName(cursor));
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return InvalidArgument(fmt::format("the mesh has no axis `{}`", name));
  std::string bytes;
  ProtoMessage<AxisReferenceField> axis(bytes);
  axis.add_int64(AxisReferenceField::kIndex, found - names.begin());
  if (cursor.TryConsume(":(")) {
    ProtoMessage<SubAxisField> part(axis, AxisReferenceField::kSubAxis);
    TRY(int64_t before, cursor.ReadInteger("the size before a part of an axis"));
    TRY_STATUS(cursor.Expect(")", "after the size before a part of an axis"));
    TRY(int64_t size, cursor.ReadInteger("the size of a part of an axis"));
    part.add_int64(SubAxisField::kPreSize, before);
    part.add_int64(SubAxisField::kSize, size);
  }
  return bytes;
}

// {'a', 'b'}
template <typename Field>
Status WriteAxes(ProtoMessage<Field>& message, Field field, Cursor& cursor, const AxisNames& names) {
  TRY_STATUS(cursor.Expect("{", "before axes"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(std::string axis, ReadAxis(cursor, names));
    message.add_message(field, axis);
  }
  return {};
}

Result<std::string> ReadDimension(Cursor& cursor, const AxisNames& names) {
  std::string bytes;
  ProtoMessage<DimensionShardingField> dimension(bytes);
  bool is_closed = true;
  TRY_STATUS(cursor.Expect("{", "before the axes of a dimension"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    if (cursor.TryConsume("?")) {
      is_closed = false;
      continue;
    }
    TRY(std::string axis, ReadAxis(cursor, names));
    dimension.add_message(DimensionShardingField::kAxes, axis);
  }
  dimension.add_bool(DimensionShardingField::kIsClosed, is_closed);
  return bytes;
}

Status WriteAxisList(ProtoMessage<NamedShardingField>& message, Cursor& cursor, const AxisNames& names) {
  TRY_STATUS(cursor.Expect(",", "between the parts of a sharding"));
  TRY(std::string_view word, cursor.ReadWord("a kind of axes"));
  const auto list = std::ranges::find(kAxisLists, word, &AxisList::word);
  if (list == std::end(kAxisLists)) return cursor.Unexpected("a known kind of axes");
  TRY_STATUS(cursor.Expect("=", "after a kind of axes"));
  return WriteAxes(message, list->field, cursor, names);
}

}  // namespace

std::optional<std::string> MeshGroupsText(std::string_view message) {
  MessageFields groups(message);
  AxisNames names;
  const std::optional<std::string> mesh = MeshText(groups.TakeBytes(MeshGroupsField::kMesh), names);
  const std::optional<std::vector<std::string>> axes = AxisTexts(groups.TakeAll(MeshGroupsField::kAxes), names);
  if (!mesh || !axes || !groups.RestNumbers().empty()) return std::nullopt;
  return fmt::format("{} {{{}}}", *mesh, fmt::join(*axes, ","));
}

Status WriteMeshGroups(InstructionMessage& message, Cursor& cursor) {
  ProtoMessage<MeshGroupsField> groups(message, InstructionField::kMeshAxesReplicaGroupList);
  AxisNames names;
  {
    ProtoMessage<MeshField> mesh(groups, MeshGroupsField::kMesh);
    TRY_STATUS(WriteMesh(mesh, cursor, names));
  }
  return WriteAxes(groups, MeshGroupsField::kAxes, cursor, names);
}

std::optional<std::string> NamedShardingText(std::string_view message) {
  MessageFields sharding(message);
  AxisNames names;
  const std::optional<std::string> mesh = MeshText(sharding.TakeBytes(NamedShardingField::kMesh), names);
  if (!mesh) return std::nullopt;
  std::vector<std::string> dimensions;
  for (std::string_view dimension : sharding.TakeAll(NamedShardingField::kDimensions)) {
    const std::optional<std::string> text = DimensionText(dimension, names);
    if (!text) return std::nullopt;
    dimensions.push_back(*text);
  }
  std::string text = fmt::format("{}, [{}]", *mesh, fmt::join(dimensions, ", "));
  for (const AxisList& list : kAxisLists) {
    const std::optional<std::vector<std::string>> axes = AxisTexts(sharding.TakeAll(list.field), names);
    if (!axes) return std::nullopt;
    if (!axes->empty()) text += fmt::format(", {}={{{}}}", list.word, fmt::join(*axes, ", "));
  }
  if (!sharding.RestNumbers().empty()) return std::nullopt;
  return fmt::format("{{{}}}", text);
}

Status WriteNamedSharding(ProtoMessage<ShardingField>& message, Cursor& cursor) {
  std::string bytes;
  ProtoMessage<NamedShardingField> sharding(bytes);
  std::string mesh_bytes;
  ProtoMessage<MeshField> mesh(mesh_bytes);
  AxisNames names;
  TRY_STATUS(WriteMesh(mesh, cursor, names));
  sharding.add_message(NamedShardingField::kMesh, mesh_bytes);
  TRY_STATUS(cursor.Expect(", [", "before the dimensions of a sharding"));
  while (!cursor.TryConsume("]")) {
    cursor.TryConsume(",");
    TRY(std::string dimension, ReadDimension(cursor, names));
    sharding.add_message(NamedShardingField::kDimensions, dimension);
  }
  while (!cursor.TryConsume("}")) TRY_STATUS(WriteAxisList(sharding, cursor, names));
  message.add_message(ShardingField::kNamedSharding, bytes);
  return {};
}

}  // namespace stead::frontend
