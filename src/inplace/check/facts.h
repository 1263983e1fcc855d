// What the plan checker knows to lie where. Facts are found by their content, and by the bytes that a write touches, without a walk
// over all of them, so that checking a plan takes time in proportion to the module.
//
// A Place is a byte of a block (check/memory.h says what blocks are). A Fact says: the bytes of `range` hold `content`, except in the
// holes. The table answers with facts that may lie in the way; whether two ranges share a byte is for its owner to say.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "analysis/footprint.h"
#include "inplace/plan.h"

namespace stead::inplace::check {

using BlockId = Id<struct BlockTag>;
using ContentId = Id<struct ContentTag>;

struct Place {
  BlockId block;
  int64_t offset = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct ByteRange {
  Place place;
  int64_t bytes = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct Fact {
  ContentId content;
  ByteRange range;
  analysis::Footprint holes = analysis::Footprint::Nothing();  // bytes of the range that no longer hold the content
  bool is_in_fresh_block = false;  // found near every write: its block stands for bytes of others
};

class FactTable {
 public:
  // The facts of one content.
  const std::vector<Fact>& Of(ContentId content) const;
  // Replaces the fact of the same content and range.
  void Put(Fact fact);
  void EraseContent(ContentId content);
  // Visits the facts of the content; those for which `keep` is false go.
  void Update(ContentId content, const std::function<bool(Fact&)>& keep);
  std::vector<ContentId> Contents() const;
  // Adds the contents of all facts that may share bytes with the range of a block that is not fresh, and of some others. Ranges without
  // bytes share none.
  void AddNear(const ByteRange& range, std::vector<ContentId>& contents) const;
  // Adds the contents of all facts in fresh blocks.
  void AddInFreshBlocks(std::vector<ContentId>& contents) const;

 private:
  // Sorted by block, then by class of sizes, so that a small fact does not lie near a write only because the block holds large ones too.
  struct Start {
    BlockId block;  // none: of all fresh blocks
    int size_class = 0;
    int64_t offset = 0;
    int64_t bytes = 0;
    ContentId content;
    friend auto operator<=>(const Start&, const Start&) = default;
  };
  static Start StartOf(const Fact& fact);

  std::unordered_map<ContentId, std::vector<Fact>> facts_;
  std::set<Start> starts_;
};

}  // namespace stead::inplace::check
