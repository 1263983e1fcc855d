#include "passes/rewrite/map.h"

#include <algorithm>
#include <unordered_map>

namespace stead::passes {

using ir::InstrId;
using ir::Opcode;

bool IsScalarExpression(const ir::Module& module, ir::ComputationId computation) {
  return std::ranges::all_of(module.computation(computation).instructions, [&](InstrId id) {
    const ir::Instruction& instruction = module.instruction(id);
    if (instruction.opcode == Opcode::kTuple && id == module.root(computation)) return true;
    bool known = ir::IsElementwise(instruction.opcode) || instruction.opcode == Opcode::kConstant ||
                 instruction.opcode == Opcode::kParameter;
    return known && instruction.shape.is_scalar();
  });
}

InstrId MapExpression(Builder& build, ir::ComputationId computation, const std::vector<InstrId>& arguments,
                      const std::vector<int64_t>& dimensions) {
  const ir::Module& module = build.module();
  const std::vector<InstrId> list = module.computation(computation).instructions;
  std::unordered_map<InstrId, InstrId> mapped;
  for (InstrId id : list) {
    const ir::Instruction instruction = module.instruction(id);
    if (instruction.opcode == Opcode::kParameter) {
      mapped[id] = arguments.at(static_cast<size_t>(instruction.As<ir::ParameterAttributes>().number));
    } else if (instruction.opcode == Opcode::kConstant) {
      mapped[id] = build.Splat(build.Constant(instruction.As<ir::Literal>()), dimensions);
    } else {
      std::vector<InstrId> operands;
      for (InstrId operand : instruction.operands) operands.push_back(mapped.at(operand));
      ir::Shape shape = instruction.shape;
      for (ir::Shape& element : shape.elements) element = ir::Shape::Array(element.element_type, dimensions);
      if (shape.is_array()) shape = ir::Shape::Array(shape.element_type, dimensions);
      mapped[id] = build.Op(instruction.opcode, std::move(shape), std::move(operands), instruction.attributes);
    }
  }
  return mapped.at(module.root(computation));
}

}  // namespace stead::passes
