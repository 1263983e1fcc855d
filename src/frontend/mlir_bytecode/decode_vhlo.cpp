// Encodings of VHLO, the versioned form of StableHLO: comments in stablehlo/dialect/VhloBytecode.cpp list the codes.
#include "frontend/mlir_bytecode/decode.h"
#include "frontend/mlir_bytecode/scalar_types.h"

namespace stead::frontend::mlir {

namespace {

enum class VhloAttribute : uint64_t {
  kArray = 1,
  kBool = 2,
  kComparisonDirection = 3,
  kComparisonType = 4,
  kCustomCallVersion = 5,
  kDictionary = 6,
  kFftType = 7,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kPrecision = 11,
  kRngAlgorithm = 12,
  kRngDistribution = 13,
  kString = 14,
  kTensor = 15,
  kTranspose = 16,
  kType = 17,
};

enum class VhloType : uint64_t {
  kComplex = 1,
  kFunction = 8,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kToken = 22,
  kTuple = 23,
  kNone = 33,
};

OutputOperandAliasAttribute DecodeOutputOperandAlias(ByteCursor& cursor) {
  OutputOperandAliasAttribute alias;
  alias.output_tuple_indices = cursor.ReadSignedVarints();
  alias.operand_index = cursor.ReadSignedVarint();
  alias.operand_tuple_indices = cursor.ReadSignedVarints();
  return alias;
}

}  // namespace

Attribute DecodeVhloAttribute(const AttributePool& pool, ByteCursor& cursor) {
  uint64_t code = cursor.ReadVarint();
  using enum VhloAttribute;
  switch (VhloAttribute(code)) {
    case kArray: return ArrayAttribute{pool.ReadAttributeIds(cursor)};
    case kBool: return IntegerAttribute{TypeId(), cursor.ReadVarint() != 0};
    case kComparisonDirection: return EnumAttribute{EnumKind::kComparisonDirection, cursor.ReadVarint()};
    case kComparisonType: return EnumAttribute{EnumKind::kComparisonType, cursor.ReadVarint()};
    case kCustomCallVersion: return EnumAttribute{EnumKind::kCustomCallVersion, cursor.ReadVarint()};
    case kDictionary: return DecodeDictionary(pool, cursor);
    case kFftType: return EnumAttribute{EnumKind::kFftType, cursor.ReadVarint()};
    case kFloat: return DecodeFloat(pool, cursor);
    case kInteger: return DecodeInteger(pool, cursor);
    case kOutputOperandAlias: return DecodeOutputOperandAlias(cursor);
    case kPrecision: return EnumAttribute{EnumKind::kPrecision, cursor.ReadVarint()};
    case kRngAlgorithm: return EnumAttribute{EnumKind::kRngAlgorithm, cursor.ReadVarint()};
    case kRngDistribution: return EnumAttribute{EnumKind::kRngDistribution, cursor.ReadVarint()};
    case kString: return StringAttribute{pool.ReadString(cursor)};
    case kTensor: return DecodeTensor(pool, cursor);
    case kTranspose: return EnumAttribute{EnumKind::kTranspose, cursor.ReadVarint()};
    case kType: return TypeAttribute{pool.ReadTypeId(cursor)};
    default: return UnknownAttribute{"vhlo", code};
  }
}

Type DecodeVhloType(const AttributePool& pool, ByteCursor& cursor) {
  uint64_t code = cursor.ReadVarint();
  using enum VhloType;
  switch (VhloType(code)) {
    case kComplex: return {.kind = TypeKind::kComplex, .parts = {pool.ReadTypeId(cursor)}};
    case kFunction: return DecodeFunctionType(pool, cursor);
    case kRankedTensorWithEncoding: pool.ReadAttributeId(cursor); return DecodeTensorType(pool, cursor);
    case kRankedTensor: return DecodeTensorType(pool, cursor);
    case kToken: return {.kind = TypeKind::kToken};
    case kTuple: return {.kind = TypeKind::kTuple, .parts = pool.ReadTypeIds(cursor)};
    case kNone: return {.kind = TypeKind::kNone};
    default: break;
  }
  for (const ScalarType& scalar : kScalarTypes) {
    if (scalar.code == code) return AsType(scalar);
  }
  return {.kind = TypeKind::kUnknown, .name = "vhlo"};
}

Type DecodeStablehloType(ByteCursor& cursor) {
  constexpr uint64_t kStablehloToken = 0;
  if (cursor.ReadVarint() == kStablehloToken) return {.kind = TypeKind::kToken};
  return {.kind = TypeKind::kUnknown, .name = "stablehlo"};
}

}  // namespace stead::frontend::mlir
