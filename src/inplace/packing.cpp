// Packing by best fit.
//
// Buffers come in order of their first use; those whose last use is over give their bytes back first. Free bytes are kept as
// maximal holes below the arena's end; a buffer takes the smallest hole that holds it, or else grows the arena (from the last
// hole, if that touches the end). Among buffers that start at once the largest is placed first.
// Cost: O(n log n). Not optimal (the problem is NP-hard); within the live bytes plus fragmentation.
#include "inplace/packing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace stead::inplace {
namespace {

int64_t AlignUp(int64_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

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

}  // namespace

Packing PackBuffers(const std::vector<LiveBuffer>& buffers) {
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

}  // namespace stead::inplace
