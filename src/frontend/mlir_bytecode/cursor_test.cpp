#include "frontend/mlir_bytecode/cursor.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace stead::frontend::mlir {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

uint64_t Varint(std::initializer_list<int> values) {
  std::vector<std::byte> bytes = Bytes(values);
  ByteCursor cursor(bytes, {0, bytes.size()});
  uint64_t value = cursor.ReadVarint();
  EXPECT_TRUE(cursor.ok());
  EXPECT_TRUE(cursor.at_end());
  return value;
}

TEST(Cursor, ReadsVarintsOfEveryLength) {
  EXPECT_EQ(Varint({0x01}), 0u);
  EXPECT_EQ(Varint({0xFF}), 127u);
  EXPECT_EQ(Varint({0x02, 0x02}), 128u);
  EXPECT_EQ(Varint({0xFE, 0xFF}), 0x3FFFu);
  EXPECT_EQ(Varint({0x04, 0x00, 0x02}), uint64_t{1} << 14);
  EXPECT_EQ(Varint({0x80, 1, 2, 3, 4, 5, 6, 7}), 0x07060504030201u);
  EXPECT_EQ(Varint({0x00, 1, 2, 3, 4, 5, 6, 7, 0x88}), 0x8807060504030201u);
}

TEST(Cursor, ReadsSignedVarints) {
  std::vector<std::byte> bytes = Bytes({0x01, 0x03, 0x05, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF});
  ByteCursor cursor(bytes, {0, bytes.size()});
  EXPECT_EQ(cursor.ReadSignedVarint(), 0);
  EXPECT_EQ(cursor.ReadSignedVarint(), -1);
  EXPECT_EQ(cursor.ReadSignedVarint(), 1);
  EXPECT_EQ(cursor.ReadSignedVarint(), INT64_MIN);
  EXPECT_TRUE(cursor.ok());
}

TEST(Cursor, KeepsTheFirstFailureAndReadsNothingAfterIt) {
  std::vector<std::byte> bytes = Bytes({0x03, 0x04, 0x05});
  ByteCursor cursor(bytes, {0, bytes.size()});
  cursor.ReadByte();
  EXPECT_EQ(cursor.ReadVarint(), 0u);
  EXPECT_FALSE(cursor.ok());
  cursor.ReadBytes(100);
  EXPECT_EQ(cursor.status().error().what, "malformed MLIR bytecode at byte 2: 2 bytes are needed, 1 are left");
}

TEST(Cursor, RefusesMoreItemsThanBytes) {
  std::vector<std::byte> bytes = Bytes({0x09, 0x01, 0x01, 0x01});
  ByteCursor cursor(bytes, {0, bytes.size()});
  EXPECT_EQ(cursor.ReadCount(), 0u);
  EXPECT_FALSE(cursor.ok());
}

TEST(Cursor, AlignsToFileOffsets) {
  std::vector<std::byte> bytes = Bytes({0x00, 0xCB, 0xCB, 0xCB, 0x07, 0x00});
  ByteCursor cursor(bytes, {1, bytes.size()});
  cursor.Align(4);
  EXPECT_EQ(cursor.ReadByte(), 7);
  cursor.Align(3);
  EXPECT_FALSE(cursor.ok());
}

}  // namespace
}  // namespace stead::frontend::mlir
