// Packs scratch buffers into one arena by their live intervals.
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
  int64_t arena_bytes = 0;
};

// The power of two that a buffer of this size fits in, kArenaAlignment at most.
int64_t AlignmentOf(int64_t bytes);

// The smaller of two packings, in order of size and in order of time. Buffers that are live together never overlap.
Packing PackBuffers(const std::vector<LiveBuffer>& buffers);

}  // namespace stead::inplace
