#include "inplace/check/memory.h"

#include <algorithm>

namespace stead::inplace::check {
namespace {

bool SameRange(const ByteRange& left, const ByteRange& right) {
  return left.place == right.place && left.bytes == right.bytes;
}

bool OverlapInBlock(const ByteRange& left, const ByteRange& right) {
  return left.place.block == right.place.block && left.place.offset < right.place.offset + right.bytes &&
         right.place.offset < left.place.offset + left.bytes;
}

bool HoleTouches(const Hole& hole, const std::vector<int64_t>& dimensions, const analysis::Region& region) {
  // Seen through another shape the coordinates say nothing.
  if (hole.dimensions != dimensions) return true;
  return !analysis::Disjoint(hole.region, region);
}

}  // namespace

const Fact* CheckMemory::Find(ContentId content, Place place) const {
  for (const Fact& fact : facts_) {
    if (fact.content == content && fact.range.place == place) return &fact;
  }
  return nullptr;
}

bool CheckMemory::Holds(ContentId content, Place place, const std::vector<int64_t>& dimensions,
                        const analysis::Region& region) const {
  return std::ranges::any_of(facts_, [&](const Fact& fact) {
    return fact.content == content && fact.range.place == place &&
           std::ranges::none_of(fact.holes, [&](const Hole& hole) { return HoleTouches(hole, dimensions, region); });
  });
}

void CheckMemory::Add(ContentId content, ByteRange range) {
  std::erase_if(facts_, [&](const Fact& fact) { return fact.content == content && SameRange(fact.range, range); });
  facts_.push_back({content, range, {}});
}

void CheckMemory::Overwrite(ByteRange range) {
  std::erase_if(facts_, [&](const Fact& fact) { return MayOverlap(fact.range, range); });
}

void CheckMemory::OverwriteRegion(ByteRange range, const std::vector<int64_t>& dimensions,
                                  const analysis::Region& region) {
  std::erase_if(facts_,
                [&](const Fact& fact) { return !SameRange(fact.range, range) && MayOverlap(fact.range, range); });
  for (Fact& fact : facts_) {
    if (SameRange(fact.range, range)) fact.holes.push_back({dimensions, region});
  }
}

std::vector<ByteRange> CheckMemory::Underlying(const ByteRange& range) const {
  const Block& block = blocks_[range.place.block];
  if (block.underlying.empty()) return {range};
  std::vector<ByteRange> ranges;
  for (const ByteRange& underlying : block.underlying)
    std::ranges::move(Underlying(underlying), std::back_inserter(ranges));
  return ranges;
}

bool CheckMemory::MayOverlap(const ByteRange& left, const ByteRange& right) const {
  if (left.bytes == 0 || right.bytes == 0) return false;
  if (left.place.block == right.place.block) return OverlapInBlock(left, right);
  int64_t permutation = blocks_[left.place.block].permutation;
  if (permutation != 0 && permutation == blocks_[right.place.block].permutation) return false;
  // The younger block is the one to resolve: it may stand for the older one, or for another of the older one's permutation.
  const ByteRange& younger = left.place.block > right.place.block ? left : right;
  const ByteRange& older = left.place.block > right.place.block ? right : left;
  auto may_be = [&](const ByteRange& stands_for) { return MayOverlap(stands_for, older); };
  const std::vector<ByteRange>& underlying = blocks_[younger.place.block].underlying;
  if (!underlying.empty()) return std::ranges::any_of(underlying, may_be);
  // A real block may be younger than a fresh one that does not stand for it.
  return std::ranges::any_of(blocks_[older.place.block].underlying,
                             [&](const ByteRange& stands_for) { return MayOverlap(younger, stands_for); });
}

void CheckMemory::KeepCommon(const std::vector<Fact>& other) {
  std::vector<Fact> common;
  for (const Fact& fact : facts_) {
    auto match = std::ranges::find_if(other, [&](const Fact& candidate) {
      return candidate.content == fact.content && SameRange(candidate.range, fact.range);
    });
    if (match == other.end()) continue;
    Fact both = fact;
    for (const Hole& hole : match->holes) {
      if (std::ranges::find(both.holes, hole) == both.holes.end()) both.holes.push_back(hole);
    }
    common.push_back(std::move(both));
  }
  facts_ = std::move(common);
}

}  // namespace stead::inplace::check
