// The outer structure of a bytecode file: its version, its sections, and the tables that operations refer to.
//   Input: the file's bytes.  Output: BytecodeTables with the range of the section of operations, which reader.cpp
//   reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute_pool.h"
#include "frontend/mlir_bytecode/parsed_module.h"

namespace stead::frontend::mlir {

// Versions of the format at which the encoding of something we read changed.
inline constexpr uint64_t kVersionDialectVersions = 1;
inline constexpr uint64_t kVersionLazyRegions = 2;
inline constexpr uint64_t kVersionUseListOrder = 3;
inline constexpr uint64_t kVersionElidedLocations = 4;
inline constexpr uint64_t kVersionProperties = 5;
inline constexpr uint64_t kNewestVersion = 6;

enum class SectionId : uint8_t {
  kString = 0,
  kDialect = 1,
  kAttributesAndTypes = 2,
  kOffsets = 3,
  kOperations = 4,
  kResource = 5,
  kResourceOffset = 6,
  kDialectVersions = 7,
  kProperties = 8,
};

struct Section {
  SectionId id = SectionId::kString;
  ByteCursor body;
};

struct BytecodeTables {
  uint64_t version = 0;
  std::string_view producer;
  AttributePool pool;
  IdVector<OpNameId, OpName> op_names;
  std::vector<bool> is_registered;    // by op name: its producer knew the operation, so its properties have a row
  std::vector<ByteRange> properties;  // what operations refer to as properties
  ByteRange operations;
};

// Reads one section header and skips the section; fails the cursor when the bytes hold none.
Section ReadSection(ByteCursor& cursor);

Result<BytecodeTables> ReadTables(std::span<const std::byte> file);

}  // namespace stead::frontend::mlir
