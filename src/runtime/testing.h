// For tests: threads that share every loop, however small.
#pragma once

#include "runtime/thread_pool.h"

namespace stead::runtime {

inline constexpr ThreadPool::Grain kShareEverything{
    .least_nanoseconds = 0, .least_to_wake_nanoseconds = 0, .chunk_nanoseconds = 0};

inline ThreadPool& EagerPool() {
  static ThreadPool pool(3, kShareEverything);
  return pool;
}

}  // namespace stead::runtime
