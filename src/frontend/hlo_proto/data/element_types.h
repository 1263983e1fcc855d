// The numbers of element types in xla_data.proto's PrimitiveType; back from them, what ir::ElementTypeProtoNumber gives.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/number/element_type.h"

namespace stead::frontend {

inline std::optional<ir::ElementType> ElementTypeFromProtoNumber(int64_t number) {
  switch (number) {
#define ELEMENT(enumerator, name, bits, type_class, number) \
  case number: return ir::ElementType::enumerator;
#include "ir/number/element_type.def"
#undef ELEMENT
    default: return std::nullopt;
  }
}

}  // namespace stead::frontend
