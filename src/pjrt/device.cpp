#include "pjrt/device.h"

#include "pjrt/client.h"
#include "runtime/memory.h"

namespace stead::pjrt {

Status DeviceDescriptionId(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return {};
}

Status DeviceDescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = args.device_description->process_index;
  return {};
}

Status DeviceDescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  return {};
}

Status DeviceDescriptionKind(PJRT_DeviceDescription_Kind_Args& args) {
  args.device_kind = args.device_description->kind.data();
  args.device_kind_size = args.device_description->kind.size();
  return {};
}

Status DeviceDescriptionDebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  args.debug_string = args.device_description->debug_string.data();
  args.debug_string_size = args.device_description->debug_string.size();
  return {};
}

Status DeviceDescriptionToString(PJRT_DeviceDescription_ToString_Args& args) {
  args.to_string = args.device_description->text.data();
  args.to_string_size = args.device_description->text.size();
  return {};
}

Status DeviceGetDescription(PJRT_Device_GetDescription_Args& args) {
  args.device_description = args.device->description;
  return {};
}

// There are no attributes, but callers insist on a deleter for the list of them.
Status DeviceGetAttributes(PJRT_Device_GetAttributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_DeviceAttributes*) {};
  return {};
}

Status DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = true;
  return {};
}

Status DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->local_hardware_id;
  return {};
}

Status DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
  return {};
}

Status DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = args.device->default_memory();
  return {};
}

// Only the fields marked as set count for the caller. torch_xla reads the limit whether it is marked or not.
Status DeviceMemoryStats(PJRT_Device_MemoryStats_Args& args) {
  const runtime::AllocatorStats stats = runtime::GetAllocatorStats();
  PJRT_Device_MemoryStats_Args answer = {};
  answer.struct_size = args.struct_size;
  answer.extension_start = args.extension_start;
  answer.device = args.device;
  answer.bytes_in_use = stats.bytes_in_use;
  answer.peak_bytes_in_use = stats.peak_bytes_in_use;
  answer.peak_bytes_in_use_is_set = true;
  answer.bytes_limit = stats.bytes_limit;
  answer.bytes_limit_is_set = true;
  answer.bytes_reservable_limit = stats.bytes_limit;
  answer.bytes_reservable_limit_is_set = true;
  args = answer;
  return {};
}

Status MemoryId(PJRT_Memory_Id_Args& args) {
  args.id = args.memory->id;
  return {};
}

Status MemoryKind(PJRT_Memory_Kind_Args& args) {
  args.kind = args.memory->kind.data();
  args.kind_size = args.memory->kind.size();
  return {};
}

Status MemoryKindId(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = args.memory->kind_id;
  return {};
}

Status MemoryDebugString(PJRT_Memory_DebugString_Args& args) {
  args.debug_string = args.memory->debug_string.data();
  args.debug_string_size = args.memory->debug_string.size();
  return {};
}

Status MemoryToString(PJRT_Memory_ToString_Args& args) {
  args.to_string = args.memory->text.data();
  args.to_string_size = args.memory->text.size();
  return {};
}

Status MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = &args.memory->device;
  args.num_devices = 1;
  return {};
}

}  // namespace stead::pjrt
