#include "pjrt/buffer.h"

#include <numeric>
#include <utility>

#include "pjrt/client.h"
#include "pjrt/element_type.h"
#include "pjrt/event.h"

namespace {

std::vector<int64_t> OrderOf(const stead::ir::Shape& shape) {
  if (!shape.layout.minor_to_major.empty()) return shape.layout.minor_to_major;
  std::vector<int64_t> order(shape.dimensions.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

}  // namespace

PJRT_Buffer::PJRT_Buffer(PJRT_Memory* place, stead::ir::Shape shape, stead::runtime::AllocationRef memory, bool is_view)
    : place(place),
      shape(std::move(shape)),
      minor_to_major(OrderOf(this->shape)),
      is_view(is_view),
      memory(std::move(memory)) {}

namespace stead::pjrt {

Result<runtime::AllocationRef> LockedMemory(const PJRT_Buffer& buffer) {
  if (buffer.is_deleted) return InvalidArgument("Buffer has been deleted or donated.");
  return buffer.memory;
}

Result<runtime::AllocationRef> MemoryOf(PJRT_Buffer& buffer) {
  const std::lock_guard lock(buffer.mutex);
  return LockedMemory(buffer);
}

void LockedDelete(PJRT_Buffer& buffer) {
  buffer.is_deleted = true;
  if (buffer.external_references == 0) buffer.memory = nullptr;
}

Status BufferDestroy(PJRT_Buffer_Destroy_Args& args) {
  delete args.buffer;
  return {};
}

Status BufferElementType(PJRT_Buffer_ElementType_Args& args) {
  args.type = ToPjrtType(args.buffer->shape.element_type);
  return {};
}

Status BufferDimensions(PJRT_Buffer_Dimensions_Args& args) {
  args.dims = args.buffer->shape.dimensions.data();
  args.num_dims = args.buffer->shape.dimensions.size();
  return {};
}

Status BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  args.unpadded_dims = args.buffer->shape.dimensions.data();
  args.num_dims = args.buffer->shape.dimensions.size();
  return {};
}

Status BufferDynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
  return {};
}

Status BufferGetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  args.layout = {};
  args.layout.struct_size = PjrtStructSize(&args.layout);
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = PjrtStructSize(&args.layout.tiled);
  args.layout.tiled.minor_to_major = args.buffer->minor_to_major.data();
  args.layout.tiled.minor_to_major_size = args.buffer->minor_to_major.size();
  return {};
}

Status BufferOnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->shape.byte_size());
  return {};
}

Status BufferDevice(PJRT_Buffer_Device_Args& args) {
  args.device = args.buffer->place->device;
  return {};
}

Status BufferMemory(PJRT_Buffer_Memory_Args& args) {
  args.memory = args.buffer->place;
  return {};
}

Status BufferDelete(PJRT_Buffer_Delete_Args& args) {
  const std::lock_guard lock(args.buffer->mutex);
  LockedDelete(*args.buffer);
  return {};
}

Status BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  const std::lock_guard lock(args.buffer->mutex);
  args.is_deleted = args.buffer->is_deleted;
  return {};
}

Status BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = true;
  return {};
}

Status BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  TRY_STATUS(MemoryOf(*args.buffer));
  args.event = new PJRT_Event;
  return {};
}

Status BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  TRY(const runtime::AllocationRef memory, MemoryOf(*args.buffer));
  args.buffer_pointer = reinterpret_cast<uintptr_t>(memory->data());
  return {};
}

Status BufferOpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  TRY(const runtime::AllocationRef memory, MemoryOf(*args.buffer));
  args.device_memory_ptr = memory->data();
  return {};
}

Status BufferIncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  const std::lock_guard lock(args.buffer->mutex);
  TRY_STATUS(LockedMemory(*args.buffer));
  ++args.buffer->external_references;
  return {};
}

Status BufferDecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  PJRT_Buffer& buffer = *args.buffer;
  const std::lock_guard lock(buffer.mutex);
  if (buffer.external_references == 0) return InvalidArgument("the buffer has no external references");
  --buffer.external_references;
  if (buffer.external_references == 0 && buffer.is_deleted) buffer.memory = nullptr;
  return {};
}

}  // namespace stead::pjrt
