#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "runtime/testing.h"

namespace stead::runtime {
namespace {

// How often each item was handled.
std::vector<int> Handled(ThreadPool& pool, int64_t items) {
  std::vector<std::atomic<int>> counts(static_cast<size_t>(items));
  pool.ForEach(items, 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) ++counts[static_cast<size_t>(item)];
  });
  return {counts.begin(), counts.end()};
}

TEST(ThreadPool, HandlesEveryItemOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads, kShareEverything);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t items : {0, 1, 2, 7, 31, 32, 33, 1000}) {
      EXPECT_EQ(Handled(pool, items), std::vector<int>(static_cast<size_t>(items), 1)) << threads << " " << items;
    }
  }
}

TEST(ThreadPool, ManyLoopsInARow) {
  ThreadPool pool(3, kShareEverything);
  std::vector<int64_t> sums(64);
  for (int round = 0; round < 20'000; ++round) {
    pool.ForEach(64, 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) sums[static_cast<size_t>(item)] += item;
    });
  }
  for (int64_t item = 0; item < 64; ++item) EXPECT_EQ(sums[static_cast<size_t>(item)], 20'000 * item);
}

TEST(ThreadPool, HelpersTakePart) {
  ThreadPool pool(2, kShareEverything);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> was_helped = false;
  // The caller's first chunk lasts until a helper has come.
  pool.ForEach(8, 1, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != caller) was_helped = true;
    while (!was_helped) std::this_thread::yield();
  });
  EXPECT_TRUE(was_helped);
}

TEST(ThreadPool, SmallLoopsStayWithTheCaller) {
  ThreadPool pool(4, {.least_nanoseconds = 1000, .least_to_wake_nanoseconds = 1000, .chunk_nanoseconds = 100});
  std::vector<std::pair<int64_t, int64_t>> ranges;
  pool.ForEach(999, 1, [&](int64_t begin, int64_t end) { ranges.emplace_back(begin, end); });
  EXPECT_EQ(ranges, (std::vector<std::pair<int64_t, int64_t>>{{0, 999}}));
}

TEST(ThreadPool, OnlyLongLoopsWakeHelpers) {
  ThreadPool pool(2, {.least_nanoseconds = 1000, .least_to_wake_nanoseconds = 100'000, .chunk_nanoseconds = 0});
  while (pool.IsWorthSharing(50'000)) std::this_thread::yield();  // until it sleeps
  EXPECT_FALSE(pool.IsWorthSharing(50'000));
  EXPECT_TRUE(pool.IsWorthSharing(200'000));
}

TEST(ThreadPool, ChunksAreWorthClaiming) {
  ThreadPool pool(2, {.least_nanoseconds = 0, .least_to_wake_nanoseconds = 0, .chunk_nanoseconds = 3000});
  std::atomic<int> chunks = 0;
  pool.ForEach(100, 100, [&](int64_t, int64_t) { ++chunks; });
  EXPECT_EQ(chunks, 4) << "of 30, 30, 30 and 10 items";
}

TEST(ThreadPool, LoopsInsideLoopsAndOfOtherCallers) {
  ThreadPool pool(3, kShareEverything);
  std::atomic<int64_t> sum = 0;
  const auto call = [&] {
    for (int round = 0; round < 500; ++round) {
      pool.ForEach(10, 1, [&](int64_t begin, int64_t end) {
        for (int64_t item = begin; item < end; ++item)
          pool.ForEach(10, 1, [&](int64_t first, int64_t last) { sum += last - first; });
      });
    }
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(sum, 2 * 500 * 100);
}

TEST(ThreadPool, WhatABodyThrowsReachesTheCaller) {
  ThreadPool pool(3, kShareEverything);
  for (int64_t bad : {0, 50, 99}) {
    const auto throws_once = [&](int64_t begin, int64_t end) {
      if (begin <= bad && bad < end) throw std::bad_alloc();
    };
    EXPECT_THROW(pool.ForEach(100, 1, throws_once), std::bad_alloc);
    EXPECT_EQ(Handled(pool, 10), std::vector<int>(10, 1)) << "the pool works on";
  }
}

TEST(ThreadPool, AChildProcessWorksWithoutHelpers) {
  ThreadPool pool(2, kShareEverything);
  Handled(pool, 100);
  const pid_t child = fork();
  if (child == 0) _exit(Handled(pool, 100) == std::vector<int>(100, 1) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// In child processes: the pool of a process is made once.
int SharedThreads(const char* variable) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("STEAD_NUM_THREADS", variable, 1);
    const Result<ThreadPool*> pool = ThreadPool::Shared();
    _exit(pool.ok() ? (*pool)->threads() : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(ThreadPool, TheEnvironmentSaysHowManyThreads) {
  EXPECT_EQ(SharedThreads("1"), 1);
  EXPECT_EQ(SharedThreads("3"), 3);
  for (const char* wrong : {"", "0", "-1", "two", "2x", "1025", "99999999999"})
    EXPECT_EQ(SharedThreads(wrong), 0) << wrong;
}

}  // namespace
}  // namespace stead::runtime
