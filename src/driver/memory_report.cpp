#include "driver/memory_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace stead::driver {

namespace {

constexpr size_t kMostBuffers = 5;

// The largest value that lies in a buffer stands for it.
struct Tenant {
  ir::InstrId instruction;
  const ir::Shape* leaf = nullptr;
  int64_t bytes() const { return leaf == nullptr ? 0 : leaf->byte_size(); }
};

IdVector<inplace::BufferId, Tenant> LargestTenants(const inplace::BufferPlan& plan) {
  IdVector<inplace::BufferId, Tenant> tenants;
  for (size_t buffer = 0; buffer < plan.buffers.size(); ++buffer) tenants.Add({});
  for (size_t number = 0; number < plan.placements.size(); ++number) {
    const ir::InstrId id(number);
    const std::vector<inplace::Slice>& slices = plan.placements[id];
    if (slices.empty()) continue;
    size_t slice = 0;
    ir::ForEachLeaf(plan.module.shape(id), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
      if (!leaf.is_array() || slice >= slices.size()) return;
      Tenant& tenant = tenants[slices[slice++].buffer];
      if (leaf.byte_size() > tenant.bytes()) tenant = {id, &leaf};
    });
  }
  return tenants;
}

}  // namespace

std::string MemoryReport(const inplace::BufferPlan& plan) {
  const IdVector<inplace::BufferId, Tenant> tenants = LargestTenants(plan);
  std::vector<inplace::BufferId> largest;
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    const inplace::BufferId buffer(number);
    const bool has_memory = plan.buffers[buffer].kind != inplace::Buffer::Kind::kPointer;
    if (has_memory && tenants[buffer].leaf != nullptr) largest.push_back(buffer);
  }
  const size_t shown = std::min(kMostBuffers, largest.size());
  std::ranges::partial_sort(largest, largest.begin() + static_cast<int64_t>(shown), std::ranges::greater(),
                            [&](inplace::BufferId buffer) { return plan.buffers[buffer].bytes; });
  std::vector<std::string> texts;
  for (size_t place = 0; place < shown; ++place) {
    const Tenant& tenant = tenants[largest[place]];
    texts.push_back(fmt::format("`{}` {} {} bytes", plan.module.instruction(tenant.instruction).name,
                                tenant.leaf->ToString(false), plan.buffers[largest[place]].bytes));
  }
  return fmt::format("the program needs {} bytes at its peak; its largest buffers are {}", plan.peak_bytes,
                     fmt::join(texts, ", "));
}

}  // namespace stead::driver
