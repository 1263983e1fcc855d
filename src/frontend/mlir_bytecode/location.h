// Where an operation came from in the user's program.
//   Input: the id of a location attribute.  Output: the name JAX gave the operation and the innermost place in a source
//   file. Never fails: a location of an unknown kind, or one too deeply nested, only says less.
#pragma once

#include <string_view>

#include "frontend/mlir_bytecode/attribute_pool.h"

namespace stead::frontend::mlir {

struct Location {
  std::string_view name;      // "jit(f)/jit(main)/sin", of an argument its name; empty when unknown
  std::string_view function;  // the function around the place; empty when unknown
  std::string_view file;      // empty when unknown
  int line = 0;               // from 1; 0 when unknown
  int column = 0;
};

Location DecodeLocation(const AttributePool& pool, AttributeId id);

}  // namespace stead::frontend::mlir
