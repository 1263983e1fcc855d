#include "ir/infer.h"

#include <fmt/format.h>

namespace stead::ir {

Result<Shape> InferShape(const Module&, const Instruction& instruction) {
  return Unimplemented(fmt::format("the shape of `{}` must be written", OpcodeName(instruction.opcode)),
                       instruction.text_place);
}

}  // namespace stead::ir
