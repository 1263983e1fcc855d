// NumPy's .npy files <-> literals (format description: numpy.lib.format, versions 1.0 to 3.0).
//   Types that NumPy lacks (bf16, fp8, s4, ...) are kept as raw `|V<bytes>` elements, as ml_dtypes writes them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/literal.h"

namespace stead::tools {

// The file's array as a literal of `shape`. RETURNS an error when type, dimensions or size differ.
Result<ir::Literal> ReadNpy(std::string_view bytes, const ir::Shape& shape, const std::string& file_name);
std::string WriteNpy(const ir::Literal& literal);

}  // namespace stead::tools
