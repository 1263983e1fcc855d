// Which properties an operation has and in which order they lie in the file.
//   Input: an operation's full name, "vhlo.add_v1".  Output: a row generated from vhlo_ops.def, or none.
//   The format itself does not name properties: without a row they cannot be read (and are not needed).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace stead::frontend::mlir {

struct OpProperties {
  std::vector<std::string_view> names;  // in file order
  bool are_optional = false;            // each reference carries a bit that says whether the property is there
};

// The row of the operation; nullptr when there is none.
const OpProperties* FindOpProperties(std::string_view op_name);

// Position of the property `name` in the row.
std::optional<size_t> PropertyPosition(const OpProperties& properties, std::string_view name);

}  // namespace stead::frontend::mlir
