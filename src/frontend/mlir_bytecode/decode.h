// Decoders of the dialects we read, builtin, VHLO (with a type of StableHLO) and Shardy, and what their encodings share.
//   Input: a cursor over one entry of the pool.  Output: the Attribute or Type; a code without use for us gives
//   Unknown. Bytes that break the format fail the cursor.
#pragma once

#include "frontend/mlir_bytecode/attribute_pool.h"

namespace stead::frontend::mlir {

Attribute DecodeBuiltinAttribute(const AttributePool& pool, ByteCursor& cursor);
Type DecodeBuiltinType(const AttributePool& pool, ByteCursor& cursor);
Attribute DecodeVhloAttribute(const AttributePool& pool, ByteCursor& cursor);
Type DecodeVhloType(const AttributePool& pool, ByteCursor& cursor);
// Inside of Shardy's regions tokens have a type of their own.
Type DecodeStablehloType(ByteCursor& cursor);
Attribute DecodeShardyAttribute(const AttributePool& pool, ByteCursor& cursor);

// Encoded alike in both dialects, after the code.
DictionaryAttribute DecodeDictionary(const AttributePool& pool, ByteCursor& cursor);
IntegerAttribute DecodeInteger(const AttributePool& pool, ByteCursor& cursor);
FloatAttribute DecodeFloat(const AttributePool& pool, ByteCursor& cursor);
TensorAttribute DecodeTensor(const AttributePool& pool, ByteCursor& cursor);
Type DecodeTensorType(const AttributePool& pool, ByteCursor& cursor);
Type DecodeFunctionType(const AttributePool& pool, ByteCursor& cursor);

}  // namespace stead::frontend::mlir
