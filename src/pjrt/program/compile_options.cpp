#include "pjrt/program/compile_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <protozero/exception.hpp>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_message.hpp>
#include <variant>

namespace stead::pjrt {

namespace {

using Tag = protozero::pbf_tag_type;

enum class OptionsField : Tag { kExecutableBuildOptions = 3, kEnvOptionOverrides = 7 };
enum class BuildField : Tag { kNumReplicas = 4, kNumPartitions = 5, kDeviceAssignment = 9 };
enum class OverrideEntryField : Tag { kKey = 1, kValue = 2 };
enum class OverrideField : Tag { kString = 1, kBool = 2, kInt = 3, kDouble = 4 };
enum class AssignmentField : Tag { kReplicaCount = 1, kComputationCount = 2, kComputationDevices = 3 };
enum class ComputationDevicesField : Tag { kReplicaDeviceIds = 1 };

constexpr int64_t kMostPartitions = 1 << 16;

using OverrideValue = std::variant<std::monostate, std::string, bool, int64_t, double>;

std::string WriteDeviceAssignment(const std::vector<int64_t>& device_ids) {
  std::string bytes;
  protozero::pbf_builder<AssignmentField> assignment(bytes);
  assignment.add_int32(AssignmentField::kReplicaCount, 1);
  assignment.add_int32(AssignmentField::kComputationCount, static_cast<int32_t>(device_ids.size()));
  for (const int64_t id : device_ids) {
    protozero::pbf_builder<ComputationDevicesField> devices(assignment, AssignmentField::kComputationDevices);
    devices.add_packed_int64(ComputationDevicesField::kReplicaDeviceIds, &id, &id + 1);
  }
  return bytes;
}

// The device of each partition, of the first replica.
std::vector<int64_t> ReadDeviceAssignment(protozero::data_view bytes) {
  std::vector<int64_t> device_ids;
  protozero::pbf_message<AssignmentField> assignment(bytes);
  while (assignment.next(AssignmentField::kComputationDevices)) {
    protozero::pbf_message<ComputationDevicesField> devices(assignment.get_view());
    while (devices.next(ComputationDevicesField::kReplicaDeviceIds)) {
      const auto ids = devices.get_packed_int64();
      if (!ids.empty()) device_ids.push_back(*ids.begin());
    }
  }
  return device_ids;
}

Status TakeDevices(int64_t partition_count, CompileOptions& options) {
  if (options.device_assignment.empty()) {
    if (partition_count > kMostPartitions)
      return InvalidArgument(fmt::format("a program of {} partitions", partition_count));
    options.device_ids.resize(static_cast<size_t>(partition_count));
    std::iota(options.device_ids.begin(), options.device_ids.end(), 0);
    options.device_assignment = WriteDeviceAssignment(options.device_ids);
    return {};
  }
  options.device_ids = ReadDeviceAssignment(options.device_assignment);
  if (static_cast<int64_t>(options.device_ids.size()) == partition_count) return {};
  return InvalidArgument(fmt::format("the device assignment names {} devices for {} partitions",
                                     options.device_ids.size(), partition_count));
}

Status ParseBuildOptions(protozero::data_view bytes, CompileOptions& options) {
  int64_t replicas = 1;
  int64_t partitions = 1;
  protozero::pbf_message<BuildField> message(bytes);
  while (message.next()) {
    switch (message.tag()) {
      case BuildField::kNumReplicas: replicas = message.get_int64(); break;
      case BuildField::kNumPartitions: partitions = message.get_int64(); break;
      case BuildField::kDeviceAssignment: options.device_assignment = message.get_string(); break;
      default: message.skip();
    }
  }
  if (replicas > 1) return Unimplemented(fmt::format("a program of {} replicas; partitions are offered", replicas));
  return TakeDevices(std::max<int64_t>(partitions, 1), options);
}

OverrideValue ParseOverrideValue(protozero::data_view bytes) {
  OverrideValue value;
  protozero::pbf_message<OverrideField> message(bytes);
  while (message.next()) {
    switch (message.tag()) {
      case OverrideField::kString: value = message.get_string(); break;
      case OverrideField::kBool: value = message.get_bool(); break;
      case OverrideField::kInt: value = message.get_int64(); break;
      case OverrideField::kDouble: value = message.get_double(); break;
      default: message.skip();
    }
  }
  return value;
}

// Command lines and environment variables hand over text: "true", "1".
std::optional<bool> AsBool(const OverrideValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number != 0;
  const std::string* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  if (*text == "true" || *text == "True" || *text == "1") return true;
  if (*text == "false" || *text == "False" || *text == "0") return false;
  return std::nullopt;
}

Result<std::string> AsFolder(const std::string& key, const OverrideValue& value) {
  if (const std::string* folder = std::get_if<std::string>(&value)) return *folder;
  return InvalidArgument(fmt::format("compile option `{}` takes the path of a folder", key));
}

Result<bool> AsFlag(const std::string& key, const OverrideValue& value) {
  if (const std::optional<bool> flag = AsBool(value)) return *flag;
  return InvalidArgument(fmt::format("compile option `{}` takes true or false", key));
}

Status SetOption(const std::string& key, const OverrideValue& value, CompileOptions& options) {
  if (key == "stead_dump_to") {
    TRY(options.driver.dump_to, AsFolder(key, value));
  } else if (key == "stead_always_copy") {
    TRY(options.driver.plan.always_copy, AsFlag(key, value));
  } else if (key == "stead_count_copies") {
    TRY(options.driver.count_copies, AsFlag(key, value));
  } else if (key == "xla_dump_to") {
    TRY(options.final_dump.folder, AsFolder(key, value));
  } else if (key == "xla_dump_hlo_as_proto") {
    TRY(options.final_dump.as_proto, AsFlag(key, value));
  } else if (!key.starts_with("xla_")) {
    // XLA's other options are for another compiler: programs that set them run here unchanged.
    return InvalidArgument(fmt::format("No such compile option: '{}'", key));
  }
  return {};
}

Status ParseOverride(protozero::data_view bytes, CompileOptions& options) {
  std::string key;
  OverrideValue value;
  protozero::pbf_message<OverrideEntryField> message(bytes);
  while (message.next()) {
    switch (message.tag()) {
      case OverrideEntryField::kKey: key = message.get_string(); break;
      case OverrideEntryField::kValue: value = ParseOverrideValue(message.get_view()); break;
      default: message.skip();
    }
  }
  return SetOption(key, value, options);
}

Result<CompileOptions> ParseMessage(std::string_view bytes) {
  CompileOptions options{.serialized = std::string(bytes)};
  protozero::pbf_message<OptionsField> message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (message.tag()) {
      case OptionsField::kExecutableBuildOptions: TRY_STATUS(ParseBuildOptions(message.get_view(), options)); break;
      case OptionsField::kEnvOptionOverrides: TRY_STATUS(ParseOverride(message.get_view(), options)); break;
      default: message.skip();
    }
  }
  if (options.device_assignment.empty()) options.device_assignment = WriteDeviceAssignment(options.device_ids);
  return options;
}

}  // namespace

Result<CompileOptions> ParseCompileOptions(std::string_view bytes) {
  try {
    return ParseMessage(bytes);
  } catch (const protozero::exception& exception) {
    return InvalidArgument(fmt::format("the compile options are no CompileOptionsProto: {}", exception.what()));
  }
}

}  // namespace stead::pjrt
