// The attributes of a typed custom call, as the HLO text of its `backend_config` writes them.
//   In: `{eps = 1.000000e-05 : f32, flags = dense<[1, 2]> : tensor<2xi32>, name = "abc"}`. Out: the dictionary, sorted by name.
//   Does not: know what a handler expects.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ir/number/element_type.h"

namespace stead::ffi {

// Elements as they lie in memory, in order; a scalar has one.
struct Scalar {
  ir::ElementType type = ir::ElementType::kPred;
  std::vector<std::byte> bytes;
};
struct Array {
  ir::ElementType type = ir::ElementType::kPred;
  std::vector<std::byte> bytes;
  int64_t size = 0;  // in elements
};
struct NamedAttribute;
using Dictionary = std::vector<NamedAttribute>;
using Attribute = std::variant<Scalar, Array, std::string, Dictionary>;
struct NamedAttribute {
  std::string name;
  Attribute value;
};

// An empty text is an empty dictionary. RETURNS an error that quotes the place it does not understand.
Result<Dictionary> ParseAttributes(std::string_view text);

}  // namespace stead::ffi
