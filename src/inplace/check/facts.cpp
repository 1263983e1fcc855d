#include "inplace/check/facts.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace stead::inplace::check {
namespace {

// Ranges of one class have fewer bytes than LimitOf it, and half as many at least.
int SizeClass(int64_t bytes) { return std::bit_width(static_cast<uint64_t>(bytes)); }
int64_t LimitOf(int size_class) {
  return size_class >= 63 ? std::numeric_limits<int64_t>::max() : int64_t{1} << size_class;
}

}  // namespace

const std::vector<Fact>& FactTable::Of(ContentId content) const {
  static const std::vector<Fact> kNone;
  auto found = facts_.find(content);
  return found == facts_.end() ? kNone : found->second;
}

FactTable::Start FactTable::StartOf(const Fact& fact) {
  const ByteRange& range = fact.range;
  const BlockId block = fact.is_in_fresh_block ? BlockId() : range.place.block;
  return {block, SizeClass(range.bytes), range.place.offset, range.bytes, fact.content};
}

void FactTable::Put(Fact fact) {
  Update(fact.content, [&](const Fact& other) { return !(other.range == fact.range); });
  starts_.insert(StartOf(fact));
  facts_[fact.content].push_back(std::move(fact));
}

void FactTable::Update(ContentId content, const std::function<bool(Fact&)>& keep) {
  auto found = facts_.find(content);
  if (found == facts_.end()) return;
  std::erase_if(found->second, [&](Fact& fact) {
    if (keep(fact)) return false;
    starts_.erase(StartOf(fact));
    return true;
  });
  if (found->second.empty()) facts_.erase(found);
}

void FactTable::EraseContent(ContentId content) {
  Update(content, [](const Fact&) { return false; });
}

std::vector<ContentId> FactTable::Contents() const {
  std::vector<ContentId> contents;
  for (const auto& [content, facts] : facts_) contents.push_back(content);
  return contents;
}

void FactTable::AddNear(const ByteRange& range, std::vector<ContentId>& contents) const {
  const auto& [block, offset] = range.place;
  auto start = starts_.lower_bound({.block = block});
  while (start != starts_.end() && start->block == block) {
    const int size_class = start->size_class;
    // A fact that starts further before the range than it has bytes ends before it.
    start = starts_.lower_bound({block, size_class, offset - LimitOf(size_class) + 1});
    const auto end = starts_.lower_bound({block, size_class, offset + range.bytes});
    for (; start != end; ++start) contents.push_back(start->content);
    start = starts_.lower_bound({.block = block, .size_class = size_class + 1});
  }
}

void FactTable::AddInFreshBlocks(std::vector<ContentId>& contents) const {
  auto start = starts_.lower_bound({.block = BlockId()});
  for (; start != starts_.end() && !start->block.valid(); ++start) contents.push_back(start->content);
}

}  // namespace stead::inplace::check
