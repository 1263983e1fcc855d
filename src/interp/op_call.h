// One instruction that is being evaluated: what every op family's function receives.
#pragma once

#include <span>

#include "base/result.h"
#include "ir/module.h"

namespace stead::interp {

class Evaluator;

struct OpCall {
  Evaluator& evaluator;
  const ir::Module& module;
  ir::InstrId id;
  const ir::Instruction& instruction;
  std::span<const ir::Literal* const> operands;

  const ir::Literal& operand(size_t number) const {
    STEAD_CHECK(number < operands.size(), instruction.name);
    return *operands[number];
  }
  const ir::Shape& shape() const { return instruction.shape; }
};

// `op "x" on f8e4m3, s32 has no meaning in the interpreter`, with the place in the user's source.
Diagnostic UnsupportedOp(const ir::Module& module, ir::InstrId id);

}  // namespace stead::interp
