// Encodings of VHLO, the versioned form of StableHLO: comments in stablehlo/dialect/VhloBytecode.cpp list the codes.
#include <array>

#include "frontend/mlir_bytecode/decode.h"

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

struct ScalarType {
  uint64_t code;
  std::string_view name;
  int bit_width;
};

constexpr std::array<ScalarType, 30> kScalarTypes = {
    {{0, "bool", 1},           {2, "bf16", 16},     {3, "f16", 16},      {4, "f32", 32},        {5, "f64", 64},
     {6, "f8E4M3FN", 8},       {7, "f8E5M2", 8},    {9, "index", 64},    {10, "i4", 4},         {11, "i8", 8},
     {12, "i16", 16},          {13, "i32", 32},     {14, "i64", 64},     {15, "ui4", 4},        {16, "ui8", 8},
     {17, "ui16", 16},         {18, "ui32", 32},    {19, "ui64", 64},    {27, "f8E4M3FNUZ", 8}, {28, "f8E5M2FNUZ", 8},
     {29, "f8E4M3B11FNUZ", 8}, {31, "i2", 2},       {32, "ui2", 2},      {34, "tf32", 19},      {35, "f8E4M3", 8},
     {36, "f8E3M4", 8},        {37, "f4E2M1FN", 4}, {38, "f6E2M3FN", 6}, {39, "f6E3M2FN", 6},   {40, "f8E8M0FNU", 8}}};

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
    if (scalar.code == code) return {.kind = TypeKind::kScalar, .name = scalar.name, .bit_width = scalar.bit_width};
  }
  return {.kind = TypeKind::kUnknown, .name = "vhlo"};
}

}  // namespace stead::frontend::mlir
