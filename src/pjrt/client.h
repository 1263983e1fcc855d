// The client and what it consists of: virtual devices of the host, each with its memories, described by one topology.
//   Everything is made by PJRT_Client_Create, lives as long as the client and is only read afterwards, from any thread.
//   Answers that are strings or lists point into these structs. All memories are the host's; their kinds are names that programs
//   for other machines use.
//   Does not: transfer (buffer.h), compile (executable.h).
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pjrt_abi.h"
#include "runtime/thread_pool.h"

struct PJRT_DeviceDescription {
  int32_t id = 0;
  int32_t process_index = 0;
  std::string kind = "cpu";
  std::string debug_string;
  std::string text;
};

// Newer callers may read the first word as a table of functions; null says that there is none.
struct PJRT_Memory {
  const void* vtable = nullptr;
  int32_t id = 0;
  int32_t kind_id = 0;
  std::string kind;
  std::string debug_string;
  std::string text;
  PJRT_Device* device = nullptr;
};

struct PJRT_Device {
  PJRT_DeviceDescription* description = nullptr;
  std::vector<PJRT_Memory*> memories;  // the default one first
  int32_t local_hardware_id = 0;

  PJRT_Memory* default_memory() const { return memories.front(); }
};

struct PJRT_TopologyDescription {
  std::vector<PJRT_DeviceDescription*> descriptions;
};

struct PJRT_Client {
  explicit PJRT_Client(int32_t device_count);
  PJRT_Client(const PJRT_Client&) = delete;
  PJRT_Client& operator=(const PJRT_Client&) = delete;

  PJRT_TopologyDescription topology;
  std::vector<PJRT_Device*> devices;              // by id
  std::vector<PJRT_Memory*> memories;             // of all devices
  stead::runtime::ThreadPool* threads = nullptr;  // that runs share

 private:
  std::deque<PJRT_DeviceDescription> owned_descriptions_;
  std::deque<PJRT_Memory> owned_memories_;
  std::deque<PJRT_Device> owned_devices_;
};

namespace stead::pjrt {

// "cpu": JAX keeps donation, callbacks, lowerings and dlpack for this name only.
std::string_view PlatformName();
// Names this plugin and no other; part of the key of JAX's compilation cache.
std::string_view PlatformVersion();

// The device with the id. RETURNS InvalidArgument when the client has none.
Result<PJRT_Device*> DeviceById(const PJRT_Client& client, int64_t id);

Status ClientCreate(PJRT_Client_Create_Args& args);
Status ClientDestroy(PJRT_Client_Destroy_Args& args);
Status ClientPlatformName(PJRT_Client_PlatformName_Args& args);
Status ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args);
Status ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args);
Status ClientDevices(PJRT_Client_Devices_Args& args);
Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args);
Status ClientLookupDevice(PJRT_Client_LookupDevice_Args& args);
Status ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args);
Status ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args);
Status ClientDefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args);
Status ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args);

}  // namespace stead::pjrt
