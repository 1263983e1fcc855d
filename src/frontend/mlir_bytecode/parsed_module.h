// An MLIR program as a tree of operations over value ids, whatever the dialects.
//   Input: made by ReadBytecode (reader.h) or from text (frontend/mlir_text).  Output: operations, their attributes by name,
//   the types of their values.
//   Value ids count through the whole file and every operand was defined before its use; that is all that is checked
//   here. Views and payloads point into the file's bytes, which must outlive the module.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "frontend/mlir_bytecode/attribute_pool.h"
#include "frontend/mlir_bytecode/op_table.h"

namespace stead::frontend::mlir {

using ValueId = Id<struct ValueTag>;
using OpNameId = Id<struct OpNameTag>;

struct OpName {
  std::string text;                          // "vhlo.add_v1"
  const OpProperties* properties = nullptr;  // nullptr when we know no row for it
};

struct Region;

struct Operation {
  OpNameId name_id;
  AttributeId location_id;
  AttributeId dictionary_id;  // the attributes outside the properties; may be none
  ByteRange properties;       // references to the properties, in the order of the op table; may be empty
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<Region> regions;
};

struct Block {
  std::vector<ValueId> arguments;
  std::vector<AttributeId> argument_locations;  // one per argument; may be none
  std::vector<Operation> operations;
};

struct Region {
  std::vector<Block> blocks;
};

struct ParsedModule {
  std::string_view producer;  // "StableHLO_v1.17.0"
  AttributePool pool;
  IdVector<OpNameId, OpName> op_names;
  IdVector<ValueId, TypeId> value_types;
  Operation root;  // builtin.module

  std::string_view name_of(const Operation& op) const { return op_names[op.name_id].text; }

  // The attribute `name` of the operation, from its properties or its dictionary; nothing when it has none.
  Result<std::optional<AttributeId>> FindAttribute(const Operation& op, std::string_view name) const;

  // The same as a `T`; nothing when the operation has none, an error when it is of another kind.
  template <typename T>
  Result<std::optional<T>> Find(const Operation& op, std::string_view name) const {
    TRY(std::optional<AttributeId> id, FindAttribute(op, name));
    if (!id) return std::optional<T>();
    TRY(T attribute, pool.Get<T>(*id));
    return std::optional<T>(std::move(attribute));
  }
};

}  // namespace stead::frontend::mlir
