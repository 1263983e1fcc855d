// The client and what it consists of: one device of the host, with one memory, described by one topology.
//   Everything is made by PJRT_Client_Create, lives as long as the client and is only read afterwards, from any thread.
//   Answers that are strings or lists point into these structs.
//   Does not: transfer (buffer.h), compile (executable.h).
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include "base/result.h"
#include "pjrt_abi.h"
#include "runtime/thread_pool.h"

struct PJRT_DeviceDescription {
  int32_t id = 0;
  int32_t process_index = 0;
  std::string kind = "cpu";
  std::string debug_string = "STEAD_CPU_0";
  std::string text = "SteadDevice(id=0)";
};

// Newer callers may read the first word as a table of functions; null says that there is none.
struct PJRT_Memory {
  const void* vtable = nullptr;
  int32_t id = 0;
  int32_t kind_id = 0;
  std::string kind = "device";
  std::string debug_string = "STEAD_MEMORY_0(device)";
  std::string text = "SteadMemory(id=0, kind=device)";
  PJRT_Device* device = nullptr;
};

struct PJRT_Device {
  PJRT_DeviceDescription* description = nullptr;
  PJRT_Memory* memory = nullptr;
  int32_t local_hardware_id = 0;
};

struct PJRT_TopologyDescription {
  PJRT_DeviceDescription description;
  PJRT_DeviceDescription* descriptions[1] = {&description};
};

struct PJRT_Client {
  PJRT_TopologyDescription topology;
  PJRT_Memory memory;
  PJRT_Device device{.description = &topology.description, .memory = &memory};
  PJRT_Device* devices[1] = {&device};
  PJRT_Memory* memories[1] = {&memory};
  stead::runtime::ThreadPool* threads = nullptr;  // that runs share

  PJRT_Client() { memory.device = &device; }
  PJRT_Client(const PJRT_Client&) = delete;
  PJRT_Client& operator=(const PJRT_Client&) = delete;
};

namespace stead::pjrt {

// "cpu": JAX keeps donation, callbacks, lowerings and dlpack for this name only.
std::string_view PlatformName();
// Names this plugin and no other; part of the key of JAX's compilation cache.
std::string_view PlatformVersion();

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
