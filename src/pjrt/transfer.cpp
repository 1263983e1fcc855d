#include "pjrt/transfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>

#include "ir/literal_layout.h"
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "pjrt/element_type.h"
#include "pjrt/event.h"

namespace stead::pjrt {

namespace {

using ByteStrides = std::vector<int64_t>;

Result<ir::Shape> ShapeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  TRY(const ir::ElementType element_type, FromPjrtType(type));
  std::vector<int64_t> dimensions(dims, dims + num_dims);
  for (int64_t dimension : dimensions) {
    if (dimension < 0) return InvalidArgument(fmt::format("dimensions [{}] are not sizes", fmt::join(dimensions, ",")));
  }
  return ir::Shape::Array(element_type, std::move(dimensions));
}

// The order of elements that a layout of the C API names. jaxlib 0.10.2 leaves the struct_size of layouts uninitialised; they
// have had the same fields since there are any.
Result<ir::Layout> LayoutFrom(const ir::Shape& shape, const PJRT_Buffer_MemoryLayout& given) {
  if (given.type != PJRT_Buffer_MemoryLayout_Type_Tiled) return Unimplemented("a layout given by strides");
  if (given.tiled.num_tiles != 0) return Unimplemented("a layout with tiles");
  const std::span<const int64_t> order(given.tiled.minor_to_major, given.tiled.minor_to_major_size);
  std::vector<int64_t> sorted(order.begin(), order.end()), every_dimension(shape.dimensions.size());
  std::ranges::sort(sorted);
  std::iota(every_dimension.begin(), every_dimension.end(), 0);
  if (sorted != every_dimension) {
    return InvalidArgument(
        fmt::format("layout {{{}}} is no order of the dimensions of {}", fmt::join(order, ","), shape.ToString(false)));
  }
  return ir::Layout{.minor_to_major = {order.begin(), order.end()}};
}

// The same array in a layout of the C API; null means row major. Not packed.
Result<ir::Shape> WithLayout(ir::Shape shape, const PJRT_Buffer_MemoryLayout* given) {
  shape.layout = {};
  if (given == nullptr) return shape;
  TRY(shape.layout, LayoutFrom(shape, *given));
  return shape;
}

// As devices keep arrays: elements below 8 bits are packed.
ir::Shape OnDevice(ir::Shape shape) {
  shape.layout.suffix = ir::PackedSuffix(shape.element_type);
  return shape;
}

ir::Shape Unpacked(ir::Shape shape) {
  shape.layout.suffix.clear();
  return shape;
}

// Copies the elements of `shape` between two places with strides of their own: dimension `dim` and those inside it.
void CopyElements(const ir::Shape& shape, size_t dim, const std::byte* source, const ByteStrides& source_strides,
                  std::byte* target, const ByteStrides& target_strides) {
  const int64_t element_bytes = ir::ElementBytes(shape.element_type);
  if (dim == shape.dimensions.size()) {
    std::memcpy(target, source, static_cast<size_t>(element_bytes));
    return;
  }
  const bool is_last = dim + 1 == shape.dimensions.size();
  if (is_last && source_strides[dim] == element_bytes && target_strides[dim] == element_bytes) {
    std::memcpy(target, source, static_cast<size_t>(shape.dimensions[dim] * element_bytes));
    return;
  }
  for (int64_t index = 0; index < shape.dimensions[dim]; ++index) {
    CopyElements(shape, dim + 1, source + index * source_strides[dim], source_strides,
                 target + index * target_strides[dim], target_strides);
  }
}

// One of the places is dense in the layout of `shape`.
void CopyArray(const ir::Shape& shape, const std::byte* source, const ByteStrides& source_strides, std::byte* target,
               const ByteStrides& target_strides) {
  if (source_strides == target_strides) {
    std::memcpy(target, source, static_cast<size_t>(shape.byte_size()));
  } else {
    CopyElements(shape, 0, source, source_strides, target, target_strides);
  }
}

// From strides of the host to the memory of a device.
void CopyFromHost(const ir::Shape& shape, const std::byte* source, const ByteStrides& strides, std::byte* memory) {
  if (shape.element_count() == 0) return;
  if (!shape.is_packed()) return CopyArray(shape, source, strides, memory, ir::MemoryStrides(shape));
  std::vector<std::byte> elements(static_cast<size_t>(shape.element_count()));
  CopyArray(Unpacked(shape), source, strides, elements.data(), ir::MemoryStrides(shape));
  ir::PackElements(shape.element_type, elements, {memory, static_cast<size_t>(shape.byte_size())});
}

void CopyToHost(const ir::Shape& shape, const std::byte* memory, std::byte* target, const ByteStrides& strides) {
  if (shape.element_count() == 0) return;
  if (!shape.is_packed()) return CopyArray(shape, memory, ir::MemoryStrides(shape), target, strides);
  std::vector<std::byte> elements(static_cast<size_t>(shape.element_count()));
  ir::UnpackElements(shape.element_type, {memory, static_cast<size_t>(shape.byte_size())}, elements);
  CopyArray(Unpacked(shape), elements.data(), ir::MemoryStrides(shape), target, strides);
}

// The memory meant by a call that may name it, or a device, or neither.
PJRT_Memory* MemoryMeant(PJRT_Client* client, PJRT_Device* device, PJRT_Memory* memory) {
  if (memory != nullptr) return memory;
  return (device != nullptr ? device : client->devices.front())->default_memory();
}

Result<PJRT_Buffer*> CopyTo(PJRT_Buffer& source, PJRT_Memory* place) {
  TRY(const runtime::AllocationRef memory, MemoryOf(source));
  TRY(runtime::AllocationRef copy, runtime::Allocate(source.shape.byte_size()));
  std::memcpy(copy->data(), memory->data(), static_cast<size_t>(source.shape.byte_size()));
  return new PJRT_Buffer(place, source.shape, std::move(copy));
}

}  // namespace

Status ClientBufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  TRY(ir::Shape shape, ShapeFrom(args.type, args.dims, args.num_dims));
  ByteStrides strides = ir::MemoryStrides(shape);
  TRY(shape, WithLayout(std::move(shape), args.device_layout));
  if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy) {
    return Unimplemented("host buffer semantics kMutableZeroCopy");
  }
  if (args.byte_strides != nullptr && args.num_byte_strides == strides.size()) {
    strides.assign(args.byte_strides, args.byte_strides + args.num_byte_strides);
  }
  shape = OnDevice(std::move(shape));
  TRY(runtime::AllocationRef memory, runtime::Allocate(shape.byte_size()));
  CopyFromHost(shape, static_cast<const std::byte*>(args.data), strides, memory->data());
  PJRT_Memory* place = MemoryMeant(args.client, args.device, args.memory);
  auto event = std::make_unique<PJRT_Event>();
  args.buffer = new PJRT_Buffer(place, std::move(shape), std::move(memory));
  args.done_with_host_buffer = event.release();
  return {};
}

Status ClientCreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  TRY(ir::Shape shape, ShapeFrom(args.element_type, args.dims, args.num_dims));
  TRY(shape, WithLayout(std::move(shape), args.layout));
  shape = OnDevice(std::move(shape));
  auto release = [callback = args.on_delete_callback, pointer = args.device_buffer_ptr,
                  user_arg = args.on_delete_callback_arg] {
    if (callback != nullptr) callback(pointer, user_arg);
  };
  PJRT_Memory* place = MemoryMeant(args.client, args.device, args.memory);
  const int64_t bytes = shape.byte_size();
  args.buffer =
      new PJRT_Buffer(place, std::move(shape),
                      runtime::WrapExternal(static_cast<std::byte*>(args.device_buffer_ptr), bytes, std::move(release)),
                      /*is_view=*/true);
  return {};
}

Status BufferToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  PJRT_Buffer& source = *args.src;
  const size_t bytes = static_cast<size_t>(Unpacked(source.shape).byte_size());
  args.event = nullptr;
  if (args.dst == nullptr) {
    args.dst_size = bytes;
    return {};
  }
  if (args.dst_size < bytes) {
    return InvalidArgument(fmt::format("`dst_size` must be >= {}, got {}", bytes, args.dst_size));
  }
  TRY(const runtime::AllocationRef memory, MemoryOf(source));
  ir::Shape host_shape = source.shape;
  // Without a layout of its own the host's memory is like the device's.
  if (args.host_layout != nullptr) {
    TRY(host_shape, WithLayout(source.shape, args.host_layout));
  }
  CopyToHost(source.shape, memory->data(), static_cast<std::byte*>(args.dst), ir::MemoryStrides(host_shape));
  args.event = new PJRT_Event;
  return {};
}

Status BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  TRY(args.dst_buffer, CopyTo(*args.buffer, args.dst_device->default_memory()));
  return {};
}

Status BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  TRY(args.dst_buffer, CopyTo(*args.buffer, args.dst_memory));
  return {};
}

}  // namespace stead::pjrt
