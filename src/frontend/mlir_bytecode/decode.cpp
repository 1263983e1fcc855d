#include "frontend/mlir_bytecode/decode.h"

namespace stead::frontend::mlir {

DictionaryAttribute DecodeDictionary(const AttributePool& pool, ByteCursor& cursor) {
  DictionaryAttribute dictionary;
  size_t count = cursor.ReadCount();
  for (size_t entry = 0; entry < count && cursor.ok(); ++entry) {
    std::string_view name = pool.ReadStringAttribute(cursor);
    dictionary.entries.push_back({name, pool.ReadAttributeId(cursor)});
  }
  return dictionary;
}

IntegerAttribute DecodeInteger(const AttributePool& pool, ByteCursor& cursor) {
  TypeId type_id = pool.ReadTypeId(cursor);
  return {type_id, pool.ReadInteger(cursor, type_id)};
}

FloatAttribute DecodeFloat(const AttributePool& pool, ByteCursor& cursor) {
  TypeId type_id = pool.ReadTypeId(cursor);
  return {type_id, pool.ReadFloatBits(cursor, type_id)};
}

TensorAttribute DecodeTensor(const AttributePool& pool, ByteCursor& cursor) {
  TypeId type_id = pool.ReadTypeId(cursor);
  return {type_id, cursor.ReadBlob()};
}

Type DecodeTensorType(const AttributePool& pool, ByteCursor& cursor) {
  Type tensor{.kind = TypeKind::kTensor, .dimensions = cursor.ReadSignedVarints()};
  tensor.parts = {pool.ReadTypeId(cursor)};
  return tensor;
}

Type DecodeFunctionType(const AttributePool& pool, ByteCursor& cursor) {
  Type function{.kind = TypeKind::kFunction, .parts = pool.ReadTypeIds(cursor)};
  function.input_count = function.parts.size();
  std::vector<TypeId> results = pool.ReadTypeIds(cursor);
  function.parts.insert(function.parts.end(), results.begin(), results.end());
  return function;
}

}  // namespace stead::frontend::mlir
