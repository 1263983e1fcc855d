// The plan checker's picture of memory: which bytes hold which value, by symbolic blocks. Knows nothing of planning.
//
// Scratch buffers share one block (the arena), so that two of them may overlap; every other buffer is a block of its own. Where a loop exchanges pointers, or branches leave different ones, the variables concerned
// get fresh blocks that stand for "one of these underlying ranges, we cannot say which": writing an underlying range from
// outside destroys everything such a block may hold. The pointer of a loop's leaf that borrows its initial value gets a block
// that stands for that value's range or for the leaf's own slot, which it follows.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/footprint.h"
#include "inplace/check/facts.h"
#include "inplace/plan.h"

namespace stead::inplace::check {

// Where a block is in the first iteration.
struct FirstPlace {
  ByteRange range;
  int64_t loop = 0;  // the same for all blocks of one run of a loop
};

struct Block {
  bool writable = true;
  bool returnable = false;               // an owned allocation or a donated parameter
  std::vector<ByteRange> underlying;     // fresh blocks: where they may really be
  int64_t permutation = 0;               // fresh blocks with the same number other than 0 never overlap one another
  std::optional<Place> follows;          // fresh blocks: they start here, or else share no byte with what lies here
  std::optional<FirstPlace> first = {};  // fresh blocks of a loop
  std::vector<ByteRange> later = {};     // of a loop's pointer: where it may be after the first iteration
  std::vector<ByteRange> real = {};  // fresh blocks: the ranges of real blocks behind `underlying`; filled by AddBlock
};

class CheckMemory {
 public:
  BlockId AddBlock(Block block);
  const Block& block(BlockId id) const { return blocks_[id]; }

  // The fact that `content` lies at `place`, if it is there in part or whole.
  const Fact* Find(ContentId content, Place place) const;
  // True when these bytes of the content can be read at `place`.
  bool Holds(ContentId content, Place place, const analysis::Footprint& bytes) const;
  // The content lies there, except in the holes.
  void Add(ContentId content, ByteRange range, analysis::Footprint holes = analysis::Footprint::Nothing());
  // A write of all of `range`: everything that may overlap it is gone.
  void Overwrite(ByteRange range);
  // A write of some bytes of the range, in place: facts of the same range, or of one that may be the same, keep the others; all others
  // that overlap are gone.
  void OverwritePart(ByteRange range, const analysis::Footprint& bytes);
  // True when the two ranges may share a byte.
  bool MayOverlap(const ByteRange& left, const ByteRange& right) const;
  // True when each range that one of the two may stand for is one that the other may stand for, or shares no byte with any of those.
  bool AreSameOrApart(const ByteRange& left, const ByteRange& right) const;
  // The ranges of real blocks (not fresh ones) that `range` may stand for.
  std::vector<ByteRange> Underlying(const ByteRange& range) const;
  // What fresh blocks for these ranges in unknown order stand for: themselves, or, when they are all blocks of one earlier
  // such order, what those stand for.
  std::vector<ByteRange> BehindOrder(std::vector<ByteRange> ranges) const;

  const FactTable& facts() const { return facts_; }
  // Keeps only what holds in `other` too, with the holes of both. RETURNS whether that was everything.
  bool KeepCommon(const FactTable& other);
  void RestoreFacts(FactTable facts) { facts_ = std::move(facts); }
  // Nobody will ask for the content any more.
  void Forget(ContentId content) { facts_.EraseContent(content); }

 private:
  // The contents of all facts that may share a byte with the range, and of some others.
  std::vector<ContentId> Near(const ByteRange& range) const;
  bool MayStandFor(const ByteRange& younger, const ByteRange& older) const;
  bool AreApartInEachIteration(const ByteRange& pointer, const ByteRange& other) const;

  IdVector<BlockId, Block> blocks_;
  std::unordered_map<int64_t, int64_t> permutation_sizes_;  // per permutation number: its blocks
  // Answers of MayOverlap for whole fresh blocks; blocks never change.
  mutable std::unordered_map<uint64_t, bool> known_overlaps_;
  FactTable facts_;
};

}  // namespace stead::inplace::check
