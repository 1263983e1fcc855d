// Structs that the caller made, perhaps against another version of the C API.
#pragma once

#include <algorithm>
#include <cstring>

#include "pjrt_abi.h"

namespace stead::pjrt {

// A copy of `*given` as far as its own struct_size says it reaches, and zeros after that.
template <typename Struct>
Struct ReadStruct(const Struct* given) {
  Struct whole = {};
  std::memcpy(&whole, given, std::min(given->struct_size, sizeof(Struct)));
  return whole;
}

}  // namespace stead::pjrt
