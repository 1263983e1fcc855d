// Threads that help a caller with a loop whose iterations do not depend on each other.
//   In: a number of items, what one costs, and a function of a range of items.
//   The caller takes part: items are claimed in chunks, and the caller waits only for chunks that a helper has begun. So a helper
//   that does not come (another process has its core, or a fork left it behind) costs nothing but its help.
//   Helpers look for work a short while after each loop, then sleep. Loops inside loops, and loops of a second caller, run on
//   the thread they were started on.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/result.h"

namespace stead::runtime {

class ThreadPool {
 public:
  // Handles the items [begin, end).
  using Body = std::function<void(int64_t begin, int64_t end)>;

  // When sharing pays. Calling a sleeping helper costs the caller 5 to 20 us, and it comes 60 us later.
  struct Grain {
    double least_nanoseconds = 60'000;           // of a loop that is shared while helpers are awake
    double least_to_wake_nanoseconds = 150'000;  // of a loop for which they are woken
    double chunk_nanoseconds = 20'000;           // of what is claimed at a time
  };

  // `threads`: how many work at once, the caller among them. REQUIRES: threads >= 1.
  explicit ThreadPool(int threads) : ThreadPool(threads, Grain()) {}
  ThreadPool(int threads, Grain grain);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }
  const Grain& grain() const { return grain_; }
  // Of a loop that takes so long on one core.
  bool IsWorthSharing(double nanoseconds) const {
    if (helpers_.empty()) return false;
    return nanoseconds >= (awake_ > 0 ? grain_.least_nanoseconds : grain_.least_to_wake_nanoseconds);
  }

  // Calls `body` on ranges that cover [0, items) once, in any order and some at the same time; returns when all are done.
  // `nanoseconds_per_item`: an estimate, on one core. Callable from any thread. What `body` throws (no memory) is thrown here.
  void ForEach(int64_t items, double nanoseconds_per_item, const Body& body);

  // The pool of this process: as many threads as the environment variable STEAD_NUM_THREADS says, else as many as the
  // process may use cores. Never destroyed. RETURNS InvalidArgument when the variable is not a number from 1 to 1024.
  static Result<ThreadPool*> Shared();
  // A pool without helpers.
  static ThreadPool& OfCaller();

 private:
  int64_t ChunkSize(int64_t items, double nanoseconds_per_item) const;
  void ClaimChunks();
  void RunChunk(int64_t begin);
  void Help();

  const Grain grain_;
  std::atomic<bool> is_busy_ = false;  // some caller's loop runs

  // The loop. Written by the caller while it is not open.
  const Body* body_ = nullptr;
  int64_t items_ = 0, chunk_ = 1;
  std::exception_ptr failure_;
  std::atomic<bool> has_failed_ = false;
  alignas(64) std::atomic<int64_t> next_ = 0;  // the first item that nobody has claimed

  // A helper counts itself in before it looks at is_open_, and the caller closes before it looks at inside_: so either the
  // helper sees that the loop is over, or the caller sees that it must wait.
  alignas(64) std::atomic<bool> is_open_ = false;
  std::atomic<int> inside_ = 0;

  std::atomic<uint32_t> round_ = 0;  // grows with every loop; helpers sleep on it
  std::atomic<int> awake_ = 0;       // helpers that look for a loop or work on one
  std::atomic<bool> is_ending_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace stead::runtime
