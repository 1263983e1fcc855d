// Two counter-based generators (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): word k of the output
// is a scramble of counter + k under a key. The state is u64[2] {key, counter}, or u64[3] {key, counter low, counter high}
// for philox. How counters are laid over the output's elements is XLA's choice and is written down at each function.
#include "interp/ops/random.h"

#include <algorithm>
#include <array>
#include <bit>

#include "interp/box.h"
#include "interp/elements.h"
#include "interp/evaluator.h"
#include "ir/extra_number.h"

namespace stead::interp {
namespace {

using ir::Literal;

struct Bits {
  std::vector<uint64_t> elements;
  std::vector<uint64_t> state;
};

uint32_t Low(uint64_t word) { return static_cast<uint32_t>(word); }
uint32_t High(uint64_t word) { return static_cast<uint32_t>(word >> 32); }

// Threefry-2x32 with 20 rounds.
std::array<uint32_t, 2> ThreeFry(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {Low(key), High(key), Low(key) ^ High(key) ^ 0x1BD11BDA};
  uint32_t first = Low(counter) + keys[0];
  uint32_t second = High(counter) + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      first += second;
      second = std::rotl(second, rotation) ^ first;
    }
    first += keys[(group + 1) % 3];
    second += keys[(group + 2) % 3] + group + 1;
  }
  return {first, second};
}

// Philox-4x32 with 10 rounds.
std::array<uint32_t, 4> Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  std::array<uint32_t, 4> words = {Low(counter_low), High(counter_low), Low(counter_high), High(counter_high)};
  uint32_t keys[2] = {Low(key), High(key)};
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t{words[0]} * 0xD2511F53;
    uint64_t second = uint64_t{words[2]} * 0xCD9E8D57;
    words = {High(second) ^ words[1] ^ keys[0], Low(second), High(first) ^ words[3] ^ keys[1], Low(first)};
    keys[0] += 0x9E3779B9;
    keys[1] += 0xBB67AE85;
  }
  return words;
}

// The dimension along which the two words of a threefry block are neighbours: the first even one, else the first longest.
size_t SplitDimension(const ir::Dimensions& extents) {
  auto even = std::ranges::find_if(extents, [](int64_t extent) { return extent % 2 == 0; });
  auto chosen = even != extents.end() ? even : std::ranges::max_element(extents);
  return static_cast<size_t>(chosen - extents.begin());
}

// 64-bit elements take a block each. Narrower ones take a word each: the split dimension counts blocks in pairs of elements
// (an odd one is padded and cut), and blocks are numbered in row-major order.
Bits ThreeFryBits(const std::vector<uint64_t>& state, const ir::Shape& shape) {
  Bits bits{{}, state};
  uint64_t counter = state.at(1);
  if (ir::ElementBits(shape.element_type) == 64) {
    for (int64_t element = 0; element < shape.element_count(); ++element, ++counter) {
      std::array<uint32_t, 2> words = ThreeFry(state[0], counter);
      bits.elements.push_back(uint64_t{words[1]} << 32 | words[0]);
    }
    bits.state[1] = counter;
    return bits;
  }
  ir::Dimensions blocks = shape.dimensions;
  if (blocks.empty()) blocks = {1};
  size_t split = SplitDimension(blocks);
  ir::Dimensions extents = blocks;
  blocks[split] = (blocks[split] + 1) / 2;
  std::vector<int64_t> block_strides = ir::RowMajorStrides(blocks);
  for (IndexCounter index(extents); index.valid(); index.Advance()) {
    std::vector<int64_t> block = index.index();
    size_t word = static_cast<size_t>(block[split] % 2);
    block[split] /= 2;
    bits.elements.push_back(ThreeFry(state[0], counter + static_cast<uint64_t>(Dot(block, block_strides)))[word]);
  }
  uint64_t block_count = 1;
  for (int64_t extent : blocks) block_count *= static_cast<uint64_t>(extent);
  bits.state[1] = counter + block_count;
  return bits;
}

// Elements in row-major order take the words of the blocks one after another, two words each when they have 64 bits.
// The upper half of the counter is the key when the state does not hold one.
Bits PhiloxBits(const std::vector<uint64_t>& state, const ir::Shape& shape) {
  Bits bits{{}, state};
  uint64_t low = state.at(1);
  uint64_t high = state.size() > 2 ? state[2] : state[0];
  bool wide = ir::ElementBits(shape.element_type) == 64;
  size_t count = static_cast<size_t>(shape.element_count());
  while (bits.elements.size() < count) {
    std::array<uint32_t, 4> words = Philox(state[0], low, high);
    if (wide) {
      bits.elements.push_back(uint64_t{words[1]} << 32 | words[0]);
      bits.elements.push_back(uint64_t{words[3]} << 32 | words[2]);
    } else {
      bits.elements.insert(bits.elements.end(), words.begin(), words.end());
    }
    if (++low == 0) ++high;
  }
  bits.elements.resize(count);
  bits.state[1] = low;
  if (state.size() > 2) bits.state[2] = high;
  return bits;
}

}  // namespace

Result<Literal> EvaluateRngBitGenerator(const OpCall& call) {
  const std::string& algorithm = call.instruction.As<ir::RngBitGeneratorAttributes>().algorithm;
  const ir::Shape& state_shape = call.operand(0).shape();
  bool is_three_fry = algorithm == "rng_three_fry";
  bool has_state = state_shape.element_type == ir::ElementType::kU64 && state_shape.rank() == 1 &&
                   (state_shape.dimensions[0] == 2 || (state_shape.dimensions[0] == 3 && !is_three_fry));
  if (!has_state || !call.shape().is_tuple()) return UnsupportedOp(call.module, call.id);
  const ir::Shape& shape = call.shape().elements.at(1);
  std::vector<uint64_t> state = ReadAll<uint64_t>(call.operand(0));
  Bits bits = is_three_fry ? ThreeFryBits(state, shape) : PhiloxBits(state, shape);
  return Literal::Tuple({WriteAll(state_shape, bits.state), WriteAll(shape, bits.elements)});
}

Result<Literal> EvaluateRngGetAndUpdateState(const OpCall& call) {
  const ir::Shape& shape = call.shape();
  if (shape.element_type != ir::ElementType::kU64 || shape.dimensions != ir::Dimensions{2})
    return UnsupportedOp(call.module, call.id);
  const uint64_t delta = ir::ExtraNumber<uint64_t>(call.instruction, "delta").value_or(0);
  const std::array<uint64_t, 2> state = call.evaluator.random_state(call.id).Take(delta);
  return WriteAll(shape, std::vector<uint64_t>(state.begin(), state.end()));
}

}  // namespace stead::interp
