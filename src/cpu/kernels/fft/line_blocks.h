// Lines out of an array into a block and back: transposed in registers, a square of parts at a time.
//   Included once per instruction set, as lanes.h is.
#pragma once

#include <cstdint>
#include <utility>

#include "cpu/kernels/fft/kernels.h"
#include "cpu/kernels/fft/lanes.h"

namespace stead::cpu {
namespace {

// The elements of two vectors, taking turns: of their lower halves, or from lane `kFirst` on.
template <int kFirst, typename T, int... kLane>
inline T Interleave(T left, T right, std::integer_sequence<int, kLane...>) {
  constexpr int kWidth = sizeof...(kLane);
  return __builtin_shufflevector(left, right, (kFirst + kLane / 2 + kLane % 2 * kWidth)...);
}

template <typename Real, int kWidth>
struct Square {
  Lanes<Real, kWidth> rows[kWidth];

  // Each round moves the highest bit of every column number into the row number and the other way round.
  void Transpose() {
    constexpr auto kLanes = std::make_integer_sequence<int, kWidth>();
    for (int round = 1; round < kWidth; round *= 2) {
      Lanes<Real, kWidth> next[kWidth];
      for (int row = 0; row < kWidth / 2; ++row) {
        next[2 * row] = Interleave<0>(rows[row], rows[row + kWidth / 2], kLanes);
        next[2 * row + 1] = Interleave<kWidth / 2>(rows[row], rows[row + kWidth / 2], kLanes);
      }
      for (int row = 0; row < kWidth; ++row) rows[row] = next[row];
    }
  }
};

// Ahead of the reads, which jump from line to line.
template <typename Real>
inline void Prefetch(const Real* from) {
  __builtin_prefetch(from + 512 / sizeof(Real));
}

template <int kWidth, typename Real>
void LoadLines(const Real* from, const int64_t* starts, int64_t lines, int64_t count, SplitArray<Real> to) {
  const auto load_one = [&](int64_t line, int64_t number) {
    to.real[number * lines + line] = from[starts[line] + 2 * number];
    to.imaginary[number * lines + line] = from[starts[line] + 2 * number + 1];
  };
  if (lines == 1) {
    for (int64_t number = 0; number < count; ++number) {
      to.real[number] = from[starts[0] + 2 * number];
      to.imaginary[number] = from[starts[0] + 2 * number + 1];
    }
    return;
  }
  constexpr int64_t kStep = kWidth / 2;
  int64_t first = 0;
  for (; first + kWidth <= lines; first += kWidth) {
    int64_t number = 0;
    for (; number + kStep <= count; number += kStep) {
      Square<Real, kWidth> square;
      for (int line = 0; line < kWidth; ++line) {
        const Real* const place = from + starts[first + line] + 2 * number;
        Prefetch(place);
        square.rows[line] = LoadLanes<Lanes<Real, kWidth>>(place);
      }
      square.Transpose();
      for (int64_t step = 0; step < kStep; ++step) {
        const int64_t row = (number + step) * lines + first;
        StoreLanes(to.real + row, square.rows[2 * step]);
        StoreLanes(to.imaginary + row, square.rows[2 * step + 1]);
      }
    }
    for (; number < count; ++number) {
      for (int64_t line = first; line < first + kWidth; ++line) load_one(line, number);
    }
  }
  for (; first < lines; ++first) {
    for (int64_t number = 0; number < count; ++number) load_one(first, number);
  }
}

template <int kWidth, typename Real>
void StoreLines(SplitArray<Real> from, const int64_t* starts, int64_t lines, int64_t count, Real scale, Real* to) {
  const auto store_one = [&](int64_t line, int64_t number) {
    to[starts[line] + 2 * number] = from.real[number * lines + line] * scale;
    to[starts[line] + 2 * number + 1] = from.imaginary[number * lines + line] * scale;
  };
  if (lines == 1) {
    for (int64_t number = 0; number < count; ++number) {
      to[starts[0] + 2 * number] = from.real[number] * scale;
      to[starts[0] + 2 * number + 1] = from.imaginary[number] * scale;
    }
    return;
  }
  constexpr int64_t kStep = kWidth / 2;
  int64_t first = 0;
  for (; first + kWidth <= lines; first += kWidth) {
    int64_t number = 0;
    for (; number + kStep <= count; number += kStep) {
      Square<Real, kWidth> square;
      for (int64_t step = 0; step < kStep; ++step) {
        const int64_t row = (number + step) * lines + first;
        square.rows[2 * step] = LoadLanes<Lanes<Real, kWidth>>(from.real + row) * scale;
        square.rows[2 * step + 1] = LoadLanes<Lanes<Real, kWidth>>(from.imaginary + row) * scale;
      }
      square.Transpose();
      for (int line = 0; line < kWidth; ++line) {
        StoreLanes(to + starts[first + line] + 2 * number, square.rows[line]);
      }
    }
    for (; number < count; ++number) {
      for (int64_t line = first; line < first + kWidth; ++line) store_one(line, number);
    }
  }
  for (; first < lines; ++first) {
    for (int64_t number = 0; number < count; ++number) store_one(first, number);
  }
}

}  // namespace
}  // namespace stead::cpu
