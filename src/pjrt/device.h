// Devices, their descriptions and their memory, as the C API asks for them one fact at a time.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

Status DeviceDescriptionId(PJRT_DeviceDescription_Id_Args& args);
Status DeviceDescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args);
Status DeviceDescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args);
Status DeviceDescriptionKind(PJRT_DeviceDescription_Kind_Args& args);
Status DeviceDescriptionDebugString(PJRT_DeviceDescription_DebugString_Args& args);
Status DeviceDescriptionToString(PJRT_DeviceDescription_ToString_Args& args);

Status DeviceGetDescription(PJRT_Device_GetDescription_Args& args);
Status DeviceGetAttributes(PJRT_Device_GetAttributes_Args& args);
Status DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args);
Status DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args& args);
Status DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args& args);
Status DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args);
Status DeviceMemoryStats(PJRT_Device_MemoryStats_Args& args);

Status MemoryId(PJRT_Memory_Id_Args& args);
Status MemoryKind(PJRT_Memory_Kind_Args& args);
Status MemoryKindId(PJRT_Memory_Kind_Id_Args& args);
Status MemoryDebugString(PJRT_Memory_DebugString_Args& args);
Status MemoryToString(PJRT_Memory_ToString_Args& args);
Status MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args);

}  // namespace stead::pjrt
