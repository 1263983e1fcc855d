// Encodings of MLIR's builtin dialect: mlir/lib/IR/BuiltinDialectBytecode.td, including the file range location (code
// 22) that LLVM releases before 20 do not know.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "frontend/mlir_bytecode/decode.h"

namespace stead::frontend::mlir {

namespace {

enum class BuiltinAttribute : uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kStringWithType = 3,
  kFlatSymbol = 4,
  kNestedSymbol = 5,
  kType = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSiteLocation = 10,
  kFileLineColumnLocation = 11,
  kFusedLocation = 12,
  kFusedLocationWithMetadata = 13,
  kNameLocation = 14,
  kUnknownLocation = 15,
  kDenseArray = 17,
  kDenseElements = 18,
  kFileRangeLocation = 22,
};

enum class BuiltinType : uint64_t {
  kIntegerType = 0,
  kIndexType = 1,
  kFunctionType = 2,
  kBf16 = 3,
  kF16 = 4,
  kF32 = 5,
  kF64 = 6,
  kComplex = 9,
  kMemref = 10,
  kMemrefWithSpace = 11,
  kNone = 12,
  kRankedTensor = 13,
  kRankedTensorWithEncoding = 14,
  kTuple = 15,
  kVector = 19,
};

// The filename, then a list of numbers: start line, start column, end line, end column, cut off where they say nothing
// new.
FileLocation DecodeFileRange(const AttributePool& pool, ByteCursor& cursor) {
  FileLocation location{.file = pool.ReadStringAttribute(cursor)};
  size_t count = cursor.ReadCount();
  if (count > 0) location.line = cursor.ReadVarint();
  if (count > 1) location.column = cursor.ReadVarint();
  return location;
}

// The name under which VHLO knows the integer type, so that both dialects give one spelling.
Type DecodeIntegerType(ByteCursor& cursor) {
  struct Integer {
    int width;
    std::string_view signless, is_unsigned;
  };
  static constexpr std::array<Integer, 7> kIntegers = {{{1, "bool", "bool"},
                                                        {2, "i2", "ui2"},
                                                        {4, "i4", "ui4"},
                                                        {8, "i8", "ui8"},
                                                        {16, "i16", "ui16"},
                                                        {32, "i32", "ui32"},
                                                        {64, "i64", "ui64"}}};
  constexpr uint64_t kUnsignedMark = 2;
  uint64_t coded = cursor.ReadVarint();
  uint64_t width = coded >> 2;
  auto found = std::find_if(kIntegers.begin(), kIntegers.end(),
                            [&](const Integer& integer) { return static_cast<uint64_t>(integer.width) == width; });
  if (found == kIntegers.end()) return {.kind = TypeKind::kUnknown, .name = "builtin"};
  bool is_unsigned = (coded & 3) == kUnsignedMark;
  return {
      .kind = TypeKind::kScalar, .name = is_unsigned ? found->is_unsigned : found->signless, .bit_width = found->width};
}

// A list of integers of one width, or of bools, a byte each; lists of floats stay unknown: nothing that is read here has them.
Attribute DecodeDenseArray(const AttributePool& pool, ByteCursor& cursor) {
  const Attribute unknown = UnknownAttribute{"builtin", static_cast<uint64_t>(BuiltinAttribute::kDenseArray)};
  TypeId type_id = pool.ReadTypeId(cursor);
  uint64_t count = cursor.ReadVarint();
  std::span<const std::byte> payload = cursor.ReadBlob();
  if (!cursor.ok()) return unknown;
  Result<Type> type = pool.type(type_id);
  if (!type.ok() || !(type->name == "bool" || type->name.starts_with('i')) || type->bit_width > 64) return unknown;
  const size_t width = static_cast<size_t>(type->bit_width + 7) / 8;
  if (width == 0 || payload.size() % width != 0 || payload.size() / width != count) return unknown;
  IntegersAttribute integers;
  for (size_t begin = 0; begin < payload.size(); begin += width) {
    uint64_t value = 0;
    std::memcpy(&value, &payload[begin], width);
    const int unused_bits = 64 - 8 * static_cast<int>(width);
    integers.values.push_back(static_cast<int64_t>(value << unused_bits) >> unused_bits);
  }
  return integers;
}

// What lies between element type and space is a layout, which is text: the identity wherever JAX writes it.
Type DecodeMemref(const AttributePool& pool, ByteCursor& cursor, bool has_space) {
  if (has_space) pool.ReadAttributeId(cursor);
  Type memref = DecodeTensorType(pool, cursor);
  memref.kind = TypeKind::kMemref;
  pool.ReadAttributeId(cursor);
  return memref;
}

// Locations; none when `code` is something else.
std::optional<Attribute> DecodeLocation(uint64_t code, const AttributePool& pool, ByteCursor& cursor) {
  using enum BuiltinAttribute;
  switch (BuiltinAttribute(code)) {
    case kCallSiteLocation: {
      AttributeId callee = pool.ReadAttributeId(cursor);
      return CallSiteLocation{callee, pool.ReadAttributeId(cursor)};
    }
    case kFileLineColumnLocation: {
      std::string_view file = pool.ReadStringAttribute(cursor);
      uint64_t line = cursor.ReadVarint();
      return FileLocation{file, line, cursor.ReadVarint()};
    }
    case kFileRangeLocation: return DecodeFileRange(pool, cursor);
    case kFusedLocation:
    case kFusedLocationWithMetadata: return FusedLocation{pool.ReadAttributeIds(cursor)};
    case kNameLocation: {
      std::string_view name = pool.ReadStringAttribute(cursor);
      return NameLocation{name, pool.ReadAttributeId(cursor)};
    }
    case kUnknownLocation: return UnitAttribute{};
    default: return std::nullopt;
  }
}

}  // namespace

Attribute DecodeBuiltinAttribute(const AttributePool& pool, ByteCursor& cursor) {
  uint64_t code = cursor.ReadVarint();
  if (std::optional<Attribute> location = DecodeLocation(code, pool, cursor)) return *location;
  using enum BuiltinAttribute;
  switch (BuiltinAttribute(code)) {
    case kArray: return ArrayAttribute{pool.ReadAttributeIds(cursor)};
    case kDictionary: return DecodeDictionary(pool, cursor);
    case kString:
    case kStringWithType: return StringAttribute{pool.ReadString(cursor)};
    case kFlatSymbol:
    case kNestedSymbol: return StringAttribute{pool.ReadStringAttribute(cursor)};
    case kType: return TypeAttribute{pool.ReadTypeId(cursor)};
    case kUnit: return UnitAttribute{};
    case kInteger: return DecodeInteger(pool, cursor);
    case kFloat: return DecodeFloat(pool, cursor);
    case kDenseArray: return DecodeDenseArray(pool, cursor);
    case kDenseElements: return DecodeTensor(pool, cursor);
    default: return UnknownAttribute{"builtin", code};
  }
}

Type DecodeBuiltinType(const AttributePool& pool, ByteCursor& cursor) {
  uint64_t code = cursor.ReadVarint();
  using enum BuiltinType;
  switch (BuiltinType(code)) {
    case kIntegerType: return DecodeIntegerType(cursor);
    case kIndexType: return {.kind = TypeKind::kScalar, .name = "index", .bit_width = 64};
    case kFunctionType: return DecodeFunctionType(pool, cursor);
    case kBf16: return {.kind = TypeKind::kScalar, .name = "bf16", .bit_width = 16};
    case kF16: return {.kind = TypeKind::kScalar, .name = "f16", .bit_width = 16};
    case kF32: return {.kind = TypeKind::kScalar, .name = "f32", .bit_width = 32};
    case kF64: return {.kind = TypeKind::kScalar, .name = "f64", .bit_width = 64};
    case kComplex: return {.kind = TypeKind::kComplex, .parts = {pool.ReadTypeId(cursor)}};
    case kNone: return {.kind = TypeKind::kNone};
    case kRankedTensorWithEncoding: pool.ReadAttributeId(cursor); return DecodeTensorType(pool, cursor);
    case kRankedTensor: return DecodeTensorType(pool, cursor);
    case kMemref: return DecodeMemref(pool, cursor, false);
    case kMemrefWithSpace: return DecodeMemref(pool, cursor, true);
    case kVector: {
      Type vector = DecodeTensorType(pool, cursor);
      vector.kind = TypeKind::kVector;
      return vector;
    }
    case kTuple: return {.kind = TypeKind::kTuple, .parts = pool.ReadTypeIds(cursor)};
    default: return {.kind = TypeKind::kUnknown, .name = "builtin"};
  }
}

}  // namespace stead::frontend::mlir
