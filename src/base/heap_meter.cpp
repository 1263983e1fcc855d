#include "base/heap_meter.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
// Bytes that the heap holds, and the most that it held.
std::atomic<int64_t> live_bytes = 0;
std::atomic<int64_t> most_bytes = 0;
}  // namespace

void* operator new(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const int64_t live = live_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  if (live > most_bytes) most_bytes = live;
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) live_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

namespace stead {

HeapMeter::HeapMeter() : bytes_before_(live_bytes) { most_bytes = bytes_before_; }

int64_t HeapMeter::peak_bytes() const { return most_bytes - bytes_before_; }

}  // namespace stead
