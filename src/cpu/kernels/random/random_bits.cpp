#include "cpu/kernels/random/random_bits.h"

#include <algorithm>
#include <cstring>

namespace stead::cpu {
namespace {

using runtime::ThreadPool;

constexpr double kNanosecondsPerChunk = 500;  // kBlocksAtATime blocks of Philox, stored

// A number of 128 bits.
struct Counter {
  uint64_t low = 0, high = 0;
  Counter Plus(uint64_t number) const { return {low + number, high + (low + number < low ? 1 : 0)}; }
};

struct State {
  uint64_t key = 0;
  Counter counter;
};

State ReadState(const RandomBits& request, const void* state) {
  uint64_t words[3] = {};
  std::memcpy(words, state, request.has_wide_state ? 24 : 16);
  // XLA's choice where the state does not hold the upper half.
  if (!request.has_wide_state) words[2] = words[0];
  return {words[0], {words[1], words[2]}};
}

void WriteState(const RandomBits& request, const State& state, void* to) {
  const uint64_t words[3] = {state.key, state.counter.low, state.counter.high};
  std::memcpy(to, words, request.has_wide_state ? 24 : 16);
}

// Counters of kBlocksAtATime blocks that follow one another.
void Count(Counter first, BlockWords& words) {
  for (int64_t block = 0; block < kBlocksAtATime; ++block) {
    const Counter counter = first.Plus(static_cast<uint64_t>(block));
    words[0][block] = static_cast<uint32_t>(counter.low);
    words[1][block] = static_cast<uint32_t>(counter.low >> 32);
    words[2][block] = static_cast<uint32_t>(counter.high);
    words[3][block] = static_cast<uint32_t>(counter.high >> 32);
  }
}

// Words of blocks one after another, as many in a block as it has; elements of 8 bytes take two, the lower half first.
template <int kWords, typename Element>
void StoreInLine(const BlockWords& words, Element* to, int64_t count) {
  constexpr int kWordsPerElement = sizeof(Element) == 8 ? 2 : 1;
  constexpr int64_t kElements = kWords / kWordsPerElement;
  const auto element = [&](int64_t block, int64_t number) {
    if constexpr (kWordsPerElement == 1) return static_cast<Element>(words[number][block]);
    return static_cast<Element>(uint64_t{words[2 * number + 1][block]} << 32 | words[2 * number][block]);
  };
  for (int64_t block = 0; block < count / kElements; ++block) {
    for (int64_t number = 0; number < kElements; ++number) to[block * kElements + number] = element(block, number);
  }
  for (int64_t rest = count - count % kElements; rest < count; ++rest)
    to[rest] = element(rest / kElements, rest % kElements);
}

// The two words of Threefry blocks in neighbouring rows; the last row of an odd extent has no neighbour.
template <typename Element>
void StoreInPairs(const RandomBits& request, const BlockWords& words, int64_t first_block, int64_t blocks,
                  Element* to) {
  const int64_t pairs = (request.extent + 1) / 2;
  for (int64_t block = 0; block < blocks;) {
    const int64_t number = first_block + block;
    const int64_t column = number % request.inner, pair = number / request.inner % pairs;
    const int64_t array = number / request.inner / pairs;
    const int64_t run = std::min(request.inner - column, blocks - block);
    Element* const row = to + (array * request.extent + 2 * pair) * request.inner + column;
    std::copy_n(words[0] + block, run, row);
    if (2 * pair + 1 < request.extent) std::copy_n(words[1] + block, run, row + request.inner);
    block += run;
  }
}

template <typename Element>
class Generator {
 public:
  Generator(const RandomBits& request, const State& state, Element* elements, const BlockKernels& kernels)
      : request_(request), state_(state), elements_(elements), kernels_(kernels) {}

  int64_t block_count() const {
    if (IsInLine()) return (count() + ElementsInBlock() - 1) / ElementsInBlock();
    return request_.outer * ((request_.extent + 1) / 2) * request_.inner;
  }

  void Run(ThreadPool& threads) const {
    const int64_t chunks = (block_count() + kBlocksAtATime - 1) / kBlocksAtATime;
    threads.ForEach(chunks, kNanosecondsPerChunk, [this](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) Chunk(chunk * kBlocksAtATime);
    });
  }

 private:
  int64_t count() const { return request_.outer * request_.extent * request_.inner; }
  // Rows of one element that all have a neighbour lie in a line, too.
  bool IsInLine() const {
    return !request_.is_three_fry || sizeof(Element) == 8 || (request_.inner == 1 && request_.extent % 2 == 0);
  }
  int64_t ElementsInBlock() const { return (request_.is_three_fry ? 2 : 4) / (sizeof(Element) == 8 ? 2 : 1); }

  void Chunk(int64_t first_block) const {
    BlockWords words;
    Count(state_.counter.Plus(static_cast<uint64_t>(first_block)), words);
    (request_.is_three_fry ? kernels_.three_fry : kernels_.philox)(state_.key, words);
    const int64_t blocks = std::min(kBlocksAtATime, block_count() - first_block);
    if (!IsInLine()) return StoreInPairs(request_, words, first_block, blocks, elements_);
    const int64_t first = first_block * ElementsInBlock();
    const int64_t stored = std::min(blocks * ElementsInBlock(), count() - first);
    (request_.is_three_fry ? StoreInLine<2, Element> : StoreInLine<4, Element>)(words, elements_ + first, stored);
  }

  const RandomBits& request_;
  const State state_;
  Element* const elements_;
  const BlockKernels& kernels_;
};

}  // namespace

void MakeRandomBits(const RandomBits& request, const void* state, void* next_state, void* elements, ThreadPool& threads,
                    const BlockKernels& kernels) {
  State now = ReadState(request, state);
  const auto run = [&]<typename Element>(Element* to) {
    const Generator<Element> generator(request, now, to, kernels);
    generator.Run(threads);
    now.counter = now.counter.Plus(static_cast<uint64_t>(generator.block_count()));
  };
  switch (request.element_bytes) {
    case 1: run(static_cast<uint8_t*>(elements)); break;
    case 2: run(static_cast<uint16_t*>(elements)); break;
    case 4: run(static_cast<uint32_t*>(elements)); break;
    default: run(static_cast<uint64_t*>(elements));
  }
  WriteState(request, now, next_state);
}

}  // namespace stead::cpu
