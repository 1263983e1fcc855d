// The types of array elements and their facts, generated from element_type.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stead::ir {

enum class ElementType : uint8_t {
#define ELEMENT(enumerator, name, bits, type_class, number) enumerator,
#include "ir/number/element_type.def"
#undef ELEMENT
};

enum class ElementClass : uint8_t { kBoolean, kSigned, kUnsigned, kFloat, kComplex };

// "f32" and so on.
std::string_view ElementTypeName(ElementType type);
std::optional<ElementType> ElementTypeFromName(std::string_view name);
// Bits that a value needs by its definition: 4 for s4.
int ElementBits(ElementType type);
// Bytes of one element in memory; types below 8 bits take one whole byte each.
int64_t ElementBytes(ElementType type);
ElementClass ElementClassOf(ElementType type);
// Number in xla_data.proto's PrimitiveType.
int ElementTypeProtoNumber(ElementType type);

inline bool IsFloat(ElementType type) { return ElementClassOf(type) == ElementClass::kFloat; }
inline bool IsComplex(ElementType type) { return ElementClassOf(type) == ElementClass::kComplex; }
inline bool IsSigned(ElementType type) { return ElementClassOf(type) == ElementClass::kSigned; }
inline bool IsUnsigned(ElementType type) { return ElementClassOf(type) == ElementClass::kUnsigned; }
inline bool IsInteger(ElementType type) { return IsSigned(type) || IsUnsigned(type); }

}  // namespace stead::ir
