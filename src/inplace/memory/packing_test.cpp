#include "inplace/memory/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stead::inplace {
namespace {

// The most bytes that are live at one time: no packing takes less.
int64_t MostLiveBytes(const std::vector<LiveBuffer>& buffers) {
  int64_t most = 0;
  for (const LiveBuffer& at : buffers) {
    int64_t live = 0;
    for (const LiveBuffer& other : buffers) live += other.first <= at.first && at.first <= other.last ? other.bytes : 0;
    most = std::max(most, live);
  }
  return most;
}

void ExpectSound(const std::vector<LiveBuffer>& buffers, const Packing& packing) {
  for (size_t one = 0; one < buffers.size(); ++one) {
    EXPECT_LE(packing.offsets[one] + buffers[one].bytes, packing.arena_bytes);
    if (buffers[one].bytes == 0) continue;
    EXPECT_EQ(packing.offsets[one] % AlignmentOf(buffers[one].bytes), 0);
    for (size_t other = 0; other < one; ++other) {
      bool together = buffers[one].first <= buffers[other].last && buffers[other].first <= buffers[one].last;
      bool apart = packing.offsets[one] + buffers[one].bytes <= packing.offsets[other] ||
                   packing.offsets[other] + buffers[other].bytes <= packing.offsets[one] || buffers[other].bytes == 0;
      EXPECT_TRUE(!together || apart) << one << " and " << other;
    }
  }
}

TEST(Packing, BuffersThatAreLiveTogetherNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<LiveBuffer> buffers;
    for (unsigned count = random() % 40; count > 0; --count) {
      int64_t first = random() % 30;
      int64_t bytes = random() % 4 == 0 ? random() % 9 : 64 * (random() % 20);
      buffers.push_back({bytes, first, first + static_cast<int64_t>(random() % 12)});
    }
    Packing packing = PackBuffers(buffers);
    ExpectSound(buffers, packing);
    EXPECT_GE(packing.arena_bytes, MostLiveBytes(buffers));
  }
}

TEST(Packing, ManyBuffersAreStillSound) {
  std::mt19937 random(2);
  std::vector<LiveBuffer> buffers;
  for (int64_t start = 0; start < 2000; ++start) {
    buffers.push_back({static_cast<int64_t>(random() % 1000), start, start + static_cast<int64_t>(random() % 5)});
  }
  ExpectSound(buffers, PackBuffers(buffers));
}

// In order of time the middle buffer would lie on top of the first one and keep the last from its place.
TEST(Packing, LargeBuffersAreNotInTheWayOfEachOther) {
  Packing packing = PackBuffers({{64, 0, 1}, {128, 1, 2}, {192, 2, 3}});
  EXPECT_EQ(packing.arena_bytes, 320);
}

// In order of size and of time the third buffer lies above the second or apart from the first, where 448 bytes are taken.
TEST(Packing, WhatEndsHighestIsTriedFirst) {
  const std::vector<LiveBuffer> buffers = {{192, 4, 6}, {128, 1, 2}, {128, 2, 4}, {128, 2, 3}};
  EXPECT_EQ(PackBuffers(buffers).arena_bytes, MostLiveBytes(buffers));
  EXPECT_EQ(MostLiveBytes(buffers), 384);
}

// Before the result (busy from 5 on) and after the argument's last use (at 2) there is room for all but the last buffer.
TEST(Packing, IdleMemoryTakesWhatLivesWhileItIsIdle) {
  Packing packing = PackBuffers({{64, 0, 4}, {64, 1, 3}, {128, 3, 9}, {64, 4, 5}}, {{128, 5, 9}, {128, 0, 2}});
  EXPECT_EQ(packing.hosts, (std::vector<int32_t>{0, 0, 1, -1}));
  EXPECT_EQ(packing.offsets, (std::vector<int64_t>{0, 64, 0, 0}));
  EXPECT_EQ(packing.arena_bytes, 64);
}

TEST(Packing, IdleMemoryIsLeftAloneWhereItSavesNothing) {
  Packing packing = PackBuffers({{64, 0, 2}, {64, 4, 5}}, {{64, 3, 9}});
  EXPECT_EQ(packing.hosts, (std::vector<int32_t>{-1, -1}));
  EXPECT_EQ(packing.arena_bytes, 64);
}

// Scalars stand beside each other, aligned for what they hold.
TEST(Packing, SmallBuffersTakeNoMoreThanTheyNeed) {
  EXPECT_EQ(PackBuffers({{4, 0, 9}, {4, 1, 9}, {1, 2, 9}, {8, 3, 9}}).arena_bytes, 17);
  EXPECT_EQ(AlignmentOf(1), 1);
  EXPECT_EQ(AlignmentOf(12), 16);
  EXPECT_EQ(AlignmentOf(1000), 64);
}

}  // namespace
}  // namespace stead::inplace
