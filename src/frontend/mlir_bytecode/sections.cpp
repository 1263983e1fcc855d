#include "frontend/mlir_bytecode/sections.h"

#include <algorithm>
#include <array>
#include <optional>

#include "frontend/mlir_bytecode/reader.h"

namespace stead::frontend::mlir {

namespace {

constexpr std::array<std::byte, 4> kMagic = {std::byte{'M'}, std::byte{'L'}, std::byte{0xEF}, std::byte{'R'}};
constexpr size_t kSectionCount = 9;
using SectionBodies = std::array<std::optional<ByteCursor>, kSectionCount>;

std::optional<ByteCursor>& BodyOf(SectionBodies& bodies, SectionId id) { return bodies[static_cast<size_t>(id)]; }

SectionBodies ReadSectionBodies(ByteCursor& cursor) {
  SectionBodies bodies;
  while (cursor.ok() && !cursor.at_end()) {
    size_t start = cursor.offset();
    Section section = ReadSection(cursor);
    if (!cursor.ok()) break;
    std::optional<ByteCursor>& body = BodyOf(bodies, section.id);
    if (body) cursor.Fail(start, "a section is there twice");
    body = section.body;
  }
  for (SectionId needed : {SectionId::kString, SectionId::kDialect, SectionId::kAttributesAndTypes, SectionId::kOffsets,
                           SectionId::kOperations}) {
    if (!BodyOf(bodies, needed)) cursor.Fail(fmt::format("section {} is missing", static_cast<int>(needed)));
  }
  return bodies;
}

// Lengths of the strings, the last string first, then their bytes in order, each ended by a NUL.
std::vector<std::string_view> ReadStrings(ByteCursor& cursor, std::span<const std::byte> file) {
  std::vector<std::string_view> strings(cursor.ReadCount());
  std::vector<uint64_t> sizes(strings.size());
  for (size_t index = sizes.size(); index-- > 0;) sizes[index] = cursor.ReadVarint();
  for (size_t index = 0; index < strings.size(); ++index) {
    size_t start = cursor.offset();
    std::span<const std::byte> bytes = cursor.ReadBytes(sizes[index]);
    if (bytes.empty() || bytes.back() != std::byte{0}) {
      cursor.Fail(start, fmt::format("string {} does not end in NUL", index));
      break;
    }
    strings[index] = {reinterpret_cast<const char*>(file.data() + start), bytes.size() - 1};
  }
  return strings;
}

// Names of the dialects, then names of operations in groups of one dialect.
void ReadDialects(ByteCursor& cursor, BytecodeTables& tables) {
  size_t dialect_count = cursor.ReadCount();
  for (size_t dialect = 0; dialect < dialect_count && cursor.ok(); ++dialect) {
    uint64_t reference = cursor.ReadVarint();
    bool has_flag = tables.version >= kVersionDialectVersions;
    uint64_t name_index = has_flag ? reference >> 1 : reference;
    std::optional<std::string_view> name = tables.pool.StringAt(name_index);
    if (!name) return cursor.Fail("the name of a dialect is no string");
    if (has_flag && (reference & 1) != 0) ReadSection(cursor);
    tables.pool.AddDialect(*name);
  }
  if (tables.version >= kVersionElidedLocations) cursor.ReadVarint();  // total number of names, for reserving
  while (cursor.ok() && !cursor.at_end()) {
    DialectId dialect_id(cursor.ReadIndex(tables.pool.dialect_count(), "dialect"));
    size_t name_count = cursor.ReadCount();
    for (size_t name = 0; name < name_count && cursor.ok(); ++name) {
      uint64_t reference = cursor.ReadVarint();
      bool has_flag = tables.version >= kVersionProperties;
      std::optional<std::string_view> text = tables.pool.StringAt(has_flag ? reference >> 1 : reference);
      if (!cursor.ok()) return;
      if (!text) return cursor.Fail("the name of an operation is no string");
      std::string full_name = fmt::format("{}.{}", tables.pool.dialect(dialect_id), *text);
      const OpProperties* properties = FindOpProperties(full_name);
      tables.op_names.Add({std::move(full_name), properties});
      tables.is_registered.push_back(has_flag && (reference & 1) != 0);
    }
  }
}

// Sizes of the attributes, then of the types, in groups of one dialect; the entries lie back to back in `data`.
void ReadOffsets(ByteCursor& cursor, ByteCursor& data, AttributePool& pool) {
  size_t attribute_count = cursor.ReadCount();
  size_t total = attribute_count + cursor.ReadCount();
  for (size_t entry = 0; entry < total && cursor.ok();) {
    // A group never holds both attributes and types.
    size_t limit = entry < attribute_count ? attribute_count - entry : total - entry;
    DialectId dialect_id(cursor.ReadIndex(pool.dialect_count(), "dialect"));
    size_t group_start = cursor.offset();
    size_t group_size = cursor.ReadCount();
    if (group_size > limit) cursor.Fail(group_start, "more attributes or types than were announced");
    for (size_t member = 0; member < group_size && cursor.ok(); ++member, ++entry) {
      uint64_t coded = cursor.ReadVarint();
      size_t begin = data.offset();
      data.ReadBytes(coded >> 1);
      PoolEntry pool_entry{dialect_id, (coded & 1) == 0, {begin, data.offset()}};
      if (entry < attribute_count) {
        pool.AddAttribute(pool_entry);
      } else {
        pool.AddType(pool_entry);
      }
    }
  }
}

std::vector<ByteRange> ReadPropertyRanges(ByteCursor& cursor) {
  std::vector<ByteRange> ranges(cursor.ReadCount());
  for (ByteRange& range : ranges) {
    uint64_t size = cursor.ReadVarint();
    range.begin = cursor.offset();
    cursor.ReadBytes(size);
    range.end = cursor.offset();
    if (!cursor.ok()) range = {};
  }
  return ranges;
}

Status CheckVersion(uint64_t version) {
  if (version <= kNewestVersion) return {};
  return Unimplemented(
      fmt::format("MLIR bytecode version {} is newer than the newest we read, {}", version, kNewestVersion), {}, {},
      "serialize the program for an older version of StableHLO");
}

}  // namespace

bool IsMlirBytecode(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

Section ReadSection(ByteCursor& cursor) {
  constexpr uint8_t kIsAligned = 0x80;
  size_t start = cursor.offset();
  uint8_t header = cursor.ReadByte();
  uint64_t size = cursor.ReadVarint();
  if ((header & kIsAligned) != 0) cursor.Align(cursor.ReadVarint());
  uint8_t id = header & ~kIsAligned;
  if (id >= kSectionCount) {
    cursor.Fail(start, fmt::format("there is no section {}", id));
    return {};
  }
  return {static_cast<SectionId>(id), cursor.ReadRange(size)};
}

Result<BytecodeTables> ReadTables(std::span<const std::byte> file) {
  if (!IsMlirBytecode(file)) return MalformedBytecode(0, "the file does not begin with the magic number 'ML\\xEFR'");
  ByteCursor cursor(file, {kMagic.size(), file.size()});
  BytecodeTables tables;
  tables.version = cursor.ReadVarint();
  TRY_STATUS(CheckVersion(tables.version));
  tables.producer = cursor.ReadTerminatedText();
  SectionBodies bodies = ReadSectionBodies(cursor);
  TRY_STATUS(cursor.status());

  ByteCursor& strings = *BodyOf(bodies, SectionId::kString);
  tables.pool = AttributePool(file, ReadStrings(strings, file));
  TRY_STATUS(strings.status());
  ByteCursor& dialects = *BodyOf(bodies, SectionId::kDialect);
  ReadDialects(dialects, tables);
  TRY_STATUS(dialects.status());
  ByteCursor& offsets = *BodyOf(bodies, SectionId::kOffsets);
  ByteCursor& entries = *BodyOf(bodies, SectionId::kAttributesAndTypes);
  ReadOffsets(offsets, entries, tables.pool);
  TRY_STATUS(offsets.status());
  TRY_STATUS(entries.status());
  if (std::optional<ByteCursor>& properties = BodyOf(bodies, SectionId::kProperties)) {
    tables.properties = ReadPropertyRanges(*properties);
    TRY_STATUS(properties->status());
  }
  const ByteCursor& operations = *BodyOf(bodies, SectionId::kOperations);
  tables.operations = {operations.offset(), operations.offset() + operations.remaining()};
  return tables;
}

}  // namespace stead::frontend::mlir
