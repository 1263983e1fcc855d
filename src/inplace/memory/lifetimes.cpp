#include "inplace/memory/lifetimes.h"

#include <algorithm>
#include <unordered_set>

#include "inplace/memory/packing.h"

namespace stead::inplace {

void Lifetimes::Touch(BufferId buffer, int64_t time) {
  for (BufferId led_to : behind(buffer)) Touch(led_to, time);
  times_[buffer].first = std::min(times_[buffer].first, time);
  times_[buffer].last = std::max(times_[buffer].last, time);
}

void Lifetimes::LeadsTo(BufferId pointer, const std::vector<BufferId>& buffers) {
  std::vector<BufferId>& known = behind_[pointer];
  known.insert(known.end(), buffers.begin(), buffers.end());
}

const std::vector<BufferId>& Lifetimes::behind(BufferId pointer) const {
  static const std::vector<BufferId> kNone;
  auto known = behind_.find(pointer);
  return known == behind_.end() ? kNone : known->second;
}

bool Lifetimes::MayLeadTo(BufferId pointer, BufferId buffer) const {
  return std::ranges::any_of(behind(pointer),
                             [&](BufferId led_to) { return led_to == buffer || MayLeadTo(led_to, buffer); });
}

void Lifetimes::Exchange(const std::vector<PointerMove>& moves, int64_t start, int64_t end) {
  for (const PointerMove& move : moves) {
    Share(move.target, move.source);
    for (BufferId buffer : {move.target, move.source}) {
      ShareBehind(buffer);
      Touch(buffer, start);
      Touch(buffer, end);
    }
  }
}

// Where a pointer may lead goes with it when it is exchanged.
void Lifetimes::ShareBehind(BufferId pointer) {
  for (BufferId led_to : behind(pointer)) {
    Share(led_to, pointer);
    ShareBehind(led_to);
  }
}

IdVector<BufferId, Lifetime> Lifetimes::Settle(BufferPlan& plan) {
  std::unordered_set<BufferId> leaving;
  for (const Slice& result : plan.results) leaving.insert(exchanges_.Leader(result.buffer));
  std::unordered_map<BufferId, Lifetime> hulls;
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    BufferId buffer(number), leader = exchanges_.Leader(buffer);
    bool is_scratch = plan.buffers[buffer].kind == Buffer::Kind::kScratch;
    if (is_scratch && leaving.contains(leader)) plan.buffers[buffer].kind = Buffer::Kind::kOwned;
    auto [hull, fresh] = hulls.try_emplace(leader, times_[buffer]);
    hull->second.first = std::min(hull->second.first, times_[buffer].first);
    hull->second.last = std::max(hull->second.last, times_[buffer].last);
  }
  IdVector<BufferId, Lifetime> settled;
  for (size_t number = 0; number < plan.buffers.size(); ++number)
    settled.Add(hulls.at(exchanges_.Leader(BufferId(number))));
  return settled;
}

void SettleMemory(BufferPlan& plan, Lifetimes& lifetimes, const PlanOptions& options) {
  const IdVector<BufferId, Lifetime> settled = lifetimes.Settle(plan);
  auto live = [&](BufferId buffer) {
    return LiveBuffer{plan.buffers[buffer].bytes, settled[buffer].first, settled[buffer].last};
  };
  std::vector<LiveBuffer> scratch, idle;
  std::vector<BufferId> packed;
  std::vector<BufferId>
      hosts;  // what may leave the program, before that is made, and donated arguments after their last use
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    BufferId id(number);
    const Buffer& buffer = plan.buffers[id];
    if (buffer.kind == Buffer::Kind::kPointer) continue;
    if (buffer.kind == Buffer::Kind::kScratch) {
      scratch.push_back(live(id));
      packed.push_back(id);
      continue;
    }
    plan.peak_bytes += buffer.bytes;
    bool is_host = buffer.kind == Buffer::Kind::kOwned || buffer.donated;
    if (!is_host || options.always_copy) continue;
    hosts.push_back(id);
    idle.push_back(live(id));
  }
  const Packing packing = PackBuffers(scratch, idle);
  for (size_t number = 0; number < packed.size(); ++number) {
    plan.buffers[packed[number]].scratch_offset = packing.offsets[number];
    if (packing.hosts[number] >= 0) plan.buffers[packed[number]].host = hosts[packing.hosts[number]];
  }
  plan.arena_bytes = packing.arena_bytes;
  plan.peak_bytes += packing.arena_bytes;
}

}  // namespace stead::inplace
