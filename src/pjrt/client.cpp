#include "pjrt/client.h"

#include <charconv>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

namespace stead::pjrt {

namespace {

constexpr std::string_view kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};
constexpr int64_t kMostDevices = 4096;
constexpr std::string_view kDeviceCountOption = "num_devices";
// How users of XLA's CPU backend ask for several devices.
constexpr std::string_view kDeviceCountFlag = "--xla_force_host_platform_device_count=";

Result<int64_t> ParseDeviceCount(std::string_view text) {
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size()) return count;
  return InvalidArgument(fmt::format("`{}` is no number of devices", text));
}

// What XLA_FLAGS says, or one. The last one counts, as in XLA.
Result<int64_t> DeviceCountOfEnvironment() {
  const char* variable = std::getenv("XLA_FLAGS");
  const std::string_view flags = variable == nullptr ? "" : variable;
  const size_t found = flags.rfind(kDeviceCountFlag);
  if (found == std::string_view::npos) return 1;
  const std::string_view value = flags.substr(found + kDeviceCountFlag.size());
  return ParseDeviceCount(value.substr(0, value.find_first_of(" \t\n")));
}

// Options are hints for one backend or another, and JAX adds some of its own: unknown ones are no error. JAX's environment
// variable for options hands over text.
Result<int32_t> DeviceCount(std::span<const PJRT_NamedValue> options) {
  TRY(int64_t count, DeviceCountOfEnvironment());
  for (const PJRT_NamedValue& option : options) {
    if (std::string_view(option.name, option.name_size) != kDeviceCountOption) continue;
    if (option.type == PJRT_NamedValue_kInt64) {
      count = option.int64_value;
    } else if (option.type == PJRT_NamedValue_kString) {
      TRY(count, ParseDeviceCount({option.string_value, option.value_size}));
    } else {
      return InvalidArgument("option `num_devices` takes an integer");
    }
  }
  if (count >= 1 && count <= kMostDevices) return static_cast<int32_t>(count);
  return InvalidArgument(fmt::format("{} devices; a client has 1 to {}", count, kMostDevices));
}

}  // namespace

}  // namespace stead::pjrt

PJRT_Client::PJRT_Client(int32_t device_count) {
  for (int32_t id = 0; id < device_count; ++id) {
    PJRT_DeviceDescription& description = owned_descriptions_.emplace_back(PJRT_DeviceDescription{
        .id = id, .debug_string = fmt::format("STEAD_CPU_{}", id), .text = fmt::format("SteadDevice(id={})", id)});
    PJRT_Device& device =
        owned_devices_.emplace_back(PJRT_Device{.description = &description, .local_hardware_id = id});
    for (const std::string_view kind : stead::pjrt::kMemoryKinds) {
      const int32_t memory_id = static_cast<int32_t>(memories.size());
      memories.push_back(
          &owned_memories_.emplace_back(PJRT_Memory{.id = memory_id,
                                                    .kind_id = static_cast<int32_t>(device.memories.size()),
                                                    .kind = std::string(kind),
                                                    .debug_string = fmt::format("STEAD_MEMORY_{}({})", memory_id, kind),
                                                    .text = fmt::format("SteadMemory(id={}, kind={})", memory_id, kind),
                                                    .device = &device}));
      device.memories.push_back(memories.back());
    }
    topology.descriptions.push_back(&description);
    devices.push_back(&device);
  }
}

namespace stead::pjrt {

std::string_view PlatformName() { return "cpu"; }
std::string_view PlatformVersion() { return "stead " STEAD_VERSION; }

Result<PJRT_Device*> DeviceById(const PJRT_Client& client, int64_t id) {
  if (id >= 0 && id < static_cast<int64_t>(client.devices.size())) return client.devices[id];
  return InvalidArgument(
      fmt::format("no device with id {}; this client has devices 0 to {}", id, client.devices.size() - 1));
}

// The callbacks for talking to other processes may hold garbage in a single process, and are not looked at.
Status ClientCreate(PJRT_Client_Create_Args& args) {
  TRY(stead::runtime::ThreadPool* const threads, stead::runtime::ThreadPool::Shared());
  TRY(const int32_t device_count, DeviceCount({args.create_options, args.num_options}));
  args.client = new PJRT_Client(device_count);
  args.client->threads = threads;
  return {};
}

Status ClientDestroy(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return {};
}

Status ClientPlatformName(PJRT_Client_PlatformName_Args& args) {
  args.platform_name = PlatformName().data();
  args.platform_name_size = PlatformName().size();
  return {};
}

Status ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  args.platform_version = PlatformVersion().data();
  args.platform_version_size = PlatformVersion().size();
  return {};
}

Status ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = 0;
  return {};
}

Status ClientDevices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->devices.data();
  args.num_devices = args.client->devices.size();
  return {};
}

Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->devices.data();
  args.num_addressable_devices = args.client->devices.size();
  return {};
}

Status ClientLookupDevice(PJRT_Client_LookupDevice_Args& args) {
  TRY(args.device, DeviceById(*args.client, args.id));
  return {};
}

Status ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  TRY(args.addressable_device, DeviceById(*args.client, args.local_hardware_id));
  return {};
}

Status ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memories.data();
  args.num_addressable_memories = args.client->memories.size();
  return {};
}

Status ClientDefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const size_t wanted = static_cast<size_t>(args.num_replicas) * static_cast<size_t>(args.num_partitions);
  if (args.num_replicas < 1 || args.num_partitions < 1 || wanted > args.client->devices.size()) {
    return InvalidArgument(fmt::format("{} replicas of {} partitions need as many devices; this client has {}",
                                       args.num_replicas, args.num_partitions, args.client->devices.size()));
  }
  if (args.default_assignment_size < wanted) {
    return InvalidArgument(fmt::format("the device assignment has no room for {} devices", wanted));
  }
  for (size_t position = 0; position < wanted; ++position)
    args.default_assignment[position] = static_cast<int>(position);
  return {};
}

Status ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->topology;
  return {};
}

}  // namespace stead::pjrt
