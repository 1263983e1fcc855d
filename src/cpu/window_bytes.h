// How many bytes an op has to store that changes part of an operand and keeps the rest.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace stead::cpu {

// The windows of results that keep an operand's bytes, and the whole of other results; none when all results are made anew.
// Storing more than that is copying.
std::optional<int64_t> WindowBytes(const ir::Module& module, ir::InstrId id);

}  // namespace stead::cpu
