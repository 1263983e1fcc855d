// The section of operations. Values are numbered per scope: a scope begins at an operation whose regions are isolated
// from above, numbers count through its blocks in order, and a region nested in it borrows the numbers after all those
// of the regions around it, which its siblings use again. Here every value also gets an id of its own that is never
// used again.
#include "frontend/mlir_bytecode/reader.h"

#include <utility>

#include "frontend/mlir_bytecode/sections.h"

namespace stead::frontend::mlir {

namespace {

constexpr int kMaximumRegionDepth = 200;

enum OperationMask : uint8_t {
  kHasDictionary = 0x01,
  kHasResults = 0x02,
  kHasOperands = 0x04,
  kHasSuccessors = 0x08,
  kHasRegions = 0x10,
  kHasUseListOrders = 0x20,
  kHasProperties = 0x40,
};

// The numbers of one isolated scope. Memory follows the values defined, not those announced, which a file can make large.
class ValueScope {
 public:
  void EnterRegion(size_t value_count) { regions_.push_back({size(), value_count, {}}); }
  void LeaveRegion() { regions_.pop_back(); }
  // False when the region announced fewer values.
  bool Define(ValueId id) {
    if (regions_.empty() || regions_.back().defined.size() >= regions_.back().value_count) return false;
    regions_.back().defined.push_back(id);
    return true;
  }
  // Numbers in use by the open regions.
  size_t size() const { return regions_.empty() ? 0 : regions_.back().first_number + regions_.back().value_count; }
  // None when the value comes later. REQUIRES: number < size().
  ValueId at(size_t number) const {
    auto region = regions_.rbegin();
    while (number < region->first_number) ++region;
    size_t position = number - region->first_number;
    return position < region->defined.size() ? region->defined[position] : ValueId();
  }

 private:
  struct OpenRegion {
    size_t first_number, value_count;
    std::vector<ValueId> defined;
  };
  std::vector<OpenRegion> regions_;
};

class OperationReader {
 public:
  OperationReader(std::span<const std::byte> file, const BytecodeTables& tables) : file_(file), tables_(tables) {}

  // The one operation of the outermost block.
  Result<Operation> ReadRoot();
  IdVector<ValueId, TypeId> TakeValueTypes() { return std::move(value_types_); }

 private:
  Operation ReadOperation(ByteCursor& cursor, ValueScope& scope);
  void ReadAttributes(ByteCursor& cursor, uint8_t mask, Operation& op);
  void ReadResults(ByteCursor& cursor, ValueScope& scope, Operation& op);
  void ReadOperands(ByteCursor& cursor, const ValueScope& scope, Operation& op);
  void ReadRegions(ByteCursor& cursor, ValueScope& scope, Operation& op);
  std::vector<Region> ReadRegionList(ByteCursor& cursor, ValueScope& scope, size_t count);
  Region ReadRegion(ByteCursor& cursor, ValueScope& scope);
  Block ReadBlock(ByteCursor& cursor, ValueScope& scope);
  void ReadBlockArguments(ByteCursor& cursor, ValueScope& scope, Block& block);
  void SkipUseListOrders(ByteCursor& cursor, size_t value_count);
  ValueId DefineValue(ByteCursor& cursor, ValueScope& scope, TypeId type_id);

  std::span<const std::byte> file_;
  const BytecodeTables& tables_;
  IdVector<ValueId, TypeId> value_types_;
  int depth_ = 0;
};

ValueId OperationReader::DefineValue(ByteCursor& cursor, ValueScope& scope, TypeId type_id) {
  if (!cursor.ok()) return ValueId();
  ValueId id = value_types_.Add(type_id);
  if (!scope.Define(id)) cursor.Fail("a region holds more values than it announced");
  return id;
}

void OperationReader::ReadAttributes(ByteCursor& cursor, uint8_t mask, Operation& op) {
  op.location_id = tables_.pool.ReadAttributeId(cursor);
  if ((mask & kHasDictionary) != 0) op.dictionary_id = tables_.pool.ReadAttributeId(cursor);
  if ((mask & kHasProperties) == 0) return;
  size_t index = cursor.ReadIndex(tables_.properties.size(), "property record");
  if (!cursor.ok()) return;
  op.properties = tables_.properties[index];
  if (tables_.is_registered[op.name_id.index()]) return;
  // An operation that its producer did not know keeps its properties as one dictionary.
  ByteCursor record(file_, std::exchange(op.properties, ByteRange{}));
  AttributeId dictionary_id = tables_.pool.ReadAttributeId(record);
  if (!op.dictionary_id.valid()) op.dictionary_id = dictionary_id;
}

void OperationReader::ReadResults(ByteCursor& cursor, ValueScope& scope, Operation& op) {
  size_t count = cursor.ReadCount();
  for (size_t result = 0; result < count && cursor.ok(); ++result) {
    TypeId type_id = tables_.pool.ReadTypeId(cursor);
    op.results.push_back(DefineValue(cursor, scope, type_id));
  }
}

void OperationReader::ReadOperands(ByteCursor& cursor, const ValueScope& scope, Operation& op) {
  size_t count = cursor.ReadCount();
  for (size_t operand = 0; operand < count && cursor.ok(); ++operand) {
    size_t start = cursor.offset();
    size_t number = cursor.ReadIndex(scope.size(), "value");
    if (!cursor.ok()) return;
    ValueId id = scope.at(number);
    if (!id.valid()) cursor.Fail(start, fmt::format("value {} is used before it is defined", number));
    op.operands.push_back(id);
  }
}

// The order of the users of each value; nothing here depends on it.
void OperationReader::SkipUseListOrders(ByteCursor& cursor, size_t value_count) {
  size_t record_count = value_count == 1 ? 1 : cursor.ReadCount();
  for (size_t record = 0; record < record_count && cursor.ok(); ++record) {
    if (value_count != 1) cursor.ReadVarint();  // which value
    size_t start = cursor.offset();
    uint64_t number_count = cursor.ReadVarint() >> 1;
    if (number_count > cursor.remaining()) return cursor.Fail(start, "an order of users is longer than the file");
    for (uint64_t number = 0; number < number_count && cursor.ok(); ++number) cursor.ReadVarint();
  }
}

Operation OperationReader::ReadOperation(ByteCursor& cursor, ValueScope& scope) {
  Operation op;
  op.name_id = OpNameId(cursor.ReadIndex(tables_.op_names.size(), "operation name"));
  uint8_t mask = cursor.ReadByte();
  if (!cursor.ok()) return op;
  ReadAttributes(cursor, mask, op);
  if ((mask & kHasResults) != 0) ReadResults(cursor, scope, op);
  if ((mask & kHasOperands) != 0) ReadOperands(cursor, scope, op);
  if ((mask & kHasSuccessors) != 0) cursor.Fail("an operation has successor blocks, which no dialect we read uses");
  if ((mask & kHasUseListOrders) != 0) SkipUseListOrders(cursor, op.results.size());
  if ((mask & kHasRegions) != 0) ReadRegions(cursor, scope, op);
  return op;
}

void OperationReader::ReadRegions(ByteCursor& cursor, ValueScope& scope, Operation& op) {
  size_t start = cursor.offset();
  uint64_t header = cursor.ReadVarint();
  bool is_isolated = (header & 1) != 0;
  uint64_t count = header >> 1;
  if (depth_ >= kMaximumRegionDepth)
    return cursor.Fail(start, fmt::format("regions are nested deeper than {}", kMaximumRegionDepth));
  if (count > cursor.remaining()) return cursor.Fail(start, "an operation has more regions than the file has bytes");
  ++depth_;
  if (!is_isolated) {
    op.regions = ReadRegionList(cursor, scope, count);
  } else {
    ValueScope inner;
    if (tables_.version < kVersionLazyRegions) {
      op.regions = ReadRegionList(cursor, inner, count);
    } else {
      Section section = ReadSection(cursor);
      if (cursor.ok() && section.id != SectionId::kOperations)
        cursor.Fail(start, "isolated regions lie in no section 4");
      op.regions = ReadRegionList(section.body, inner, count);
      cursor.FailAs(section.body);
    }
  }
  --depth_;
}

std::vector<Region> OperationReader::ReadRegionList(ByteCursor& cursor, ValueScope& scope, size_t count) {
  std::vector<Region> regions;
  for (size_t region = 0; region < count && cursor.ok(); ++region) regions.push_back(ReadRegion(cursor, scope));
  return regions;
}

Region OperationReader::ReadRegion(ByteCursor& cursor, ValueScope& scope) {
  Region region;
  size_t block_count = cursor.ReadCount();
  if (block_count == 0) return region;
  // Each value takes at least the byte of its type.
  scope.EnterRegion(cursor.ReadCount());
  for (size_t block = 0; block < block_count && cursor.ok(); ++block) region.blocks.push_back(ReadBlock(cursor, scope));
  scope.LeaveRegion();
  return region;
}

Block OperationReader::ReadBlock(ByteCursor& cursor, ValueScope& scope) {
  Block block;
  size_t start = cursor.offset();
  uint64_t header = cursor.ReadVarint();
  uint64_t operation_count = header >> 1;
  if ((header & 1) != 0) ReadBlockArguments(cursor, scope, block);
  if (operation_count > cursor.remaining()) cursor.Fail(start, "a block has more operations than the file has bytes");
  for (uint64_t op = 0; op < operation_count && cursor.ok(); ++op)
    block.operations.push_back(ReadOperation(cursor, scope));
  return block;
}

void OperationReader::ReadBlockArguments(ByteCursor& cursor, ValueScope& scope, Block& block) {
  size_t count = cursor.ReadCount();
  for (size_t argument = 0; argument < count && cursor.ok(); ++argument) {
    bool has_location = true;
    TypeId type_id;
    if (tables_.version < kVersionElidedLocations) {
      type_id = tables_.pool.ReadTypeId(cursor);
    } else {
      size_t start = cursor.offset();
      uint64_t reference = cursor.ReadVarint();
      has_location = (reference & 1) != 0;
      if (reference >> 1 >= tables_.pool.type_count())
        cursor.Fail(start, "the type of a block argument does not exist");
      type_id = TypeId(reference >> 1);
    }
    block.argument_locations.push_back(has_location ? tables_.pool.ReadAttributeId(cursor) : AttributeId());
    block.arguments.push_back(DefineValue(cursor, scope, type_id));
  }
  if (tables_.version >= kVersionUseListOrder && cursor.ReadByte() != 0) {
    SkipUseListOrders(cursor, block.arguments.size());
  }
}

Result<Operation> OperationReader::ReadRoot() {
  ByteCursor cursor(file_, tables_.operations);
  ValueScope scope;
  size_t start = cursor.offset();
  Block block = ReadBlock(cursor, scope);
  TRY_STATUS(cursor.status());
  if (block.operations.size() != 1) {
    return MalformedBytecode(start,
                             fmt::format("{} outermost operations, expected one module", block.operations.size()));
  }
  return std::move(block.operations.front());
}

}  // namespace

Result<ParsedModule> ReadBytecode(std::span<const std::byte> bytes) {
  TRY(BytecodeTables tables, ReadTables(bytes));
  OperationReader reader(bytes, tables);
  TRY(Operation root, reader.ReadRoot());
  ParsedModule module;
  module.value_types = reader.TakeValueTypes();
  module.root = std::move(root);
  module.producer = tables.producer;
  module.pool = std::move(tables.pool);
  module.op_names = std::move(tables.op_names);
  return module;
}

}  // namespace stead::frontend::mlir
