// Formulas over whole arrays, as instructions.
#pragma once

#include <vector>

#include "passes/rewrite/build.h"

namespace stead::passes {

class ArrayMath {
 public:
  // The instructions go where `build` puts them. REQUIRES: the builder outlives this.
  explicit ArrayMath(Builder& build) : build_(build) {}

  // Elementwise. REQUIRES: equal shapes.
  ir::InstrId Of(ir::Opcode opcode, ir::InstrId left, ir::InstrId right);
  ir::InstrId Add(ir::InstrId left, ir::InstrId right) { return Of(ir::Opcode::kAdd, left, right); }
  ir::InstrId Subtract(ir::InstrId left, ir::InstrId right) { return Of(ir::Opcode::kSubtract, left, right); }
  ir::InstrId Multiply(ir::InstrId left, ir::InstrId right) { return Of(ir::Opcode::kMultiply, left, right); }
  ir::InstrId Divide(ir::InstrId left, ir::InstrId right) { return Of(ir::Opcode::kDivide, left, right); }
  ir::InstrId Of(ir::Opcode opcode, ir::InstrId operand);
  // The same when the elements have this type already.
  ir::InstrId Convert(ir::InstrId operand, ir::ElementType type);
  // A number in every element. REQUIRES: a float type of at least 32 bits.
  ir::InstrId Number(ir::ElementType type, double value, const ir::Dimensions& dimensions);
  // A vector along dimension `dim` of an array.
  ir::InstrId Along(ir::InstrId vector, int64_t dim, const ir::Dimensions& dimensions);
  // The sums over every dimension but `dim`: a vector. REQUIRES: a float type of at least 32 bits.
  ir::InstrId SumAllBut(ir::InstrId operand, int64_t dim);

  const ir::Shape& shape(ir::InstrId id) const { return build_.module().shape(id); }

 private:
  ir::ComputationId Addition(ir::ElementType type);

  Builder& build_;
};

}  // namespace stead::passes
