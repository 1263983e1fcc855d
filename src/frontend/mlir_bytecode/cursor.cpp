#include "frontend/mlir_bytecode/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace stead::frontend::mlir {

namespace {
constexpr std::byte kPadding{0xCB};
}  // namespace

Diagnostic MalformedBytecode(size_t offset, std::string_view problem) {
  return InvalidArgument(fmt::format("malformed MLIR bytecode at byte {}: {}", offset, problem));
}

ByteCursor::ByteCursor(std::span<const std::byte> file, ByteRange range)
    : file_(file), position_(range.begin), end_(range.end) {
  STEAD_CHECK(range.begin <= range.end && range.end <= file.size(), "the range leaves the file");
}

Status ByteCursor::status() const {
  if (ok()) return {};
  return MalformedBytecode(error_offset_, error_);
}

void ByteCursor::Fail(size_t offset, std::string_view problem) {
  if (!ok()) return;
  error_ = problem;
  error_offset_ = offset;
  position_ = end_;
}

void ByteCursor::FailAs(const ByteCursor& part) {
  if (!part.ok()) Fail(part.error_offset_, part.error_);
}

std::span<const std::byte> ByteCursor::ReadBytes(uint64_t count) {
  if (count > remaining()) {
    Fail(fmt::format("{} bytes are needed, {} are left", count, remaining()));
    return {};
  }
  std::span<const std::byte> bytes = file_.subspan(position_, count);
  position_ += count;
  return bytes;
}

uint8_t ByteCursor::ReadByte() {
  std::span<const std::byte> bytes = ReadBytes(1);
  return bytes.empty() ? 0 : std::to_integer<uint8_t>(bytes[0]);
}

uint64_t ByteCursor::ReadVarint() {
  uint8_t first = ReadByte();
  if (first & 1) return first >> 1;
  if (!ok()) return 0;
  int extra_bytes = first == 0 ? 8 : std::countr_zero(first);
  std::span<const std::byte> rest = ReadBytes(static_cast<uint64_t>(extra_bytes));
  uint64_t value = 0;
  for (size_t byte = rest.size(); byte > 0; --byte) value = value << 8 | std::to_integer<uint64_t>(rest[byte - 1]);
  if (first == 0) return value;
  // The first byte holds the lowest 7 - extra_bytes bits of the value, above its marker.
  return (value << (7 - extra_bytes)) | (static_cast<uint64_t>(first) >> (extra_bytes + 1));
}

int64_t ByteCursor::ReadSignedVarint() {
  uint64_t coded = ReadVarint();
  return static_cast<int64_t>((coded >> 1) ^ (~(coded & 1) + 1));
}

size_t ByteCursor::ReadCount() {
  size_t start = position_;
  uint64_t count = ReadVarint();
  if (count <= remaining()) return count;
  Fail(start, fmt::format("{} items cannot fit into the {} bytes that are left", count, remaining()));
  return 0;
}

size_t ByteCursor::ReadIndex(size_t limit, std::string_view what) {
  size_t start = position_;
  uint64_t index = ReadVarint();
  if (index < limit) return index;
  Fail(start, fmt::format("{} {} does not exist, there are {}", what, index, limit));
  return 0;
}

std::vector<int64_t> ByteCursor::ReadSignedVarints() {
  std::vector<int64_t> values(ReadCount());
  for (int64_t& value : values) value = ReadSignedVarint();
  return values;
}

std::span<const std::byte> ByteCursor::ReadBlob() { return ReadBytes(ReadVarint()); }

std::string_view ByteCursor::ReadTerminatedText() {
  std::span<const std::byte> rest = file_.subspan(position_, remaining());
  auto terminator = std::find(rest.begin(), rest.end(), std::byte{0});
  if (terminator == rest.end()) {
    Fail("text without a terminating NUL");
    return {};
  }
  size_t length = static_cast<size_t>(terminator - rest.begin());
  position_ += length + 1;
  return {reinterpret_cast<const char*>(rest.data()), length};
}

ByteCursor ByteCursor::ReadRange(uint64_t count) {
  std::span<const std::byte> bytes = ReadBytes(count);
  return ByteCursor(file_, {position_ - bytes.size(), position_});
}

void ByteCursor::Align(uint64_t alignment) {
  if (!std::has_single_bit(alignment) || alignment > file_.size()) {
    Fail(fmt::format("alignment {} is no power of two within the file", alignment));
    return;
  }
  while (ok() && position_ % alignment != 0) {
    size_t start = position_;
    if (std::byte{ReadByte()} != kPadding) Fail(start, "a padding byte is not 0xCB");
  }
}

}  // namespace stead::frontend::mlir
