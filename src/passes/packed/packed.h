// Arrays of elements below 8 bits and the bytes that they are packed into, as HLO says it: the first element of a byte has its
// lowest bits.
//   s4[4,6] <-> u8[4,3]: rows of whole bytes keep their dimensions. s4[3,3] <-> u8[5]: others lie in one line, the unused bits
//   of the last byte 0. All arrays here are row major.
#pragma once

#include <cstdint>

#include "passes/rewrite/build.h"

namespace stead::passes {

// Elements that a byte holds; 1 for types that fill bytes.
int64_t ElementsPerByte(ir::ElementType type);
// True when the elements do not fill bytes, but each row does.
bool HasRowsOfBytes(const ir::Shape& shape);

// The bytes that hold an array of this shape.
ir::Shape BytesShape(const ir::Shape& shape);
// The elements of `bytes`, which holds `shape` packed. REQUIRES: a shape that can be packed.
ir::InstrId Unpack(Builder& build, ir::InstrId bytes, const ir::Shape& shape);
// The bytes of a value, those that it was unpacked from if so. REQUIRES: a value that can be packed.
ir::InstrId Pack(Builder& build, ir::InstrId value);

// The array of bytes that `value` is unpacked from, without what only names its elements anew; none for other values.
ir::InstrId SourceBytes(const ir::Module& module, ir::InstrId value);
// True when the value is nothing but unpacked bytes, which Pack gives back.
bool IsUnpacked(const ir::Module& module, ir::InstrId value);

}  // namespace stead::passes
