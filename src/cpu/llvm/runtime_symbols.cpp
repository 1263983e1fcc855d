#include "cpu/llvm/runtime_symbols.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "cpu/kernels/complex_math.h"
#include "cpu/kernels/sort.h"
#include "cpu/kernels/top_k.h"

// Half precision conversions of the compiler's support library; LLVM calls them where the CPU has no instruction.
extern "C" {
_Float16 __truncsfhf2(float);
_Float16 __truncdfhf2(double);
float __extendhfsf2(_Float16);
}

namespace stead::cpu {
namespace {

template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

using Unary32 = float(float);
using Unary64 = double(double);
using Binary32 = float(float, float);
using Binary64 = double(double, double);

struct CSymbol {
  const char* name;
  void* address;
};

const CSymbol kSymbols[] = {
    {"memcpy", Address(&::memcpy)},
    {"memmove", Address(&::memmove)},
    {"memset", Address(&::memset)},
    {"stead.sort_row", Address(&SortRow)},
    {"stead.sort_row_by_key", Address(&SortRowByKey)},
    {"stead.select_row", Address(&SelectRow)},
    {"__truncsfhf2", Address(&__truncsfhf2)},
    {"__truncdfhf2", Address(&__truncdfhf2)},
    {"__extendhfsf2", Address(&__extendhfsf2)},
#define STEAD_UNARY(name) \
  {#name, Address<Unary64>(&::name)}, { #name "f", Address<Unary32>(&::name##f) }
#define STEAD_BINARY(name) \
  {#name, Address<Binary64>(&::name)}, { #name "f", Address<Binary32>(&::name##f) }
    STEAD_UNARY(exp),
    STEAD_UNARY(expm1),
    STEAD_UNARY(log),
    STEAD_UNARY(log1p),
    STEAD_UNARY(sin),
    STEAD_UNARY(cos),
    STEAD_UNARY(tan),
    STEAD_UNARY(tanh),
    STEAD_UNARY(erf),
    STEAD_UNARY(cbrt),
    STEAD_UNARY(acos),
    STEAD_UNARY(acosh),
    STEAD_UNARY(asin),
    STEAD_UNARY(asinh),
    STEAD_UNARY(atanh),
    STEAD_UNARY(cosh),
    STEAD_UNARY(sinh),
    STEAD_UNARY(round),
    STEAD_UNARY(rint),
    STEAD_UNARY(floor),
    STEAD_UNARY(ceil),
    STEAD_UNARY(trunc),
    STEAD_UNARY(roundeven),
    STEAD_BINARY(pow),
    STEAD_BINARY(atan2),
    STEAD_BINARY(fmod),
    STEAD_BINARY(hypot),
#undef STEAD_UNARY
#undef STEAD_BINARY
    {"fma", Address<double(double, double, double)>(&::fma)},
    {"fmaf", Address<float(float, float, float)>(&::fmaf)},
};

}  // namespace

std::vector<RuntimeSymbol> RuntimeSymbols() {
  std::vector<RuntimeSymbol> symbols;
  for (const CSymbol& symbol : kSymbols) symbols.push_back({symbol.name, symbol.address});
  for (const ComplexFunction& function : ComplexFunctions()) {
    symbols.push_back({ComplexSymbol(function.name, false), Address(function.narrow)});
    symbols.push_back({ComplexSymbol(function.name, true), Address(function.wide)});
  }
  return symbols;
}

std::string ComplexSymbol(std::string_view function, bool is_wide) {
  return fmt::format("stead.complex.{}.{}", function, is_wide ? "f64" : "f32");
}

}  // namespace stead::cpu
