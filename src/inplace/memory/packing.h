// Packs scratch buffers by their live intervals: into memory that is there anyway and idle, and into one arena.
#pragma once

#include <cstdint>
#include <vector>

namespace stead::inplace {

inline constexpr int64_t kArenaAlignment = 64;

// One buffer: live from `first` to `last` (inclusive) on the timeline of the run.
struct LiveBuffer {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
};

struct Packing {
  std::vector<int64_t> offsets;  // per buffer; multiples of AlignmentOf its size
  std::vector<int32_t> hosts;    // per buffer: the number of the host that it lies in; -1: the arena
  int64_t arena_bytes = 0;
};

// The power of two that a buffer of this size fits in, kArenaAlignment at most.
int64_t AlignmentOf(int64_t bytes);

// The smallest arena of three: in order of size, in order of time, and with `hosts`, memory beside the arena that is in use from
// `first` to `last` and idle before and after. Buffers that are live together never overlap.
Packing PackBuffers(const std::vector<LiveBuffer>& buffers, const std::vector<LiveBuffer>& hosts = {});

}  // namespace stead::inplace
