// The generators are those of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): Threefry-2x32 with 20
// rounds and Philox-4x32 with 10. How blocks are laid over the elements is XLA's choice and is said at each function.
#include "passes/expand/random_bits.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

// Arithmetic on u32 and u64 arrays of one size, one instruction for each operation.
class WordBuilder {
 public:
  WordBuilder(Builder& build, Dimensions dimensions) : build_(build), dimensions_(std::move(dimensions)) {}

  const Dimensions& dimensions() const { return dimensions_; }
  InstrId Number(ElementType type, uint64_t value) {
    return build_.Splat(build_.Integer(type, static_cast<int64_t>(value)), dimensions_);
  }
  InstrId Splat(InstrId scalar) { return build_.Splat(scalar, dimensions_); }
  InstrId Both(Opcode opcode, InstrId left, InstrId right) {
    return build_.Op(opcode, build_.module().shape(left), {left, right});
  }
  InstrId Add(InstrId left, InstrId right) { return Both(Opcode::kAdd, left, right); }
  InstrId Xor(InstrId left, InstrId right) { return Both(Opcode::kXor, left, right); }
  InstrId To(ElementType type, InstrId words) {
    const Shape& shape = build_.module().shape(words);
    return shape.element_type == type ? words
                                      : build_.Op(Opcode::kConvert, Shape::Array(type, shape.dimensions), {words});
  }
  InstrId Low(InstrId words) { return To(ElementType::kU32, words); }
  InstrId High(InstrId words) {
    const Dimensions dimensions = build_.module().shape(words).dimensions;
    InstrId shift = build_.Splat(build_.Integer(ElementType::kU64, 32), dimensions);
    return Low(Both(Opcode::kShiftRightLogical, words, shift));
  }
  InstrId Joined(InstrId low, InstrId high) {
    InstrId raised = Both(Opcode::kShiftLeft, To(ElementType::kU64, high), Number(ElementType::kU64, 32));
    return Both(Opcode::kOr, raised, To(ElementType::kU64, low));
  }
  InstrId RotatedLeft(InstrId words, int bits) {
    InstrId left = Both(Opcode::kShiftLeft, words, Number(ElementType::kU32, static_cast<uint64_t>(bits)));
    InstrId right =
        Both(Opcode::kShiftRightLogical, words, Number(ElementType::kU32, static_cast<uint64_t>(32 - bits)));
    return Both(Opcode::kOr, left, right);
  }

  // first + k in element k, counted in row-major order.
  InstrId CountFrom(InstrId first) {
    int64_t count = 1;
    for (int64_t extent : dimensions_) count *= extent;
    InstrId numbers =
        build_.Op(Opcode::kIota, Shape::Array(ElementType::kU64, {count}), {}, ir::DimensionsAttributes{{0}});
    return Add(Splat(first), build_.Reshape(numbers, dimensions_));
  }

  Builder& build() { return build_; }

 private:
  Builder& build_;
  Dimensions dimensions_;
};

std::array<InstrId, 2> ThreeFry(WordBuilder& words, InstrId key, InstrId counters) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  InstrId low_key = words.Splat(words.Low(key)), high_key = words.Splat(words.High(key));
  InstrId parity = words.Xor(words.Xor(low_key, high_key), words.Number(ElementType::kU32, 0x1BD11BDA));
  const InstrId keys[3] = {low_key, high_key, parity};
  InstrId first = words.Add(words.Low(counters), keys[0]);
  InstrId second = words.Add(words.High(counters), keys[1]);
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      first = words.Add(first, second);
      second = words.Xor(words.RotatedLeft(second, rotation), first);
    }
    first = words.Add(first, keys[(group + 1) % 3]);
    InstrId injected = words.Add(keys[(group + 2) % 3], words.Number(ElementType::kU32, group + 1));
    second = words.Add(second, injected);
  }
  return {first, second};
}

std::array<InstrId, 4> Philox(WordBuilder& words, InstrId key, InstrId counters_low, InstrId counters_high) {
  InstrId block[4] = {words.Low(counters_low), words.High(counters_low), words.Low(counters_high),
                      words.High(counters_high)};
  InstrId keys[2] = {words.Splat(words.Low(key)), words.Splat(words.High(key))};
  auto product = [&](InstrId word, uint64_t factor) {
    return words.Both(Opcode::kMultiply, words.To(ElementType::kU64, word), words.Number(ElementType::kU64, factor));
  };
  for (int round = 0; round < 10; ++round) {
    InstrId first = product(block[0], 0xD2511F53), second = product(block[2], 0xCD9E8D57);
    block[0] = words.Xor(words.Xor(words.High(second), block[1]), keys[0]);
    block[1] = words.Low(second);
    block[2] = words.Xor(words.Xor(words.High(first), block[3]), keys[1]);
    block[3] = words.Low(first);
    keys[0] = words.Add(keys[0], words.Number(ElementType::kU32, 0x9E3779B9));
    keys[1] = words.Add(keys[1], words.Number(ElementType::kU32, 0xBB67AE85));
  }
  return {block[0], block[1], block[2], block[3]};
}

// Arrays of one size, laid alternately along a new dimension after `dimension`.
InstrId Interleave(Builder& build, const std::vector<InstrId>& arrays, size_t dimension) {
  Dimensions extents = build.module().shape(arrays[0]).dimensions;
  extents.insert(extents.begin() + static_cast<ptrdiff_t>(dimension) + 1, 1);
  std::vector<InstrId> parts;
  for (InstrId array : arrays) parts.push_back(build.Reshape(array, extents));
  extents[dimension + 1] = static_cast<int64_t>(arrays.size());
  Shape shape = Shape::Array(build.module().shape(arrays[0]).element_type, std::move(extents));
  ir::DimensionsAttributes along{{static_cast<int64_t>(dimension) + 1}};
  return build.Op(Opcode::kConcatenate, std::move(shape), std::move(parts), std::move(along));
}

// The first elements of a longer array.
InstrId Cut(Builder& build, InstrId array, const Dimensions& extents) {
  if (build.module().shape(array).dimensions == extents) return array;
  return build.Slice(array, std::vector<int64_t>(extents.size(), 0), extents);
}

InstrId StateWord(Builder& build, InstrId state, int64_t word) {
  return build.Reshape(build.Slice(state, {word}, {1}), {});
}

InstrId StateOf(Builder& build, const std::vector<InstrId>& scalars) {
  std::vector<InstrId> parts;
  for (InstrId scalar : scalars) parts.push_back(build.Reshape(scalar, {1}));
  Shape shape = Shape::Array(ElementType::kU64, {static_cast<int64_t>(scalars.size())});
  return build.Op(Opcode::kConcatenate, std::move(shape), std::move(parts), ir::DimensionsAttributes{{0}});
}

// The dimension along which the two words of a threefry block are neighbours: the first even one, else the first longest.
size_t SplitDimension(const Dimensions& extents) {
  auto even = std::ranges::find_if(extents, [](int64_t extent) { return extent % 2 == 0; });
  auto chosen = even != extents.end() ? even : std::ranges::max_element(extents);
  return static_cast<size_t>(chosen - extents.begin());
}

// counter + number, a number of 128 bits in two halves.
std::array<InstrId, 2> AddToCounter(WordBuilder& words, InstrId low, InstrId high, InstrId number) {
  InstrId sum = words.Add(low, number);
  InstrId wrapped = words.build().Compare(ir::CompareAttributes::Direction::kLt, sum, low);
  return {sum, words.Add(high, words.To(ElementType::kU64, wrapped))};
}

}  // namespace

// 64-bit elements take a block each. Narrower ones take a word each: the split dimension counts blocks in pairs of elements
// (an odd one is padded and cut), and blocks are numbered in row-major order.
RandomBits ThreeFryBits(Builder& build, InstrId state, const Shape& shape) {
  InstrId key = StateWord(build, state, 0), counter = StateWord(build, state, 1);
  Dimensions elements = shape.dimensions.empty() ? Dimensions{1} : shape.dimensions;
  Dimensions blocks = elements;
  bool is_wide = ir::ElementBits(shape.element_type) == 64;
  size_t split = SplitDimension(elements);
  if (!is_wide) blocks[split] = (blocks[split] + 1) / 2;
  WordBuilder words(build, blocks);
  std::array<InstrId, 2> block = ThreeFry(words, key, words.CountFrom(counter));

  InstrId made;
  if (is_wide) {
    made = words.Joined(block[0], block[1]);
  } else {
    Dimensions padded = blocks;
    padded[split] *= 2;
    made = Cut(build, build.Reshape(Interleave(build, {block[0], block[1]}, split), padded), elements);
  }
  int64_t block_count = 1;
  for (int64_t extent : blocks) block_count *= extent;
  InstrId next = WordBuilder(build, {}).Add(counter, build.Integer(ElementType::kU64, block_count));
  return {made, StateOf(build, {key, next})};
}

// Elements in row-major order take the words of the blocks one after another, two words each when they have 64 bits.
// The upper half of the counter is the key when the state does not hold one.
RandomBits PhiloxBits(Builder& build, InstrId state, const Shape& shape) {
  bool has_high = build.module().shape(state).dimensions[0] > 2;
  bool is_wide = ir::ElementBits(shape.element_type) == 64;
  InstrId key = StateWord(build, state, 0), low = StateWord(build, state, 1);
  InstrId high = has_high ? StateWord(build, state, 2) : key;
  int64_t count = shape.element_count(), in_block = is_wide ? 2 : 4;
  int64_t block_count = (count + in_block - 1) / in_block;

  WordBuilder words(build, {block_count});
  InstrId numbers = words.CountFrom(build.Integer(ElementType::kU64, 0));
  std::array<InstrId, 2> counters = AddToCounter(words, words.Splat(low), words.Splat(high), numbers);
  std::array<InstrId, 4> block = Philox(words, key, counters[0], counters[1]);
  std::vector<InstrId> parts(block.begin(), block.end());
  if (is_wide) parts = {words.Joined(block[0], block[1]), words.Joined(block[2], block[3])};
  InstrId made = Cut(build, build.Reshape(Interleave(build, parts, 0), {block_count * in_block}), {count});

  WordBuilder scalars(build, {});
  std::array<InstrId, 2> next = AddToCounter(scalars, low, high, build.Integer(ElementType::kU64, block_count));
  std::vector<InstrId> new_state = {key, next[0]};
  if (has_high) new_state.push_back(next[1]);
  return {made, StateOf(build, new_state)};
}

}  // namespace stead::passes
