// The functions of CHLO, the dialect of JAX's special functions, as formulas over StableHLO's.
//   Each gives what the client library gives that lowers CHLO for other plugins, operation by operation, so that a program's
//   numbers do not depend on how it came.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/mlir_text/formula.h"

namespace stead::frontend::mlir {

// What becomes of an operation.
enum class ChloForm : uint8_t {
  // Its formula in place of it.
  kInline,
  // The same; floats of 16 bits are computed in f32.
  kWidened,
  // The same; the coefficients are those of f32.
  kWidenedOnlyF32,
  // A composite, whose name readers of the program may know, with the formula as its decomposition.
  kComposite,
  // The same; the formula computes floats of 16 bits in f32.
  kCompositeWidened,
};

struct ChloFunction {
  std::string_view name;  // without "chlo."
  ChloForm form;
  size_t operand_count;
  Term (*formula)(Formula& f, const std::vector<Term>& operands);
};

// The row of "chlo.NAME"; nullptr when there is none.
const ChloFunction* FindChloFunction(std::string_view name);

}  // namespace stead::frontend::mlir
