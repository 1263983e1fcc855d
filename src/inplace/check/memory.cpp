#include "inplace/check/memory.h"

#include <algorithm>

namespace stead::inplace::check {
namespace {

void AddIfMissing(std::vector<ByteRange>& ranges, const ByteRange& range) {
  bool known = std::ranges::any_of(ranges, [&](const ByteRange& other) { return other == range; });
  if (!known) ranges.push_back(range);
}

bool OverlapInBlock(const ByteRange& left, const ByteRange& right) {
  return left.place.block == right.place.block && left.place.offset < right.place.offset + right.bytes &&
         right.place.offset < left.place.offset + left.bytes;
}

}  // namespace

const Fact* CheckMemory::Find(ContentId content, Place place) const {
  const std::vector<Fact>& facts = facts_.Of(content);
  auto found = std::ranges::find_if(facts, [&](const Fact& fact) { return fact.range.place == place; });
  return found == facts.end() ? nullptr : &*found;
}

bool CheckMemory::Holds(ContentId content, Place place, const analysis::Footprint& bytes) const {
  return std::ranges::any_of(
      facts_.Of(content), [&](const Fact& fact) { return fact.range.place == place && Disjoint(fact.holes, bytes); });
}

void CheckMemory::Add(ContentId content, ByteRange range, analysis::Footprint holes) {
  if (holes.whole) {
    facts_.Update(content, [&](const Fact& fact) { return !(fact.range == range); });
    return;
  }
  facts_.Put({content, range, std::move(holes), !blocks_[range.place.block].underlying.empty()});
}

std::vector<ContentId> CheckMemory::Near(const ByteRange& range) const {
  std::vector<ContentId> contents;
  for (const ByteRange& real : Underlying(range)) facts_.AddNear(real, contents);
  facts_.AddInFreshBlocks(contents);
  std::ranges::sort(contents);
  contents.erase(std::ranges::unique(contents).begin(), contents.end());
  return contents;
}

void CheckMemory::Overwrite(ByteRange range) {
  for (ContentId content : Near(range))
    facts_.Update(content, [&](const Fact& fact) { return !MayOverlap(fact.range, range); });
}

void CheckMemory::OverwritePart(ByteRange range, const analysis::Footprint& bytes) {
  // A hole of unknown place may be anywhere: nothing of the content can be read any more.
  if (bytes.whole) return Overwrite(range);
  for (ContentId content : Near(range)) {
    facts_.Update(content, [&](Fact& fact) {
      if (!(fact.range == range) && !MayOverlap(fact.range, range)) return true;
      if (!(fact.range == range) && !AreSameOrApart(fact.range, range)) return false;
      fact.holes.Include(bytes);
      return true;
    });
  }
}

BlockId CheckMemory::AddBlock(Block block) {
  for (const ByteRange& underlying : block.underlying) {
    for (const ByteRange& range : Underlying(underlying)) AddIfMissing(block.real, range);
  }
  if (block.permutation != 0) ++permutation_sizes_[block.permutation];
  return blocks_.Add(std::move(block));
}

std::vector<ByteRange> CheckMemory::Underlying(const ByteRange& range) const {
  const Block& block = blocks_[range.place.block];
  return block.underlying.empty() ? std::vector<ByteRange>{range} : block.real;
}

std::vector<ByteRange> CheckMemory::BehindOrder(std::vector<ByteRange> ranges) const {
  const Block& first = blocks_[ranges.front().place.block];
  if (first.permutation == 0 || permutation_sizes_.at(first.permutation) != static_cast<int64_t>(ranges.size())) {
    return ranges;
  }
  bool one_order = std::ranges::all_of(ranges, [&](const ByteRange& range) {
    return range.place.offset == 0 && range.bytes == ranges.front().bytes &&
           blocks_[range.place.block].permutation == first.permutation;
  });
  if (!one_order) return ranges;
  std::vector<ByteRange> behind;
  for (const ByteRange& range : ranges) {
    for (const ByteRange& underlying : blocks_[range.place.block].underlying) AddIfMissing(behind, underlying);
  }
  return behind;
}

bool CheckMemory::MayOverlap(const ByteRange& left, const ByteRange& right) const {
  if (left.bytes == 0 || right.bytes == 0) return false;
  if (left.place.block == right.place.block) return OverlapInBlock(left, right);
  int64_t permutation = blocks_[left.place.block].permutation;
  if (permutation != 0 && permutation == blocks_[right.place.block].permutation) return false;
  // The younger block is the one to resolve: it may stand for the older one, or for another of the older one's permutation.
  const ByteRange& younger = left.place.block > right.place.block ? left : right;
  const ByteRange& older = left.place.block > right.place.block ? right : left;
  bool younger_is_real = blocks_[younger.place.block].underlying.empty();
  bool older_is_real = blocks_[older.place.block].underlying.empty();
  if (younger_is_real && older_is_real) return false;
  if (AreApartInEachIteration(left, right) || AreApartInEachIteration(right, left)) return false;
  // Parts of a real block differ; a fresh one counts as a whole, so that its number says it all.
  if (younger_is_real || older_is_real) return MayStandFor(younger, older);
  uint64_t key = static_cast<uint64_t>(younger.place.block.index()) << 32 | older.place.block.index();
  if (auto known = known_overlaps_.find(key); known != known_overlaps_.end()) return known->second;
  bool overlaps = MayStandFor(younger, older);
  known_overlaps_[key] = overlaps;
  return overlaps;
}

// The pointer starts apart from a block of its loop, and goes on to places that are apart from it.
bool CheckMemory::AreApartInEachIteration(const ByteRange& pointer, const ByteRange& other) const {
  const Block &from = blocks_[pointer.place.block], &to = blocks_[other.place.block];
  if (from.later.empty() || !from.first || !to.first || from.first->loop != to.first->loop) return false;
  auto is_there = [&](const ByteRange& range) { return MayOverlap(range, other); };
  return !MayOverlap(from.first->range, to.first->range) && std::ranges::none_of(from.later, is_there);
}

bool CheckMemory::AreSameOrApart(const ByteRange& left, const ByteRange& right) const {
  if (left.bytes != right.bytes) return false;
  const std::vector<ByteRange> ones = Underlying(left), others = Underlying(right);
  return std::ranges::all_of(ones, [&](const ByteRange& one) {
    return std::ranges::all_of(others,
                               [&](const ByteRange& other) { return one == other || !OverlapInBlock(one, other); });
  });
}

bool CheckMemory::MayStandFor(const ByteRange& younger, const ByteRange& older) const {
  auto overlaps_real = [&](const ByteRange& range) {
    return std::ranges::any_of(Underlying(older), [&](const ByteRange& other) { return OverlapInBlock(range, other); });
  };
  if (std::ranges::none_of(Underlying(younger), overlaps_real)) return false;
  const std::vector<ByteRange>& underlying = blocks_[younger.place.block].underlying;
  if (!underlying.empty()) {
    return std::ranges::any_of(underlying, [&](const ByteRange& range) { return MayOverlap(range, older); });
  }
  // A real block may be younger than a fresh one that does not stand for it.
  return std::ranges::any_of(blocks_[older.place.block].underlying,
                             [&](const ByteRange& range) { return MayOverlap(younger, range); });
}

bool CheckMemory::KeepCommon(const FactTable& other) {
  bool is_all = true;
  for (ContentId content : facts_.Contents()) {
    facts_.Update(content, [&](Fact& fact) {
      const std::vector<Fact>& candidates = other.Of(content);
      auto match = std::ranges::find(candidates, fact.range, &Fact::range);
      if (match == candidates.end()) return is_all = false;
      const analysis::Footprint before = fact.holes;
      fact.holes.Include(match->holes);
      is_all = is_all && fact.holes == before;
      return true;
    });
  }
  return is_all;
}

}  // namespace stead::inplace::check
