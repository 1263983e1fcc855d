// The table finds every fact that shares bytes with a write, however the facts are mixed, and leaves out those that lie far away.
#include "inplace/check/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stead::inplace::check {
namespace {

std::vector<ContentId> Near(const FactTable& table, const ByteRange& range) {
  std::vector<ContentId> contents;
  table.AddNear(range, contents);
  std::ranges::sort(contents);
  return contents;
}

TEST(Facts, LargeOnesInABlockDoNotBringSmallOnesNear) {
  FactTable table;
  table.Put({ContentId(0), {{BlockId(0), 0}, 1000}});
  table.Put({ContentId(1), {{BlockId(0), 1000}, 8}});
  table.Put({ContentId(2), {{BlockId(0), 1100}, 8}});
  table.Put({ContentId(3), {{BlockId(1), 1100}, 8}});
  EXPECT_EQ(Near(table, {{BlockId(0), 1100}, 4}), std::vector{ContentId(2)});
  EXPECT_EQ(Near(table, {{BlockId(0), 999}, 4}), (std::vector{ContentId(0), ContentId(1)}));
  EXPECT_EQ(Near(table, {{BlockId(2), 0}, 4}), std::vector<ContentId>{});
}

TEST(Facts, OneOfTheSameContentAndRangeIsReplaced) {
  FactTable table;
  table.Put({ContentId(0), {{BlockId(0), 0}, 16}, {}});
  table.Put({ContentId(0), {{BlockId(0), 0}, 16}});
  table.Put({ContentId(0), {{BlockId(0), 16}, 16}});
  ASSERT_EQ(table.Of(ContentId(0)).size(), 2);
  EXPECT_TRUE(table.Of(ContentId(0))[0].holes.empty());
  table.Update(ContentId(0), [](const Fact& fact) { return fact.range.place.offset == 16; });
  EXPECT_EQ(Near(table, {{BlockId(0), 0}, 16}), std::vector<ContentId>{});
  table.EraseContent(ContentId(0));
  EXPECT_TRUE(table.Contents().empty());
  EXPECT_EQ(Near(table, {{BlockId(0), 0}, 64}), std::vector<ContentId>{});
}

TEST(Facts, FreshBlocksAreNearEveryWriteAndInNoBlock) {
  FactTable table;
  table.Put({.content = ContentId(0), .range = {{BlockId(0), 0}, 16}, .is_in_fresh_block = true});
  EXPECT_EQ(Near(table, {{BlockId(0), 0}, 16}), std::vector<ContentId>{});
  std::vector<ContentId> contents;
  table.AddInFreshBlocks(contents);
  EXPECT_EQ(contents, std::vector{ContentId(0)});
}

TEST(Facts, NoneThatSharesBytesIsMissed) {
  std::mt19937 random(1);
  auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint32_t>(limit)); };
  auto any_range = [&] { return ByteRange{{BlockId(below(3)), below(200)}, 1 + below(below(2) == 0 ? 4 : 200)}; };
  for (int round = 0; round < 200; ++round) {
    FactTable table;
    std::vector<Fact> facts;
    for (uint32_t number = 0; number < 20; ++number) {
      facts.push_back({ContentId(number), any_range()});
      table.Put(facts.back());
    }
    const ByteRange write = any_range();
    const std::vector<ContentId> found = Near(table, write);
    for (const Fact& fact : facts) {
      const auto& [place, bytes] = fact.range;
      bool shares = place.block == write.place.block && place.offset < write.place.offset + write.bytes &&
                    write.place.offset < place.offset + bytes;
      EXPECT_TRUE(!shares || std::ranges::binary_search(found, fact.content));
    }
  }
}

}  // namespace
}  // namespace stead::inplace::check
