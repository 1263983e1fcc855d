#include "runtime/thread_pool.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace stead::runtime {
namespace {

// How long a helper looks for the next loop before it sleeps: about what it costs to wake it.
constexpr auto kPatience = std::chrono::microseconds(50);
constexpr int kChunksPerThread = 8;
constexpr int kMostThreads = 1024;

int UsableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return static_cast<int>(std::thread::hardware_concurrency());
  return CPU_COUNT(&cores);
}

Result<int> WantedThreads() {
  const char* const variable = std::getenv("STEAD_NUM_THREADS");
  if (variable == nullptr) return std::clamp(UsableCores(), 1, kMostThreads);
  const std::string_view text = variable;
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > kMostThreads) {
    return InvalidArgument(fmt::format("STEAD_NUM_THREADS is `{}`", text), {}, "",
                           fmt::format("give a number of threads from 1 to {}, or unset it", kMostThreads));
  }
  return threads;
}

}  // namespace

ThreadPool::ThreadPool(int threads, Grain grain) : grain_(grain) {
  STEAD_CHECK(threads >= 1);
  for (int number = 1; number < threads; ++number) helpers_.emplace_back([this] { Help(); });
}

ThreadPool::~ThreadPool() {
  is_ending_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

int64_t ThreadPool::ChunkSize(int64_t items, double nanoseconds_per_item) const {
  const int64_t fair = (items + kChunksPerThread * threads() - 1) / (kChunksPerThread * threads());
  const double worthwhile = std::ceil(grain_.chunk_nanoseconds / std::max(nanoseconds_per_item, 1e-3));
  return std::max(fair, static_cast<int64_t>(std::min(worthwhile, static_cast<double>(items))));
}

void ThreadPool::ForEach(int64_t items, double nanoseconds_per_item, const Body& body) {
  if (items <= 0) return;
  if (items == 1 || !IsWorthSharing(static_cast<double>(items) * nanoseconds_per_item)) return body(0, items);
  const int64_t chunk = ChunkSize(items, nanoseconds_per_item);
  if (chunk >= items || is_busy_.exchange(true)) return body(0, items);
  body_ = &body;
  items_ = items;
  chunk_ = chunk;
  next_ = 0;
  failure_ = nullptr;
  has_failed_ = false;
  is_open_ = true;
  ++round_;
  round_.notify_all();
  ClaimChunks();
  is_open_ = false;
  while (inside_ > 0) sched_yield();
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  is_busy_ = false;
  if (failure) std::rethrow_exception(failure);
}

void ThreadPool::ClaimChunks() {
  while (true) {
    const int64_t begin = next_.fetch_add(chunk_);
    if (begin >= items_) return;
    RunChunk(begin);
  }
}

void ThreadPool::RunChunk(int64_t begin) {
  try {
    (*body_)(begin, std::min(begin + chunk_, items_));
  } catch (...) {
    if (!has_failed_.exchange(true)) failure_ = std::current_exception();
  }
}

void ThreadPool::Help() {
  uint32_t seen = 0;
  ++awake_;
  while (!is_ending_) {
    const auto start = std::chrono::steady_clock::now();
    while (round_ == seen && std::chrono::steady_clock::now() - start < kPatience) sched_yield();
    --awake_;
    round_.wait(seen);
    ++awake_;
    seen = round_;
    ++inside_;
    if (is_open_) ClaimChunks();
    --inside_;
  }
}

Result<ThreadPool*> ThreadPool::Shared() {
  static const Result<ThreadPool*> pool = []() -> Result<ThreadPool*> {
    TRY(const int threads, WantedThreads());
    return new ThreadPool(threads);
  }();
  return pool;
}

ThreadPool& ThreadPool::OfCaller() {
  static ThreadPool pool(1);
  return pool;
}

}  // namespace stead::runtime
