// The rounds of the generators, written for one block and for compilers that work on many at once. Included once for each
// instruction set, after the pragma that chooses it; everything here is local to that file.
#pragma once

#include <bit>

#include "cpu/kernels/random/blocks.h"

namespace stead::cpu {
namespace {

struct Halves {
  uint32_t low, high;
  explicit Halves(uint64_t word) : low(static_cast<uint32_t>(word)), high(static_cast<uint32_t>(word >> 32)) {}
};

void ThreeFryRounds(uint64_t key, BlockWords& words) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const Halves halves(key);
  const uint32_t keys[3] = {halves.low, halves.high, halves.low ^ halves.high ^ 0x1BD11BDA};
  for (int64_t block = 0; block < kBlocksAtATime; ++block) {
    uint32_t first = words[0][block] + keys[0], second = words[1][block] + keys[1];
#pragma GCC unroll 5
    for (uint32_t group = 0; group < 5; ++group) {
#pragma GCC unroll 4
      for (int rotation : kRotations[group % 2]) {
        first += second;
        second = std::rotl(second, rotation) ^ first;
      }
      first += keys[(group + 1) % 3];
      second += keys[(group + 2) % 3] + group + 1;
    }
    words[0][block] = first;
    words[1][block] = second;
  }
}

void PhiloxRounds(uint64_t key, BlockWords& words) {
  const Halves halves(key);
  for (int64_t block = 0; block < kBlocksAtATime; ++block) {
    uint32_t a = words[0][block], b = words[1][block], c = words[2][block], d = words[3][block];
    uint32_t low_key = halves.low, high_key = halves.high;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const Halves first(uint64_t{a} * 0xD2511F53), second(uint64_t{c} * 0xCD9E8D57);
      a = second.high ^ b ^ low_key;
      b = second.low;
      c = first.high ^ d ^ high_key;
      d = first.low;
      low_key += 0x9E3779B9;
      high_key += 0xBB67AE85;
    }
    words[0][block] = a;
    words[1][block] = b;
    words[2][block] = c;
    words[3][block] = d;
  }
}

constexpr BlockKernels kBlockKernels = {ThreeFryRounds, PhiloxRounds};

}  // namespace
}  // namespace stead::cpu
