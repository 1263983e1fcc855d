// The attributes of an operation as its text has them -> as VHLO has them: structures taken apart, what the text leaves out
// because it is the default put in.
#pragma once

#include <string_view>

#include "base/result.h"
#include "frontend/mlir_text/attribute_reader.h"

namespace stead::frontend::mlir {

// `start`: where the operation stands, for errors.
Status ToVhloForm(AttributeReader& reader, std::string_view op_name, size_t start, DictionaryAttribute& attributes);

}  // namespace stead::frontend::mlir
