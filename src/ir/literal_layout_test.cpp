#include "ir/literal_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace stead::ir {
namespace {

Shape Packed(ElementType type, std::vector<int64_t> dimensions, std::vector<int64_t> minor_to_major = {}) {
  Shape shape = Shape::Array(type, std::move(dimensions));
  shape.layout = {std::move(minor_to_major), PackedSuffix(type)};
  return shape;
}

std::vector<int> Stored(const Literal& literal, const Shape& shape) {
  std::vector<std::byte> memory(static_cast<size_t>(shape.byte_size()), std::byte{0xAA});
  StoreInLayout(literal, shape, memory);
  EXPECT_EQ(LoadFromLayout(shape, memory), literal);
  std::vector<int> bytes;
  for (std::byte byte : memory) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

TEST(LiteralLayout, SmallElementsShareBytes) {
  const Literal nibbles = Literal::FromVector<int8_t>(Shape::Array(ElementType::kS4, {3}), {1, -1, -8});
  EXPECT_EQ(Stored(nibbles, Packed(ElementType::kS4, {3})), (std::vector<int>{0xF1, 0x08}));
  const Literal pairs = Literal::FromVector<uint8_t>(Shape::Array(ElementType::kU2, {2, 3}), {0, 1, 2, 3, 0, 1});
  EXPECT_EQ(Stored(pairs, Packed(ElementType::kU2, {2, 3})), (std::vector<int>{0xE4, 0x04}));
  EXPECT_EQ(Stored(pairs, Packed(ElementType::kU2, {2, 3}, {0, 1})), (std::vector<int>{0x1C, 0x06}));
}

TEST(LiteralLayout, PackedShapesHaveFewerBytesAndLiteralsAreNotPacked) {
  EXPECT_EQ(Packed(ElementType::kS4, {3, 3}).byte_size(), 5);
  EXPECT_EQ(Packed(ElementType::kU2, {}).byte_size(), 1);
  EXPECT_EQ(Packed(ElementType::kS4, {0}).byte_size(), 0);
  EXPECT_FALSE(Packed(ElementType::kPred, {8}).is_packed());
  EXPECT_FALSE(Packed(ElementType::kF32, {8}).is_packed());
  EXPECT_EQ(Literal::Zeros(Packed(ElementType::kS4, {3, 3})).bytes().size(), 9u);
}

}  // namespace
}  // namespace stead::ir
