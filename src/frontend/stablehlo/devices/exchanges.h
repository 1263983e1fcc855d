// Operations between devices where one program holds the parts of all: an exchange moves and combines values that are all at hand.
//   all_reduce adds the parts of a group once, for all its members; all_gather puts them side by side; all_to_all and
//   collective_permute hand them around.
//   Input: the operation at the place of every device.  Output: its results there.
//   RETURNS Unimplemented for groups with devices that have no place.
#pragma once

#include <vector>

#include "frontend/stablehlo/op_import.h"

namespace stead::frontend {

// `parts[k]` is the operation at the place of device `devices[k]`. REQUIRES: prepared, all in one computation.
Status ImportExchange(std::vector<OpImport>& parts, const std::vector<int64_t>& devices);

}  // namespace stead::frontend
