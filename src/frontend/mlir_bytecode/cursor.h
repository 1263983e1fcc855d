// Reads the primitives of MLIR bytecode from a range of the file, with one sticky error.
//   Input: the caller's bytes (never copied).  Output: integers, and views into those bytes.
//   After the first failure every read returns zero or nothing, so a caller may read a whole record and test ok() once;
//   no read leaves the range, and no count is larger than the bytes that are left to hold its items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stead::frontend::mlir {

// A part of the file, [begin, end).
struct ByteRange {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// The error of a file that breaks the format at byte `offset`.
Diagnostic MalformedBytecode(size_t offset, std::string_view problem);

class ByteCursor {
 public:
  ByteCursor() = default;
  // REQUIRES: `range` lies inside `file`.
  ByteCursor(std::span<const std::byte> file, ByteRange range);

  bool ok() const { return error_.empty(); }
  bool at_end() const { return position_ >= end_; }
  size_t offset() const { return position_; }  // from the start of the file
  size_t remaining() const { return end_ - position_; }
  // Success, or the first failure with its byte offset.
  Status status() const;

  uint8_t ReadByte();
  // Prefix varint: the trailing zeros of the first byte count the bytes that follow it.
  uint64_t ReadVarint();
  // Zigzag-encoded varint.
  int64_t ReadSignedVarint();
  // Varint of a number of items that take at least one byte each; fails when that many bytes are not left.
  size_t ReadCount();
  // A varint that must be smaller than `limit`; `what` names the table it points into.
  size_t ReadIndex(size_t limit, std::string_view what);
  // Count, then that many signed varints.
  std::vector<int64_t> ReadSignedVarints();
  // The next `count` bytes, as a view.
  std::span<const std::byte> ReadBytes(uint64_t count);
  // Varint size, then that many bytes, as a view.
  std::span<const std::byte> ReadBlob();
  // Text up to a NUL, which is consumed but not part of the view.
  std::string_view ReadTerminatedText();
  // A cursor over the next `count` bytes, which this one skips.
  ByteCursor ReadRange(uint64_t count);
  // Skips the padding bytes up to a file offset that is a multiple of `alignment`.
  void Align(uint64_t alignment);

  // Records a failure at byte `offset`, unless one is recorded already.
  void Fail(size_t offset, std::string_view problem);
  // Records a failure here.
  void Fail(std::string_view problem) { Fail(position_, problem); }
  // Takes over the failure of a cursor made by ReadRange, if it has one.
  void FailAs(const ByteCursor& part);

 private:
  std::span<const std::byte> file_;
  size_t position_ = 0;
  size_t end_ = 0;
  size_t error_offset_ = 0;
  std::string error_;
};

}  // namespace stead::frontend::mlir
