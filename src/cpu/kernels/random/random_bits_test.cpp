#include "cpu/kernels/random/random_bits.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stead::cpu {
namespace {

using runtime::ThreadPool;

// Those that this CPU can execute.
std::vector<BlockKernels> Tables() {
  std::vector<BlockKernels> tables = {PortableBlockKernels(), BestBlockKernels()};
  if (__builtin_cpu_supports("avx2")) tables.push_back(Avx2BlockKernels());
  return tables;
}

std::vector<uint32_t> Words(const RandomBits& request, const std::vector<uint64_t>& state, const BlockKernels& kernels,
                            ThreadPool& threads = ThreadPool::OfCaller()) {
  std::vector<uint32_t> words(static_cast<size_t>(request.outer * request.extent * request.inner));
  std::vector<uint64_t> next(state.size());
  MakeRandomBits(request, state.data(), next.data(), words.data(), threads, kernels);
  return words;
}

constexpr uint64_t kOnes = ~uint64_t{0};

// The generators' authors publish these with their library.
TEST(RandomBits, TheAuthorsTestVectors) {
  const RandomBits philox{.has_wide_state = true, .extent = 4};
  const RandomBits three_fry{.is_three_fry = true, .extent = 2};
  for (const BlockKernels& kernels : Tables()) {
    EXPECT_EQ(Words(philox, {0, 0, 0}, kernels),
              (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(Words(philox, {kOnes, kOnes, kOnes}, kernels),
              (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(Words(three_fry, {0, 0}, kernels), (std::vector<uint32_t>{0x6b200159, 0x99ba4efe}));
    EXPECT_EQ(Words(three_fry, {kOnes, kOnes}, kernels), (std::vector<uint32_t>{0x1cb996fc, 0xbb002be7}));
  }
}

// Many chunks, the last one not full, in several threads.
TEST(RandomBits, TheSameOnAnyInstructionSetAndAnyThreads) {
  ThreadPool three(3, {0, 0, 0});
  for (bool is_three_fry : {false, true}) {
    for (const auto& [outer, extent, inner] :
         std::vector<std::array<int64_t, 3>>{{1, 5000, 1}, {3, 7, 100}, {50, 9, 1}, {1, 1, 777}, {2, 64, 33}}) {
      const RandomBits request{.is_three_fry = is_three_fry, .outer = outer, .extent = extent, .inner = inner};
      const std::vector<uint32_t> words = Words(request, {7, kOnes - 20}, PortableBlockKernels());
      for (const BlockKernels& kernels : Tables()) EXPECT_EQ(Words(request, {7, kOnes - 20}, kernels, three), words);
    }
  }
}

TEST(RandomBits, TheNextStateMayLieOverTheState) {
  std::vector<uint64_t> state = {5, kOnes, 9};
  std::vector<uint16_t> elements(9);
  MakeRandomBits({.has_wide_state = true, .element_bytes = 2, .extent = 9}, state.data(), state.data(), elements.data(),
                 ThreadPool::OfCaller());
  EXPECT_EQ(state, (std::vector<uint64_t>{5, 2, 10}));
}

}  // namespace
}  // namespace stead::cpu
