// The state behind rng-get-and-update-state: a counter of 128 bits from which every call takes so many numbers.
//   It begins where that of XLA:CPU begins. Threads may take from it at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

namespace stead {

class RandomState {
 public:
  // RETURNS the counter before, its lower half first.
  std::array<uint64_t, 2> Take(uint64_t count) {
    const std::lock_guard lock(mutex_);
    const std::array<uint64_t, 2> before = {low_, high_};
    low_ += count;
    high_ += low_ < count ? 1 : 0;
    return before;
  }

 private:
  std::mutex mutex_;
  uint64_t low_ = 0x7012395;
  uint64_t high_ = 0;
};

}  // namespace stead
