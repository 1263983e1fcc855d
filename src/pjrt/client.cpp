#include "pjrt/client.h"

#include <fmt/format.h>

namespace stead::pjrt {

namespace {

Result<PJRT_Device*> DeviceById(PJRT_Client& client, int32_t id) {
  for (PJRT_Device* device : client.devices) {
    if (device->description->id == id) return device;
  }
  return InvalidArgument(fmt::format("no device with id {}; this client has device 0 only", id));
}

}  // namespace

std::string_view PlatformName() { return "cpu"; }
std::string_view PlatformVersion() { return "stead " STEAD_VERSION; }

// Options are hints for one backend or another, and JAX adds some of its own: unknown ones are no error. The callbacks for
// talking to other processes may hold garbage in a single process, and are not looked at.
Status ClientCreate(PJRT_Client_Create_Args& args) {
  TRY(stead::runtime::ThreadPool* const threads, stead::runtime::ThreadPool::Shared());
  args.client = new PJRT_Client;
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
  args.devices = args.client->devices;
  args.num_devices = std::size(args.client->devices);
  return {};
}

Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->devices;
  args.num_addressable_devices = std::size(args.client->devices);
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
  args.addressable_memories = args.client->memories;
  args.num_addressable_memories = std::size(args.client->memories);
  return {};
}

Status ClientDefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  if (args.num_replicas != 1 || args.num_partitions != 1) {
    return InvalidArgument(fmt::format("{} replicas of {} partitions need as many devices; this client has one",
                                       args.num_replicas, args.num_partitions));
  }
  if (args.default_assignment_size < 1) return InvalidArgument("the device assignment has no room for one device");
  args.default_assignment[0] = args.client->device.description->id;
  return {};
}

Status ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->topology;
  return {};
}

}  // namespace stead::pjrt
