// The functions outside a module that machine code may call: the C library's mathematics, block copies and conversions.
//   They are handed to the linker as absolute addresses: a plugin is loaded with local symbols, so looking names up in the
//   process would miss them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stead::cpu {

struct RuntimeSymbol {
  std::string name;
  void* address;
};

// Every symbol that kernels may refer to.
std::vector<RuntimeSymbol> RuntimeSymbols();
// The name of a function of complex numbers (kernels/complex_math.h) whose parts are f64 or f32.
std::string ComplexSymbol(std::string_view function, bool is_wide);

}  // namespace stead::cpu
