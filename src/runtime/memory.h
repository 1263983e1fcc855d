// Reference-counted memory of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"

namespace stead::runtime {

inline constexpr int64_t kAlignment = 64;

// One block of memory. Several buffers may share it; it is released with its last reference.
class Allocation {
 public:
  using Release = std::function<void(std::byte* data, int64_t bytes)>;
  Allocation(std::byte* data, int64_t bytes, Release release);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_;
  int64_t bytes_;
  Release release_;
};

using AllocationRef = std::shared_ptr<Allocation>;

// `bytes` of uninitialised memory, aligned to kAlignment (2 MiB with huge pages from 1 MiB on); freed blocks are kept and
// reused. RETURNS ResourceExhausted naming the size when the system has no more.
Result<AllocationRef> Allocate(int64_t bytes);

// Memory that someone else owns; `release` runs when the last reference goes.
AllocationRef WrapExternal(std::byte* data, int64_t bytes, std::function<void()> release);

// Bytes handed out and not yet released, as they were asked for, their highest value so far, and how many this machine has.
struct AllocatorStats {
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t bytes_limit = 0;
};
AllocatorStats GetAllocatorStats();

}  // namespace stead::runtime
