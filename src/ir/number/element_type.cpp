#include "ir/number/element_type.h"

#include <array>

namespace stead::ir {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  int bits;
  ElementClass type_class;
  int proto_number;
};

constexpr TypeRow kTypeRows[] = {
#define ELEMENT(enumerator, name, bits, type_class, number) \
  {ElementType::enumerator, name, bits, ElementClass::type_class, number},
#include "ir/number/element_type.def"
#undef ELEMENT
};

const TypeRow& TypeRowOf(ElementType type) { return kTypeRows[static_cast<int>(type)]; }

}  // namespace

std::string_view ElementTypeName(ElementType type) { return TypeRowOf(type).name; }

std::optional<ElementType> ElementTypeFromName(std::string_view name) {
  for (const TypeRow& row : kTypeRows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

int ElementBits(ElementType type) { return TypeRowOf(type).bits; }
int64_t ElementBytes(ElementType type) { return (TypeRowOf(type).bits + 7) / 8; }
ElementClass ElementClassOf(ElementType type) { return TypeRowOf(type).type_class; }
int ElementTypeProtoNumber(ElementType type) { return TypeRowOf(type).proto_number; }

}  // namespace stead::ir
