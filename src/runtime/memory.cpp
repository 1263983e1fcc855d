#include "runtime/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stead::runtime {
namespace {

// Why a cache: the kernel zeroes fresh pages, which costs more than most kernels that then fill them. A block that was
// used before costs nothing. Blocks are cached by exact rounded size: programs run with the same shapes again and again.
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kHugeFrom = int64_t{1} << 20;  // from here on blocks are whole huge pages

int64_t RoundedSize(int64_t bytes) {
  int64_t unit = bytes >= kHugeFrom ? kHugePage : kAlignment;
  return std::max<int64_t>(unit, (bytes + unit - 1) / unit * unit);
}

int64_t PhysicalMemory() {
  static const int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  return bytes;
}

std::byte* TakeFromSystem(int64_t size) {
  void* block =
      std::aligned_alloc(static_cast<size_t>(size >= kHugeFrom ? kHugePage : kAlignment), static_cast<size_t>(size));
  if (block != nullptr && size >= kHugeFrom) madvise(block, static_cast<size_t>(size), MADV_HUGEPAGE);
  return static_cast<std::byte*>(block);
}

class CachingAllocator {
 public:
  // A block of `size` bytes, of which `bytes` were asked for.
  std::byte* Take(int64_t size, int64_t bytes) {
    {
      std::lock_guard lock(mutex_);
      std::vector<std::byte*>& blocks = free_blocks_[size];
      if (!blocks.empty()) {
        std::byte* block = blocks.back();
        blocks.pop_back();
        cached_bytes_ -= size;
        CountTaken(bytes);
        return block;
      }
    }
    std::byte* block = TakeFromSystem(size);
    if (block == nullptr) {
      ReleaseCache();
      block = TakeFromSystem(size);
    }
    if (block == nullptr) return nullptr;
    std::lock_guard lock(mutex_);
    CountTaken(bytes);
    return block;
  }

  void Give(std::byte* block, int64_t size, int64_t bytes) {
    {
      std::lock_guard lock(mutex_);
      stats_.bytes_in_use -= bytes;
      if (cached_bytes_ + size <= PhysicalMemory() / 8) {
        free_blocks_[size].push_back(block);
        cached_bytes_ += size;
        return;
      }
    }
    std::free(block);
  }

  AllocatorStats stats() {
    std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  void CountTaken(int64_t bytes) {
    stats_.bytes_in_use += bytes;
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  }

  void ReleaseCache() {
    std::lock_guard lock(mutex_);
    for (auto& [size, blocks] : free_blocks_) {
      for (std::byte* block : blocks) std::free(block);
      blocks.clear();
    }
    cached_bytes_ = 0;
  }

  std::mutex mutex_;
  std::unordered_map<int64_t, std::vector<std::byte*>> free_blocks_;
  int64_t cached_bytes_ = 0;
  AllocatorStats stats_;
};

// Never destroyed: buffers may be released by other libraries' exit handlers.
CachingAllocator& Allocator() {
  static CachingAllocator& allocator = *new CachingAllocator;
  return allocator;
}

}  // namespace

Allocation::Allocation(std::byte* data, int64_t bytes, Release release)
    : data_(data), bytes_(bytes), release_(std::move(release)) {}

Allocation::~Allocation() {
  if (release_) release_(data_, bytes_);
}

Result<AllocationRef> Allocate(int64_t bytes) {
  STEAD_CHECK(bytes >= 0);
  int64_t size = bytes <= PhysicalMemory() ? RoundedSize(bytes) : bytes;
  std::byte* block = bytes <= PhysicalMemory() ? Allocator().Take(size, bytes) : nullptr;
  if (block == nullptr) {
    return ResourceExhausted(
        fmt::format(
            "out of memory: cannot allocate {} bytes ({} bytes in use by stead, {} bytes of memory in this machine)",
            bytes, GetAllocatorStats().bytes_in_use, PhysicalMemory()),
        {}, "", "use smaller arrays, donate arguments that are not needed any more, or release arrays before the call");
  }
  return std::make_shared<Allocation>(block, bytes,
                                      [size, bytes](std::byte* data, int64_t) { Allocator().Give(data, size, bytes); });
}

AllocationRef WrapExternal(std::byte* data, int64_t bytes, std::function<void()> release) {
  return std::make_shared<Allocation>(data, bytes, [release = std::move(release)](std::byte*, int64_t) {
    if (release) release();
  });
}

AllocatorStats GetAllocatorStats() {
  AllocatorStats stats = Allocator().stats();
  stats.bytes_limit = PhysicalMemory();
  return stats;
}

}  // namespace stead::runtime
