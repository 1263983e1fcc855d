#include "frontend/hlo_proto/text/device_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/hlo_proto/text/mesh_text.h"
#include "frontend/hlo_proto/text/number_lists.h"
#include "frontend/hlo_text/field_reader.h"

namespace stead::frontend {

namespace {

// OpSharding's Type and ShardGroupType.
constexpr std::string_view kShardingTypes[] = {"replicated", "maximal", "tuple",    "other",
                                               "manual",     "unknown", "unreduced"};
constexpr int kMaximal = 1;
constexpr int kTuple = 2;
constexpr int kOther = 3;
constexpr int kShardLike = 1;

// devices=[2,1]0,1 or devices=[2,2]<=[4], of a sharding by tiles.
std::string TilesText(MessageFields& fields) {
  const std::vector<int64_t> dimensions = fields.TakeIntegers(ShardingField::kTileDimensions);
  const std::vector<int64_t> devices = fields.TakeIntegers(ShardingField::kTileDevices);
  const std::vector<int64_t> reshape = fields.TakeIntegers(ShardingField::kIotaReshapeDimensions);
  const std::vector<int64_t> permutation = fields.TakeIntegers(ShardingField::kIotaTransposePermutation);
  if (!reshape.empty()) {
    return fmt::format("devices=[{}]<={}", JoinedNumbers(dimensions), DeviceIotaText({reshape, permutation}));
  }
  return fmt::format("devices=[{}]{}", JoinedNumbers(dimensions), JoinedNumbers(devices));
}

std::optional<std::string> LastTileText(MessageFields& fields) {
  std::string text = fields.TakeFlag(ShardingField::kReplicateOnLastTileDimension) ? " last_tile_dim_replicate" : "";
  std::vector<std::string_view> words;
  for (int64_t type : fields.TakeIntegers(ShardingField::kLastTileDimensions)) {
    if (type < 0 || type >= std::ssize(kShardingTypes)) return std::nullopt;
    words.push_back(kShardingTypes[type]);
  }
  if (!words.empty()) text += fmt::format(" last_tile_dims={{{}}}", fmt::join(words, ", "));
  return text;
}

std::optional<std::string> SingleShardingText(MessageFields& fields) {
  if (const std::optional<std::string_view> named = fields.TakeMessage(ShardingField::kNamedSharding)) {
    return fields.RestNumbers().empty() ? NamedShardingText(*named) : std::nullopt;
  }
  const int64_t type = fields.TakeInteger(ShardingField::kType);
  if (type < 0 || type == kTuple || type >= std::ssize(kShardingTypes)) return std::nullopt;
  std::string text(kShardingTypes[type]);
  if (type == kMaximal) {
    text += fmt::format(" device={}", JoinedNumbers(fields.TakeIntegers(ShardingField::kTileDevices)));
  } else if (type == kOther) {
    text = TilesText(fields);
    const std::optional<std::string> last_tile = LastTileText(fields);
    if (!last_tile) return std::nullopt;
    text += *last_tile;
  }
  const int64_t group = fields.TakeInteger(ShardingField::kShardGroupId);
  const bool is_like = fields.TakeInteger(ShardingField::kShardGroupType) == kShardLike;
  if (fields.TakeFlag(ShardingField::kIsShardGroup)) {
    text += fmt::format(" {} {}", is_like ? "shard_like" : "shard_as", group);
  }
  if (!fields.RestNumbers().empty()) return std::nullopt;
  return fmt::format("{{{}}}", text);
}

Status WriteTiles(ProtoMessage<ShardingField>& message, Cursor& cursor) {
  message.add_enum(ShardingField::kType, kOther);
  TRY(std::vector<int64_t> dimensions, ReadNumberList(cursor, "[", "]"));
  AddIntegers(message, ShardingField::kTileDimensions, dimensions);
  if (cursor.TryConsume("<=")) {
    TRY(DeviceIota iota, ReadDeviceIota(cursor));
    AddIntegers(message, ShardingField::kIotaReshapeDimensions, iota.reshape);
    AddIntegers(message, ShardingField::kIotaTransposePermutation, iota.permutation);
    return {};
  }
  std::vector<int64_t> devices;
  do {
    TRY(int64_t device, cursor.ReadInteger("the number of a device"));
    devices.push_back(device);
  } while (cursor.TryConsume(","));
  AddIntegers(message, ShardingField::kTileDevices, devices);
  return {};
}

Result<int> ReadShardingType(Cursor& cursor) {
  TRY(std::string_view word, cursor.ReadWord("the type of a sharding"));
  const auto found = std::ranges::find(kShardingTypes, word);
  const int type = static_cast<int>(found - std::begin(kShardingTypes));
  if (found == std::end(kShardingTypes) || type == kTuple || type == kOther) {
    return Unimplemented(fmt::format("sharding `{}` as a protocol buffer", word));
  }
  return type;
}

Status WriteLastTiles(ProtoMessage<ShardingField>& message, Cursor& cursor) {
  std::vector<int64_t> types;
  TRY_STATUS(cursor.Expect("{", "before types of tiles"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(int type, ReadShardingType(cursor));
    types.push_back(type);
  }
  AddIntegers(message, ShardingField::kLastTileDimensions, types);
  return {};
}

Status WriteShardGroup(ProtoMessage<ShardingField>& message, Cursor& cursor, bool is_like) {
  TRY(int64_t group, cursor.ReadInteger("the number of a shard group"));
  message.add_bool(ShardingField::kIsShardGroup, true);
  message.add_int64(ShardingField::kShardGroupId, group);
  if (is_like) message.add_enum(ShardingField::kShardGroupType, kShardLike);
  return {};
}

// One of the words that stand inside the braces.
Status WriteShardingPart(ProtoMessage<ShardingField>& message, Cursor& cursor) {
  if (cursor.TryConsume("devices=")) return WriteTiles(message, cursor);
  if (cursor.TryConsume("last_tile_dims=")) return WriteLastTiles(message, cursor);
  if (cursor.TryConsumeWord("shard_as")) return WriteShardGroup(message, cursor, false);
  if (cursor.TryConsumeWord("shard_like")) return WriteShardGroup(message, cursor, true);
  if (cursor.TryConsumeWord("last_tile_dim_replicate")) {
    message.add_bool(ShardingField::kReplicateOnLastTileDimension, true);
    return {};
  }
  TRY(int type, ReadShardingType(cursor));
  message.add_enum(ShardingField::kType, type);
  if (type != kMaximal) return {};
  TRY_STATUS(cursor.Expect("device=", "after `maximal`"));
  TRY(int64_t device, cursor.ReadInteger("the number of a device"));
  AddIntegers(message, ShardingField::kTileDevices, {device});
  return {};
}

// The text up to the closing brace.
Status WriteSingleSharding(ProtoMessage<ShardingField>& message, Cursor& cursor) {
  if (cursor.Sees("mesh[")) return WriteNamedSharding(message, cursor);
  while (!cursor.TryConsume("}")) TRY_STATUS(WriteShardingPart(message, cursor));
  return {};
}

std::string GroupsText(const std::vector<std::string_view>& messages) {
  std::vector<std::string> groups;
  for (std::string_view message : messages) {
    MessageFields group(message);
    groups.push_back(fmt::format("{{{}}}", JoinedNumbers(group.TakeIntegers(ReplicaGroupField::kReplicaIds))));
  }
  return fmt::format("{{{}}}", fmt::join(groups, ","));
}

}  // namespace

std::optional<std::string> ShardingText(std::string_view message) {
  MessageFields fields(message);
  const std::vector<std::string_view> elements = fields.TakeAll(ShardingField::kTupleShardings);
  if (elements.empty()) return SingleShardingText(fields);
  std::string text = "{";
  for (size_t number = 0; number < elements.size(); ++number) {
    // The shardings of nested tuples stand in one flat list.
    MessageFields element(elements[number]);
    const std::optional<std::string> element_text = SingleShardingText(element);
    if (!element_text) return std::nullopt;
    text += ListSeparator(number) + *element_text;
  }
  if (fields.TakeInteger(ShardingField::kType) != kTuple || !fields.RestNumbers().empty()) return std::nullopt;
  return text + "}";
}

Status WriteSharding(ProtoMessage<ShardingField>& message, Cursor& cursor) {
  TRY_STATUS(cursor.Expect("{", "before a sharding"));
  if (!cursor.Sees("{")) return WriteSingleSharding(message, cursor);
  message.add_enum(ShardingField::kType, kTuple);
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY_STATUS(cursor.Expect("{", "before a sharding"));
    std::string bytes;
    ProtoMessage<ShardingField> element(bytes);
    TRY_STATUS(WriteSingleSharding(element, cursor));
    message.add_message(ShardingField::kTupleShardings, bytes);
  }
  return {};
}

// The two are called the other way round in the text.
std::optional<std::string> TakeDomain(MessageFields& instruction) {
  const std::optional<std::string_view> entry = instruction.PeekMessage(InstructionField::kDomainExitSharding);
  const std::optional<std::string_view> exit = instruction.PeekMessage(InstructionField::kDomainEntrySharding);
  if (!entry || !exit) return std::nullopt;
  const std::optional<std::string> entry_text = ShardingText(*entry);
  const std::optional<std::string> exit_text = ShardingText(*exit);
  if (!entry_text || !exit_text) return std::nullopt;
  instruction.Drop(InstructionField::kDomainEntrySharding);
  instruction.Drop(InstructionField::kDomainExitSharding);
  return fmt::format("{{kind=\"sharding\", entry={}, exit={}}}", *entry_text, *exit_text);
}

Status WriteDomain(InstructionMessage& message, Cursor& cursor) {
  TRY_STATUS(cursor.Expect("{kind=\"sharding\", entry=", "in a domain"));
  std::string entry_bytes, exit_bytes;
  ProtoMessage<ShardingField> entry(entry_bytes), exit(exit_bytes);
  TRY_STATUS(WriteSharding(entry, cursor));
  TRY_STATUS(cursor.Expect(", exit=", "in a domain"));
  TRY_STATUS(WriteSharding(exit, cursor));
  message.add_message(InstructionField::kDomainEntrySharding, exit_bytes);
  message.add_message(InstructionField::kDomainExitSharding, entry_bytes);
  return cursor.Expect("}", "after a domain");
}

std::optional<std::string> TakeReplicaGroups(MessageFields& instruction) {
  if (instruction.Has(InstructionField::kReplicaGroups)) {
    return GroupsText(instruction.TakeAll(InstructionField::kReplicaGroups));
  }
  if (const std::optional<std::string_view> list = instruction.TakeMessage(InstructionField::kCollectiveDeviceList)) {
    MessageFields fields(*list);
    return GroupsText(fields.TakeAll(DeviceListField::kReplicaGroups));
  }
  if (const std::optional<std::string_view> mesh =
          instruction.PeekMessage(InstructionField::kMeshAxesReplicaGroupList)) {
    const std::optional<std::string> text = MeshGroupsText(*mesh);
    if (text) instruction.Drop(InstructionField::kMeshAxesReplicaGroupList);
    return text;
  }
  const std::optional<std::string_view> iota = instruction.TakeMessage(InstructionField::kIotaCollectiveDeviceList);
  if (!iota) return std::nullopt;
  MessageFields fields(*iota);
  const int64_t group_count = fields.TakeInteger(IotaDeviceListField::kGroupCount);
  const int64_t devices_per_group = fields.TakeInteger(IotaDeviceListField::kDevicesPerGroup);
  const std::vector<int64_t> reshape = fields.TakeIntegers(IotaDeviceListField::kReshapeDimensions);
  const std::vector<int64_t> permutation = fields.TakeIntegers(IotaDeviceListField::kTransposePermutation);
  return fmt::format("[{},{}]<={}", group_count, devices_per_group, DeviceIotaText({reshape, permutation}));
}

Status WriteReplicaGroups(InstructionMessage& message, Cursor& cursor) {
  if (cursor.Sees("mesh[")) return WriteMeshGroups(message, cursor);
  if (cursor.Sees("[")) {
    TRY(std::vector<int64_t> dimensions, ReadNumberList(cursor, "[", "]"));
    TRY_STATUS(cursor.Expect("<=", "after the shape of replica groups"));
    TRY(DeviceIota iota, ReadDeviceIota(cursor));
    if (dimensions.size() != 2) return InvalidArgument("the shape of replica groups has two dimensions");
    ProtoMessage<IotaDeviceListField> list(message, InstructionField::kIotaCollectiveDeviceList);
    list.add_int64(IotaDeviceListField::kGroupCount, dimensions[0]);
    list.add_int64(IotaDeviceListField::kDevicesPerGroup, dimensions[1]);
    AddIntegers(list, IotaDeviceListField::kReshapeDimensions, iota.reshape);
    AddIntegers(list, IotaDeviceListField::kTransposePermutation, iota.permutation);
    return {};
  }
  std::string bytes;
  ProtoMessage<DeviceListField> list(bytes);
  TRY_STATUS(cursor.Expect("{", "before replica groups"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(std::vector<int64_t> replicas, ReadBracedIntegers(cursor));
    std::string group_bytes;
    ProtoMessage<ReplicaGroupField> group(group_bytes);
    AddIntegers(group, ReplicaGroupField::kReplicaIds, replicas);
    list.add_message(DeviceListField::kReplicaGroups, group_bytes);
  }
  message.add_message(InstructionField::kCollectiveDeviceList, bytes);
  return {};
}

std::optional<std::string> TakeSourceTargetPairs(MessageFields& instruction) {
  if (!instruction.Has(InstructionField::kSourceTargetPairs)) return std::nullopt;
  std::vector<std::string> pairs;
  for (std::string_view message : instruction.TakeAll(InstructionField::kSourceTargetPairs)) {
    MessageFields pair(message);
    const int64_t source = pair.TakeInteger(SourceTargetField::kSource);
    pairs.push_back(fmt::format("{{{},{}}}", source, pair.TakeInteger(SourceTargetField::kTarget)));
  }
  return fmt::format("{{{}}}", fmt::join(pairs, ","));
}

Status WriteSourceTargetPairs(InstructionMessage& message, Cursor& cursor) {
  TRY_STATUS(cursor.Expect("{", "before pairs of devices"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(std::vector<int64_t> devices, ReadBracedIntegers(cursor));
    if (devices.size() != 2) return InvalidArgument("a pair of source and target has two devices");
    ProtoMessage<SourceTargetField> pair(message, InstructionField::kSourceTargetPairs);
    pair.add_int64(SourceTargetField::kSource, devices[0]);
    pair.add_int64(SourceTargetField::kTarget, devices[1]);
  }
  return {};
}

std::optional<std::string> TakeParameterReplication(MessageFields& instruction) {
  const std::optional<std::string_view> message = instruction.TakeMessage(InstructionField::kParameterReplication);
  if (!message) return std::nullopt;
  MessageFields fields(*message);
  std::vector<bool> leaves;
  for (int64_t leaf : fields.TakeIntegers(ParameterReplicationField::kLeaves)) leaves.push_back(leaf != 0);
  if (leaves.empty()) return std::nullopt;
  return fmt::format("{{{}}}", fmt::join(leaves, ","));
}

Status WriteParameterReplication(InstructionMessage& message, Cursor& cursor) {
  std::vector<bool> leaves;
  TRY_STATUS(cursor.Expect("{", "before the replication of a parameter"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    bool is_replicated = false;
    TRY_STATUS(ReadField(cursor, is_replicated));
    leaves.push_back(is_replicated);
  }
  ProtoMessage<ParameterReplicationField> replication(message, InstructionField::kParameterReplication);
  replication.add_packed_bool(ParameterReplicationField::kLeaves, leaves.begin(), leaves.end());
  return {};
}

}  // namespace stead::frontend
