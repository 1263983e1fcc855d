#include "pjrt/extensions/layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/element_type.h"
#include "pjrt/program/executable.h"

struct PJRT_Layouts_MemoryLayout {
  std::string text;  // as in HLO: the fastest dimension first
};

namespace stead::pjrt {

namespace {

PJRT_Layouts_MemoryLayout* LayoutWritten(std::string text) {
  static std::mutex mutex;
  static auto* const layouts = new std::map<std::string, PJRT_Layouts_MemoryLayout>;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = layouts->try_emplace(text);
  if (is_new) entry->second.text = std::move(text);
  return &entry->second;
}

PJRT_Layouts_MemoryLayout* LayoutInOrder(const std::vector<int64_t>& minor_to_major, const std::string& suffix) {
  return LayoutWritten(fmt::format("{{{}{}}}", fmt::join(minor_to_major, ","), suffix));
}

PJRT_Layouts_MemoryLayout* RowMajorLayout(size_t rank, const std::string& suffix) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return LayoutInOrder(order, suffix);
}

// Types that HLO does not have are refused when an array of them is made.
std::string UsualSuffix(uint32_t type) {
  const Result<ir::ElementType> known = FromPjrtType(static_cast<PJRT_Buffer_Type>(type));
  return known.ok() ? ir::PackedSuffix(*known) : std::string();
}

}  // namespace

PJRT_Layouts_MemoryLayout* LayoutOf(const ir::Shape& array) {
  const std::vector<int64_t>& order = array.layout.minor_to_major;
  const std::string& suffix = array.layout.suffix;
  return order.empty() ? RowMajorLayout(array.dimensions.size(), suffix) : LayoutInOrder(order, suffix);
}

Status LayoutDestroy(PJRT_Layouts_MemoryLayout_Destroy_Args&) { return {}; }

Status LayoutSerialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  args.serialized_bytes = args.layout->text.data();
  args.serialized_bytes_size = args.layout->text.size();
  args.serialized_layout = reinterpret_cast<PJRT_Layouts_SerializedLayout*>(args.layout);
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout*) {};
  return {};
}

Status ClientDefaultLayout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  args.layout = RowMajorLayout(args.num_dims, UsualSuffix(args.type));
  return {};
}

Status TopologyDefaultLayout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  args.layout = RowMajorLayout(args.num_dims, UsualSuffix(args.type));
  return {};
}

Status BufferLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args) {
  args.layout = LayoutOf(args.buffer->shape);
  return {};
}

Status OutputLayouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  const std::vector<PJRT_Layouts_MemoryLayout*>& layouts = args.executable->program->output_layouts;
  args.num_outputs = layouts.size();
  args.layouts = layouts.data();
  return {};
}

Status ParameterLayouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args) {
  const std::vector<PJRT_Layouts_MemoryLayout*>& layouts = args.executable->program->parameter_layouts;
  args.num_parameters = layouts.size();
  args.layouts = layouts.data();
  return {};
}

}  // namespace stead::pjrt
