#include "runtime/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace stead::runtime {
namespace {

TEST(Memory, IsAlignedAndReused) {
  auto first = Allocate(1000);
  ASSERT_TRUE(first.ok());
  std::byte* data = (*first)->data();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % kAlignment, 0u);
  EXPECT_EQ((*first)->bytes(), 1000);
  *first = nullptr;
  auto second = Allocate(1000);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->data(), data) << "a freed block of the same size is handed out again";
}

TEST(Memory, LargeBlocksStartAtHugePages) {
  auto block = Allocate(int64_t{3} << 20);
  ASSERT_TRUE(block.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*block)->data()) % (2 << 20), 0u);
}

TEST(Memory, ZeroBytesAreFine) {
  auto block = Allocate(0);
  ASSERT_TRUE(block.ok());
  EXPECT_EQ((*block)->bytes(), 0);
}

TEST(Memory, TooMuchIsAnErrorThatNamesTheSize) {
  auto block = Allocate(std::numeric_limits<int64_t>::max() / 2);
  ASSERT_FALSE(block.ok());
  EXPECT_EQ(block.error().code, ErrorCode::kResourceExhausted);
  EXPECT_NE(block.error().what.find("4611686018427387903"), std::string::npos);
}

TEST(Memory, CountsBytesInUse) {
  int64_t before = GetAllocatorStats().bytes_in_use;
  auto block = Allocate(650);
  ASSERT_TRUE(block.ok());
  EXPECT_EQ(GetAllocatorStats().bytes_in_use, before + 650);
  *block = nullptr;
  EXPECT_EQ(GetAllocatorStats().bytes_in_use, before);
  EXPECT_GE(GetAllocatorStats().peak_bytes_in_use, before + 650);
}

TEST(Memory, ExternalMemoryIsReleasedOnce) {
  int released = 0;
  std::byte bytes[8];
  AllocationRef external = WrapExternal(bytes, 8, [&] { ++released; });
  AllocationRef shared = external;
  external = nullptr;
  EXPECT_EQ(released, 0);
  shared = nullptr;
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace stead::runtime
