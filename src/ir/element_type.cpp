#include "ir/element_type.h"

#include <array>

namespace stead::ir {
namespace {

struct Row {
  ElementType type;
  std::string_view name;
  int bits;
  ElementClass type_class;
  int proto_number;
};

constexpr Row kRows[] = {
#define ELEMENT(enumerator, name, bits, type_class, number) \
  {ElementType::enumerator, name, bits, ElementClass::type_class, number},
#include "ir/element_type.def"
#undef ELEMENT
};

const Row& RowOf(ElementType type) { return kRows[static_cast<int>(type)]; }

}  // namespace

std::string_view ElementTypeName(ElementType type) { return RowOf(type).name; }

std::optional<ElementType> ElementTypeFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

int ElementBits(ElementType type) { return RowOf(type).bits; }
int64_t ElementBytes(ElementType type) { return (RowOf(type).bits + 7) / 8; }
ElementClass ElementClassOf(ElementType type) { return RowOf(type).type_class; }
int ElementTypeProtoNumber(ElementType type) { return RowOf(type).proto_number; }

}  // namespace stead::ir
