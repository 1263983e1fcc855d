// Packing by best fit, in several orders; the smallest arena wins. None is optimal (the problem is NP-hard).
//
// Hosts: the memory of a result holds nothing before the result is made, that of a donated argument nothing after its last use.
// Buffers that live in such a time are put there, the largest first, each into the smallest host with room; the rest is packed
// into the arena. Kept only where that makes the arena smaller, because memory of one block is easier to tell apart.
//
// In order of size: the largest buffer first, each in the smallest gap between the buffers that are already placed and live at
// some time of its life, else after the last of them. Near the live bytes in practice; O(n^2 log n), so only for few buffers.
// While more bytes are taken than ever live at once, the buffers that end highest go to the front of the order, for as many
// rounds as a budget allows.
//
// In order of time: buffers come in order of their first use; those whose last use is over give their bytes back first. Free bytes
// are kept as maximal holes below the arena's end; a buffer takes the smallest hole that holds it, or else grows the arena (from
// the last hole, if that touches the end). Among buffers that start at once the largest is placed first. O(n log n).
#include "inplace/memory/packing.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace stead::inplace {
namespace {

constexpr size_t kFewBuffers = 1500;
// Pairs of buffers that are looked at to improve on the first packing.
constexpr int64_t kRoundBudget = 2'000'000;
constexpr int64_t kMaxRounds = 100;

int64_t AlignUp(int64_t bytes, int64_t alignment = kArenaAlignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// The free holes of the arena, never touching each other.
class Holes {
 public:
  int64_t arena_bytes() const { return end_; }

  int64_t Take(int64_t bytes) {
    auto fitting = by_size_.lower_bound({bytes, 0});
    if (fitting != by_size_.end()) {
      auto [size, offset] = *fitting;
      Remove(offset);
      if (size > bytes) Insert(offset + bytes, size - bytes);
      return offset;
    }
    int64_t offset = end_;
    if (!by_offset_.empty()) {
      auto last = std::prev(by_offset_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        Remove(offset);
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void Give(int64_t offset, int64_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + bytes) {
      bytes += next->second;
      Remove(next->first);
    }
    auto previous = by_offset_.lower_bound(offset);
    if (previous != by_offset_.begin()) {
      --previous;
      if (previous->first + previous->second == offset) {
        offset = previous->first;
        bytes += previous->second;
        Remove(offset);
      }
    }
    Insert(offset, bytes);
  }

 private:
  void Insert(int64_t offset, int64_t bytes) {
    by_offset_[offset] = bytes;
    by_size_.insert({bytes, offset});
  }
  void Remove(int64_t offset) {
    by_size_.erase({by_offset_.at(offset), offset});
    by_offset_.erase(offset);
  }

  std::map<int64_t, int64_t> by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
  int64_t end_ = 0;
};

// Where `buffer` fits best between `placed`, which are live together with it.
int64_t BestGap(const LiveBuffer& buffer, std::vector<std::pair<int64_t, int64_t>> placed) {
  std::ranges::sort(placed);
  const int64_t alignment = AlignmentOf(buffer.bytes);
  int64_t best = -1, best_bytes = std::numeric_limits<int64_t>::max(), end = 0;
  for (const auto& [offset, bytes] : placed) {
    const int64_t start = AlignUp(end, alignment);
    if (start + buffer.bytes <= offset && offset - end < best_bytes) {
      best = start;
      best_bytes = offset - end;
    }
    end = std::max(end, offset + bytes);
  }
  return best >= 0 ? best : AlignUp(end, alignment);
}

bool LiveTogether(const LiveBuffer& left, const LiveBuffer& right) {
  return left.first <= right.last && right.first <= left.last;
}

// Where the buffer fits best beside those of `done` that are live together with it.
int64_t BestGapBeside(const std::vector<LiveBuffer>& buffers, size_t number, const std::vector<size_t>& done,
                      const std::vector<int64_t>& offsets) {
  std::vector<std::pair<int64_t, int64_t>> together;
  for (size_t other : done) {
    if (LiveTogether(buffers[other], buffers[number])) together.emplace_back(offsets[other], buffers[other].bytes);
  }
  return BestGap(buffers[number], std::move(together));
}

std::vector<size_t> LargestFirst(const std::vector<LiveBuffer>& buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t number) { return buffers[number].bytes; });
  return order;
}

Packing PackInOrder(const std::vector<LiveBuffer>& buffers, const std::vector<size_t>& order) {
  Packing packing;
  packing.offsets.assign(buffers.size(), 0);
  std::vector<size_t> done;
  for (size_t number : order) {
    if (buffers[number].bytes == 0) continue;
    packing.offsets[number] = BestGapBeside(buffers, number, done, packing.offsets);
    packing.arena_bytes = std::max(packing.arena_bytes, packing.offsets[number] + buffers[number].bytes);
    done.push_back(number);
  }
  return packing;
}

// The most bytes that are live at one time: no packing takes less.
int64_t MostLiveBytes(const std::vector<LiveBuffer>& buffers) {
  std::map<int64_t, int64_t> changes;
  for (const LiveBuffer& buffer : buffers) {
    changes[buffer.first] += buffer.bytes;
    changes[buffer.last + 1] -= buffer.bytes;
  }
  int64_t live = 0, most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, live += change);
  return most;
}

Packing PackBySize(const std::vector<LiveBuffer>& buffers) {
  std::vector<size_t> order = LargestFirst(buffers);
  Packing best = PackInOrder(buffers, order), packing = best;
  const int64_t least = MostLiveBytes(buffers), count = static_cast<int64_t>(buffers.size());
  int64_t rounds = std::min(kMaxRounds, kRoundBudget / std::max<int64_t>(1, count * count));
  for (; rounds > 0 && best.arena_bytes > least; --rounds) {
    std::ranges::stable_partition(
        order, [&](size_t number) { return packing.offsets[number] + buffers[number].bytes == packing.arena_bytes; });
    packing = PackInOrder(buffers, order);
    if (packing.arena_bytes < best.arena_bytes) best = packing;
  }
  return best;
}

Packing PackByTime(const std::vector<LiveBuffer>& buffers) {
  Packing packing;
  packing.offsets.assign(buffers.size(), 0);
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](size_t number) { return std::pair(buffers[number].first, -buffers[number].bytes); });
  using Ending = std::pair<int64_t, size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> live;
  Holes holes;
  for (size_t number : order) {
    const LiveBuffer& buffer = buffers[number];
    while (!live.empty() && live.top().first < buffer.first) {
      size_t over = live.top().second;
      holes.Give(packing.offsets[over], AlignUp(buffers[over].bytes));
      live.pop();
    }
    if (buffer.bytes == 0) continue;
    packing.offsets[number] = holes.Take(AlignUp(buffer.bytes));
    live.push({buffer.last, number});
  }
  packing.arena_bytes = holes.arena_bytes();
  return packing;
}

Packing PackArena(const std::vector<LiveBuffer>& buffers) {
  Packing by_time = PackByTime(buffers);
  if (buffers.size() > kFewBuffers) return by_time;
  Packing by_size = PackBySize(buffers);
  return by_size.arena_bytes <= by_time.arena_bytes ? by_size : by_time;
}

// What fits into hosts lies there; the arena holds the others.
Packing PackWithHosts(const std::vector<LiveBuffer>& buffers, const std::vector<LiveBuffer>& hosts) {
  Packing packing{.offsets = std::vector<int64_t>(buffers.size(), 0),
                  .hosts = std::vector<int32_t>(buffers.size(), -1)};
  std::vector<size_t> smallest_first = LargestFirst(hosts), others;
  std::ranges::reverse(smallest_first);
  std::vector<std::vector<size_t>> done(hosts.size());
  for (size_t number : LargestFirst(buffers)) {
    const LiveBuffer& buffer = buffers[number];
    for (size_t host : smallest_first) {
      if (hosts[host].bytes < buffer.bytes || LiveTogether(hosts[host], buffer)) continue;
      const int64_t offset = BestGapBeside(buffers, number, done[host], packing.offsets);
      if (offset + buffer.bytes > hosts[host].bytes) continue;
      packing.offsets[number] = offset;
      packing.hosts[number] = static_cast<int32_t>(host);
      done[host].push_back(number);
      break;
    }
  }
  std::vector<LiveBuffer> left;
  for (size_t number = 0; number < buffers.size(); ++number) {
    if (packing.hosts[number] >= 0) continue;
    others.push_back(number);
    left.push_back(buffers[number]);
  }
  Packing arena = PackArena(left);
  packing.arena_bytes = arena.arena_bytes;
  for (size_t number = 0; number < others.size(); ++number) packing.offsets[others[number]] = arena.offsets[number];
  return packing;
}

}  // namespace

int64_t AlignmentOf(int64_t bytes) {
  return std::min(kArenaAlignment, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(bytes))));
}

Packing PackBuffers(const std::vector<LiveBuffer>& buffers, const std::vector<LiveBuffer>& hosts) {
  Packing packing = PackArena(buffers);
  packing.hosts.assign(buffers.size(), -1);
  if (hosts.empty() || buffers.size() > kFewBuffers) return packing;
  Packing hosted = PackWithHosts(buffers, hosts);
  return hosted.arena_bytes < packing.arena_bytes ? hosted : packing;
}

}  // namespace stead::inplace
