// Numbers of MLIR assembly -> the packed form that VHLO keeps them in: little endian, one element where all are equal, bools
// 8 to a byte, other elements narrower than a byte one to a byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/attribute.h"
#include "frontend/mlir_text/text_cursor.h"

namespace stead::frontend::mlir {

bool IsFloatType(const Type& scalar);

// The bits of one number, of at most 64 bits. `start`: where it stands, for errors.
//   Floats are given in decimal, and rounded as MLIR does it (to f64 first), or as their bits in hexadecimal.
Result<uint64_t> NumberBits(TextCursor& cursor, size_t start, std::string_view number, const Type& scalar);

// What an array constant is made of.
struct DenseShape {
  Type element;  // a scalar; of a complex number, its parts' type
  bool is_complex = false;
  std::vector<int64_t> dimensions;
};

// The payload of "dense<...>", from what stands between the brackets: `length` characters from the cursor on.
//   RETURNS an error when its numbers are not as many as the shape has elements.
Result<std::string> ReadDensePayload(TextCursor& cursor, size_t length, const DenseShape& shape);

// The payload of one float, rounded to the type, which must be one of StableHLO's.
std::string PackFloat(double value, const Type& scalar);

// The payload of a list of integers or bools.
std::string PackIntegers(const std::vector<int64_t>& values, const Type& element);

}  // namespace stead::frontend::mlir
