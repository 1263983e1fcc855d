// Types: "tensor<8x?xf32, #encoding>", "complex<f32>", "!stablehlo.token", "(i32) -> (i32, i32)".
#include <algorithm>

#include "frontend/mlir_bytecode/scalar_types.h"
#include "frontend/mlir_text/attribute_reader.h"
#include "frontend/mlir_text/depth_guard.h"

namespace stead::frontend::mlir {

namespace {

constexpr int kMaximumTypeDepth = 64;
// The elements of a constant stand in as many brackets.
constexpr size_t kMaximumRank = 128;

// The name under which VHLO knows a scalar type: "bool" of "i1", "i32" of "si32".
std::string_view VhloName(std::string_view name) {
  if (name == "i1") return "bool";
  return name.starts_with("si") ? name.substr(1) : name;
}

}  // namespace

Result<TypeId> AttributeReader::ReadType() {
  const size_t begin = cursor_.Next();
  TRY(TypeId id, ReadTypeUncached());
  // One id for each spelling, so that what is known of a type is found again.
  return types_.emplace(cursor_.text().substr(begin, cursor_.offset() - begin), id).first->second;
}

Result<TypeId> AttributeReader::ReadTypeUncached() {
  DepthGuard guard(depth_);
  TRY_STATUS(guard.Check(cursor_, "types", kMaximumTypeDepth));
  if (cursor_.Peek() == '(') {
    TRY(Type function, ReadFunctionType());
    return pool_.Add(std::move(function));
  }
  if (cursor_.Peek() == '!') {
    TRY(Type type, ReadDialectType());
    const auto alias = type.kind == TypeKind::kUnknown ? type_aliases_.find(type.name) : type_aliases_.end();
    return alias != type_aliases_.end() ? alias->second : pool_.Add(std::move(type));
  }
  const size_t start = cursor_.Next();
  TRY(std::string_view word, cursor_.ReadWord("a type"));
  if (word == "tensor" || word == "vector" || word == "memref") {
    TRY(Type shaped, ReadShapedType(word == "tensor"   ? TypeKind::kTensor
                                    : word == "vector" ? TypeKind::kVector
                                                       : TypeKind::kMemref));
    return pool_.Add(std::move(shaped));
  }
  if (word == "complex") {
    TRY_STATUS(cursor_.Expect("<"));
    TRY(TypeId part, ReadType());
    TRY_STATUS(cursor_.Expect(">"));
    return pool_.Add(Type{.kind = TypeKind::kComplex, .parts = {part}});
  }
  if (word == "tuple") {
    TRY_STATUS(cursor_.Expect("<"));
    TRY(std::vector<TypeId> parts, ReadTypeList(">"));
    return pool_.Add(Type{.kind = TypeKind::kTuple, .parts = std::move(parts)});
  }
  if (word == "none") return pool_.Add(Type{.kind = TypeKind::kNone});
  const TypeId scalar = ScalarNamed(word);
  if (scalar.valid()) return scalar;
  return cursor_.ErrorAt(start, "`" + std::string(word) + "` is no type");
}

TypeId AttributeReader::ScalarNamed(std::string_view name) {
  const std::string_view wanted = VhloName(name);
  const auto known = types_.find(wanted);
  if (known != types_.end()) return known->second;
  for (const ScalarType& scalar : kScalarTypes) {
    if (scalar.name == wanted) return types_.emplace(scalar.name, pool_.Add(AsType(scalar))).first->second;
  }
  return TypeId();
}

// Dimensions are no words of their own: "8x16xf32".
Result<Type> AttributeReader::ReadShapedType(TypeKind kind) {
  Type shaped{.kind = kind};
  TRY_STATUS(cursor_.Expect("<"));
  while (cursor_.Peek() == '?' || cursor_.SeesInteger()) {
    int64_t size = kDynamicDimension;
    if (!cursor_.TryConsume("?")) {
      TRY(size, cursor_.ReadInteger("a dimension"));
    }
    shaped.dimensions.push_back(size);
    if (shaped.dimensions.size() > kMaximumRank) return cursor_.Unexpected("an array of fewer dimensions");
    TRY_STATUS(cursor_.Expect("x"));
  }
  TRY(TypeId element, ReadType());
  shaped.parts = {element};
  while (cursor_.TryConsume(",")) {
    TRY([[maybe_unused]] AttributeId encoding, ReadAttribute());
  }
  TRY_STATUS(cursor_.Expect(">"));
  return shaped;
}

Result<std::vector<TypeId>> AttributeReader::ReadTypeList(std::string_view closing) {
  std::vector<TypeId> types;
  if (cursor_.TryConsume(closing)) return types;
  do {
    TRY(TypeId type, ReadType());
    types.push_back(type);
  } while (cursor_.TryConsume(","));
  TRY_STATUS(cursor_.Expect(closing));
  return types;
}

Result<Type> AttributeReader::ReadFunctionType() {
  TRY_STATUS(cursor_.Expect("("));
  TRY(std::vector<TypeId> inputs, ReadTypeList(")"));
  TRY_STATUS(cursor_.Expect("->"));
  Type function{.kind = TypeKind::kFunction, .parts = std::move(inputs)};
  function.input_count = function.parts.size();
  if (cursor_.TryConsume("(")) {
    TRY(std::vector<TypeId> results, ReadTypeList(")"));
    function.parts.insert(function.parts.end(), results.begin(), results.end());
  } else {
    TRY(TypeId result, ReadType());
    function.parts.push_back(result);
  }
  return function;
}

// Of the dialects' types only tokens mean something here; others are skipped by their brackets.
Result<Type> AttributeReader::ReadDialectType() {
  TRY(std::string_view name, cursor_.ReadMarked('!', "a type"));
  if (name == "stablehlo.token" || name == "mhlo.token") return Type{.kind = TypeKind::kToken};
  if (cursor_.offset() < cursor_.text().size() && cursor_.text()[cursor_.offset()] == '<') {
    TRY([[maybe_unused]] std::string_view contents, cursor_.SkipBalanced());
  }
  return Type{.kind = TypeKind::kUnknown, .name = name};
}

}  // namespace stead::frontend::mlir
