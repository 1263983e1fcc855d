// Arrays in the memory of a device, which is the host's: a shape and a reference to memory.
//   The framework may take the address of the memory for numpy or dlpack and counts such holders as external references;
//   while there are any, the memory stays where it is and is never overwritten, whatever is deleted or donated.
//   Every function may be called from any thread.
#pragma once

#include <mutex>
#include <vector>

#include "base/result.h"
#include "ir/shape.h"
#include "pjrt_abi.h"
#include "runtime/memory.h"

struct PJRT_Buffer {
  // `is_view`: someone outside the plugin owns the memory and may still read it.
  PJRT_Buffer(PJRT_Memory* place, stead::ir::Shape shape, stead::runtime::AllocationRef memory, bool is_view = false);

  PJRT_Memory* const place;
  const stead::ir::Shape shape;               // an array, with the order in which its elements lie
  const std::vector<int64_t> minor_to_major;  // that order
  const bool is_view;

  std::mutex mutex;  // guards what follows
  bool is_deleted = false;
  int64_t external_references = 0;
  stead::runtime::AllocationRef memory;  // kept after deletion only as long as there are external references
};

namespace stead::pjrt {

// The memory of a buffer that is still there. RETURNS InvalidArgument, in the words that JAX looks for, otherwise.
// REQUIRES: the caller holds the buffer's mutex.
Result<runtime::AllocationRef> LockedMemory(const PJRT_Buffer& buffer);
// The same, taking the mutex.
Result<runtime::AllocationRef> MemoryOf(PJRT_Buffer& buffer);
// Marks the buffer as deleted and lets go of its memory. REQUIRES: the caller holds the buffer's mutex.
void LockedDelete(PJRT_Buffer& buffer);

Status BufferDestroy(PJRT_Buffer_Destroy_Args& args);
Status BufferElementType(PJRT_Buffer_ElementType_Args& args);
Status BufferDimensions(PJRT_Buffer_Dimensions_Args& args);
Status BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args);
Status BufferDynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args& args);
Status BufferGetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args);
Status BufferOnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args);
Status BufferDevice(PJRT_Buffer_Device_Args& args);
Status BufferMemory(PJRT_Buffer_Memory_Args& args);
Status BufferDelete(PJRT_Buffer_Delete_Args& args);
Status BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args);
Status BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args);
Status BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args);
Status BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args);
Status BufferOpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args);
Status BufferIncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args);
Status BufferDecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args);

}  // namespace stead::pjrt
