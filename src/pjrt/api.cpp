// The door itself: GetPjrtApi hands out the table of functions, in which every slot is filled.
//   A function that is missing here answers UNIMPLEMENTED and names itself; callers treat that as "not offered".
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "pjrt/device.h"
#include "pjrt/entry.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/extensions/ffi_extension.h"
#include "pjrt/extensions/layouts.h"
#include "pjrt/extensions/shardings.h"
#include "pjrt/plugin.h"
#include "pjrt/program/compile.h"
#include "pjrt/program/executable.h"
#include "pjrt/program/execute.h"
#include "pjrt/topology.h"
#include "pjrt/transfer.h"

namespace stead::pjrt {

namespace {

// The version that we claim: that of jaxlib 0.10.2, whose every obligatory call is implemented below. Older callers use a
// prefix of the table, newer ones know from it what not to call.
constexpr int32_t kMajorVersion = 0;
constexpr int32_t kMinorVersion = 112;

enum Slot : size_t {
#define FUNCTION(name) kSlot_##name,
#include "pjrt_functions.def"
#undef FUNCTION
};

template <size_t slot, typename Args>
void FillMissing(PJRT_Error* (*&function)(Args*)) {
  function = MissingFunction<slot>;
}

// The two functions that return no error are both there.
template <size_t slot, typename Args>
void FillMissing(void (*&)(Args*)) {}

void FillAllMissing(PJRT_Api& api) {
#define FUNCTION(name) FillMissing<kSlot_##name>(api.name);
#include "pjrt_functions.def"
#undef FUNCTION
}

void FillErrorsAndEvents(PJRT_Api& api) {
  api.PJRT_Error_Destroy = ErrorDestroy;
  api.PJRT_Error_Message = ErrorMessage;
  api.PJRT_Error_GetCode = Entry<ErrorGetCode>;
  api.PJRT_Error_ForEachPayload = Entry<ErrorForEachPayload>;
  api.PJRT_Event_Destroy = Entry<EventDestroy>;
  api.PJRT_Event_IsReady = Entry<EventIsReady>;
  api.PJRT_Event_Error = Entry<EventError>;
  api.PJRT_Event_Await = Entry<EventAwait>;
  api.PJRT_Event_OnReady = Entry<EventOnReady>;
}

void FillClient(PJRT_Api& api) {
  api.PJRT_Plugin_Initialize = Entry<PluginInitialize>;
  api.PJRT_Plugin_Attributes = Entry<PluginAttributes>;
  api.PJRT_Client_Create = Entry<ClientCreate>;
  api.PJRT_Client_Destroy = Entry<ClientDestroy>;
  api.PJRT_Client_PlatformName = Entry<ClientPlatformName>;
  api.PJRT_Client_PlatformVersion = Entry<ClientPlatformVersion>;
  api.PJRT_Client_ProcessIndex = Entry<ClientProcessIndex>;
  api.PJRT_Client_Devices = Entry<ClientDevices>;
  api.PJRT_Client_AddressableDevices = Entry<ClientAddressableDevices>;
  api.PJRT_Client_LookupDevice = Entry<ClientLookupDevice>;
  api.PJRT_Client_LookupAddressableDevice = Entry<ClientLookupAddressableDevice>;
  api.PJRT_Client_AddressableMemories = Entry<ClientAddressableMemories>;
  api.PJRT_Client_DefaultDeviceAssignment = Entry<ClientDefaultDeviceAssignment>;
  api.PJRT_Client_TopologyDescription = Entry<ClientTopologyDescription>;
  api.PJRT_TopologyDescription_Create = Entry<TopologyCreate>;
  api.PJRT_TopologyDescription_Destroy = Entry<TopologyDestroy>;
  api.PJRT_TopologyDescription_PlatformName = Entry<TopologyPlatformName>;
  api.PJRT_TopologyDescription_PlatformVersion = Entry<TopologyPlatformVersion>;
  api.PJRT_TopologyDescription_GetDeviceDescriptions = Entry<TopologyGetDeviceDescriptions>;
  api.PJRT_TopologyDescription_Attributes = Entry<TopologyAttributes>;
  api.PJRT_TopologyDescription_Fingerprint = Entry<TopologyFingerprint>;
}

void FillDevices(PJRT_Api& api) {
  api.PJRT_DeviceDescription_Id = Entry<DeviceDescriptionId>;
  api.PJRT_DeviceDescription_ProcessIndex = Entry<DeviceDescriptionProcessIndex>;
  api.PJRT_DeviceDescription_Attributes = Entry<DeviceDescriptionAttributes>;
  api.PJRT_DeviceDescription_Kind = Entry<DeviceDescriptionKind>;
  api.PJRT_DeviceDescription_DebugString = Entry<DeviceDescriptionDebugString>;
  api.PJRT_DeviceDescription_ToString = Entry<DeviceDescriptionToString>;
  api.PJRT_Device_GetDescription = Entry<DeviceGetDescription>;
  api.PJRT_Device_GetAttributes = Entry<DeviceGetAttributes>;
  api.PJRT_Device_IsAddressable = Entry<DeviceIsAddressable>;
  api.PJRT_Device_LocalHardwareId = Entry<DeviceLocalHardwareId>;
  api.PJRT_Device_AddressableMemories = Entry<DeviceAddressableMemories>;
  api.PJRT_Device_DefaultMemory = Entry<DeviceDefaultMemory>;
  api.PJRT_Device_MemoryStats = Entry<DeviceMemoryStats>;
  api.PJRT_Memory_Id = Entry<MemoryId>;
  api.PJRT_Memory_Kind = Entry<MemoryKind>;
  api.PJRT_Memory_Kind_Id = Entry<MemoryKindId>;
  api.PJRT_Memory_DebugString = Entry<MemoryDebugString>;
  api.PJRT_Memory_ToString = Entry<MemoryToString>;
  api.PJRT_Memory_AddressableByDevices = Entry<MemoryAddressableByDevices>;
}

void FillBuffers(PJRT_Api& api) {
  api.PJRT_Client_BufferFromHostBuffer = Entry<ClientBufferFromHostBuffer>;
  api.PJRT_Client_CreateViewOfDeviceBuffer = Entry<ClientCreateViewOfDeviceBuffer>;
  api.PJRT_Buffer_Destroy = Entry<BufferDestroy>;
  api.PJRT_Buffer_ElementType = Entry<BufferElementType>;
  api.PJRT_Buffer_Dimensions = Entry<BufferDimensions>;
  api.PJRT_Buffer_UnpaddedDimensions = Entry<BufferUnpaddedDimensions>;
  api.PJRT_Buffer_DynamicDimensionIndices = Entry<BufferDynamicDimensionIndices>;
  api.PJRT_Buffer_GetMemoryLayout = Entry<BufferGetMemoryLayout>;
  api.PJRT_Buffer_OnDeviceSizeInBytes = Entry<BufferOnDeviceSizeInBytes>;
  api.PJRT_Buffer_Device = Entry<BufferDevice>;
  api.PJRT_Buffer_Memory = Entry<BufferMemory>;
  api.PJRT_Buffer_Delete = Entry<BufferDelete>;
  api.PJRT_Buffer_IsDeleted = Entry<BufferIsDeleted>;
  api.PJRT_Buffer_CopyToDevice = Entry<BufferCopyToDevice>;
  api.PJRT_Buffer_CopyToMemory = Entry<BufferCopyToMemory>;
  api.PJRT_Buffer_ToHostBuffer = Entry<BufferToHostBuffer>;
  api.PJRT_Buffer_IsOnCpu = Entry<BufferIsOnCpu>;
  api.PJRT_Buffer_ReadyEvent = Entry<BufferReadyEvent>;
  api.PJRT_Buffer_UnsafePointer = Entry<BufferUnsafePointer>;
  api.PJRT_Buffer_OpaqueDeviceMemoryDataPointer = Entry<BufferOpaqueDeviceMemoryDataPointer>;
  api.PJRT_Buffer_IncreaseExternalReferenceCount = Entry<BufferIncreaseExternalReferenceCount>;
  api.PJRT_Buffer_DecreaseExternalReferenceCount = Entry<BufferDecreaseExternalReferenceCount>;
}

void FillExecutables(PJRT_Api& api) {
  api.PJRT_Client_Compile = Entry<ClientCompile>;
  api.PJRT_Executable_Serialize = Entry<ExecutableSerialize>;
  api.PJRT_Executable_DeserializeAndLoad = Entry<ExecutableDeserializeAndLoad>;
  api.PJRT_Executable_Destroy = Entry<ExecutableDestroy>;
  api.PJRT_Executable_Name = Entry<ExecutableName>;
  api.PJRT_Executable_NumReplicas = Entry<ExecutableNumReplicas>;
  api.PJRT_Executable_NumPartitions = Entry<ExecutableNumPartitions>;
  api.PJRT_Executable_NumOutputs = Entry<ExecutableNumOutputs>;
  api.PJRT_Executable_SizeOfGeneratedCodeInBytes = Entry<ExecutableSizeOfGeneratedCodeInBytes>;
  api.PJRT_Executable_GetCostAnalysis = Entry<ExecutableGetCostAnalysis>;
  api.PJRT_Executable_OutputMemoryKinds = Entry<ExecutableOutputMemoryKinds>;
  api.PJRT_Executable_ParameterMemoryKinds = Entry<ExecutableParameterMemoryKinds>;
  api.PJRT_Executable_OutputElementTypes = Entry<ExecutableOutputElementTypes>;
  api.PJRT_Executable_OutputDimensions = Entry<ExecutableOutputDimensions>;
  api.PJRT_Executable_OptimizedProgram = Entry<ExecutableOptimizedProgram>;
  api.PJRT_Executable_Fingerprint = Entry<ExecutableFingerprint>;
  api.PJRT_Executable_GetCompiledMemoryStats = Entry<ExecutableGetCompiledMemoryStats>;
  api.PJRT_Executable_GetCompileOptions = Entry<ExecutableGetCompileOptions>;
  api.PJRT_LoadedExecutable_Destroy = Entry<LoadedExecutableDestroy>;
  api.PJRT_LoadedExecutable_GetExecutable = Entry<LoadedExecutableGetExecutable>;
  api.PJRT_LoadedExecutable_AddressableDevices = Entry<LoadedExecutableAddressableDevices>;
  api.PJRT_LoadedExecutable_AddressableDeviceLogicalIds = Entry<LoadedExecutableAddressableDeviceLogicalIds>;
  api.PJRT_LoadedExecutable_GetDeviceAssignment = Entry<LoadedExecutableGetDeviceAssignment>;
  api.PJRT_LoadedExecutable_Delete = Entry<LoadedExecutableDelete>;
  api.PJRT_LoadedExecutable_IsDeleted = Entry<LoadedExecutableIsDeleted>;
  api.PJRT_LoadedExecutable_Fingerprint = Entry<LoadedExecutableFingerprint>;
  api.PJRT_LoadedExecutable_Execute = Entry<LoadedExecutableExecute>;
  api.PJRT_ExecuteContext_Create = Entry<ExecuteContextCreate>;
  api.PJRT_ExecuteContext_Destroy = Entry<ExecuteContextDestroy>;
}

// How a program is split over devices. Without it JAX reads the whole final program twice after every compilation to see.
PJRT_Extension_Base* ShardingsExtension() {
  static PJRT_Shardings_Extension extension = {};
  extension.base.struct_size = PjrtStructSize(&extension);
  extension.base.type = PJRT_Extension_Type_Shardings;
  extension.PJRT_Shardings_PJRT_Executable_ParameterShardings = Entry<ParameterShardings>;
  extension.PJRT_Shardings_PJRT_Executable_OutputShardings = Entry<OutputShardings>;
  return &extension.base;
}

// In which order arrays lie. Without it JAX takes them all for row major.
PJRT_Extension_Base* LayoutsExtension() {
  static PJRT_Layouts_Extension extension = {};
  extension.base.struct_size = PjrtStructSize(&extension);
  extension.base.type = PJRT_Extension_Type_Layouts;
  extension.base.next = ShardingsExtension();
  extension.PJRT_Layouts_MemoryLayout_Destroy = Entry<LayoutDestroy>;
  extension.PJRT_Layouts_MemoryLayout_Serialize = Entry<LayoutSerialize>;
  extension.PJRT_Layouts_PJRT_Client_GetDefaultLayout = Entry<ClientDefaultLayout>;
  extension.PJRT_Layouts_PJRT_Topology_GetDefaultLayout = Entry<TopologyDefaultLayout>;
  extension.PJRT_Layouts_PJRT_Buffer_MemoryLayout = Entry<BufferLayout>;
  extension.PJRT_Layouts_PJRT_Executable_GetOutputLayouts = Entry<OutputLayouts>;
  extension.PJRT_Layouts_PJRT_Executable_GetParameterLayouts = Entry<ParameterLayouts>;
  return &extension.base;
}

// What callers give to the handlers of custom calls: JAX's Python callbacks come in this way.
PJRT_Extension_Base* FfiExtension() {
  static PJRT_FFI_Extension extension = {};
  extension.base.struct_size = PjrtStructSize(&extension);
  extension.base.type = PJRT_Extension_Type_FFI;
  extension.base.next = LayoutsExtension();
  extension.type_register = Entry<FfiTypeRegister>;
  extension.user_data_add = Entry<FfiUserDataAdd>;
  extension.register_handler = Entry<FfiRegisterHandler>;
  return &extension.base;
}

PJRT_Api MakeApi() {
  PJRT_Api api = {};
  api.struct_size = PjrtStructSize(&api);
  api.extension_start = FfiExtension();
  api.pjrt_api_version.struct_size = PjrtStructSize(&api.pjrt_api_version);
  api.pjrt_api_version.major_version = kMajorVersion;
  api.pjrt_api_version.minor_version = kMinorVersion;
  FillAllMissing(api);
  FillErrorsAndEvents(api);
  FillClient(api);
  FillDevices(api);
  FillBuffers(api);
  FillExecutables(api);
  return api;
}

}  // namespace

}  // namespace stead::pjrt

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = stead::pjrt::MakeApi();
  return &api;
}
