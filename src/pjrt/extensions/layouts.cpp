#include "pjrt/extensions/layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/program/executable.h"

struct PJRT_Layouts_MemoryLayout {
  std::string text;  // as in HLO: the fastest dimension first
};

namespace stead::pjrt {

namespace {

PJRT_Layouts_MemoryLayout* LayoutInOrder(const std::vector<int64_t>& minor_to_major) {
  static std::mutex mutex;
  static auto* const layouts = new std::map<std::vector<int64_t>, PJRT_Layouts_MemoryLayout>;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = layouts->try_emplace(minor_to_major);
  if (is_new) entry->second.text = fmt::format("{{{}}}", fmt::join(minor_to_major, ","));
  return &entry->second;
}

PJRT_Layouts_MemoryLayout* RowMajorLayout(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return LayoutInOrder(order);
}

}  // namespace

PJRT_Layouts_MemoryLayout* LayoutOf(const ir::Shape& array) {
  const std::vector<int64_t>& order = array.layout.minor_to_major;
  return order.empty() ? RowMajorLayout(array.dimensions.size()) : LayoutInOrder(order);
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
  args.layout = RowMajorLayout(args.num_dims);
  return {};
}

Status TopologyDefaultLayout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  args.layout = RowMajorLayout(args.num_dims);
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
