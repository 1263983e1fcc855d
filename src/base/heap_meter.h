// How much memory a piece of code takes, for tests that hold readers of hostile input to a bound.
//   A program that calls it gets its own `operator new`, which counts; others are linked without it.
#pragma once

#include <cstdint>

namespace stead {

class HeapMeter {
 public:
  HeapMeter();
  // The most that the heap held since then, beyond what it held then.
  int64_t peak_bytes() const;

 private:
  int64_t bytes_before_;
};

}  // namespace stead
