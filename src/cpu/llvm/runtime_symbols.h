// The functions outside a module that machine code may call: the C library's mathematics, block copies and conversions.
//   They are handed to the linker as absolute addresses: a plugin is loaded with local symbols, so looking names up in the
//   process would miss them.
#pragma once

#include <span>

namespace stead::cpu {

struct RuntimeSymbol {
  const char* name;
  void* address;
};

// Every symbol that kernels may refer to.
std::span<const RuntimeSymbol> RuntimeSymbols();

}  // namespace stead::cpu
