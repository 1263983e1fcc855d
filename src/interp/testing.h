// Helpers of this room's tests: one op on literals, without a text around it.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "interp/elements.h"
#include "interp/evaluate.h"

namespace stead::interp {

// An array of numbers of any real element type, each converted once.
inline ir::Literal Numbers(ir::ElementType type, std::vector<int64_t> dimensions, const std::vector<double>& numbers) {
  return WriteAll(ir::Shape::Array(type, std::move(dimensions)), numbers);
}
inline ir::Literal Integers(ir::ElementType type, std::vector<int64_t> dimensions,
                            const std::vector<int64_t>& numbers) {
  return WriteAll(ir::Shape::Array(type, std::move(dimensions)), numbers);
}

// The elements as doubles.
inline std::vector<double> NumbersOf(const ir::Literal& literal) { return ReadAll<double>(literal); }

// A module whose entry applies one instruction to its parameters.
class OneOp {
 public:
  OneOp(ir::Opcode opcode, ir::Shape shape, ir::Attributes attributes = {}) {
    instruction_.opcode = opcode;
    instruction_.shape = std::move(shape);
    instruction_.attributes = std::move(attributes);
  }

  // Adds a called computation that applies `opcode` to its parameters, scalars of the given types.
  OneOp& Calls(ir::Opcode opcode, const std::vector<ir::ElementType>& parameters, ir::ElementType result,
               ir::Attributes attributes = {}) {
    ir::ComputationId computation = module_.AddComputation("called");
    std::vector<ir::Shape> shapes;
    for (ir::ElementType type : parameters) shapes.push_back(ir::Shape::Array(type, {}));
    AddBody(computation, shapes, {opcode, "", ir::Shape::Array(result, {}), {}, {}, {}, std::move(attributes)});
    instruction_.called.push_back(computation);
    return *this;
  }

  Result<ir::Literal> Run(const std::vector<ir::Literal>& operands) {
    ir::ComputationId entry = module_.AddComputation("main");
    std::vector<ir::Shape> shapes;
    for (const ir::Literal& operand : operands) shapes.push_back(operand.shape());
    AddBody(entry, shapes, instruction_);
    module_.entry = entry;
    return Evaluate(module_, operands);
  }
  // The elements of the result as doubles. REQUIRES: the op runs.
  std::vector<double> Numbers(const std::vector<ir::Literal>& operands) { return NumbersOf(Run(operands).value()); }

 private:
  void AddBody(ir::ComputationId computation, const std::vector<ir::Shape>& parameters, ir::Instruction instruction) {
    for (size_t number = 0; number < parameters.size(); ++number) {
      ir::Instruction parameter;
      parameter.shape = parameters[number];
      parameter.attributes = ir::ParameterAttributes{static_cast<int64_t>(number)};
      instruction.operands.push_back(module_.Add(computation, std::move(parameter)));
    }
    module_.SetRoot(computation, module_.Add(computation, std::move(instruction)));
  }

  ir::Module module_;
  ir::Instruction instruction_;
};

}  // namespace stead::interp
