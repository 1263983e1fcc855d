// The elementwise ops of HLO on register values (registers.h): one element or a vector of them.
//   Total: what LLVM leaves undefined (division by zero, shifts past the width, conversion of NaN) has HLO's defined result.
//   No fast-math: each op rounds once by itself, denormal numbers are kept, NaN propagates through maximum and minimum.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "cpu/llvm/values/complex_arithmetic.h"
#include "cpu/llvm/values/registers.h"
#include "cpu/llvm/values/vector_math.h"
#include "ir/module.h"

namespace stead::cpu {

class Arithmetic {
 public:
  explicit Arithmetic(llvm::IRBuilder<>& builder)
      : builder_(builder), registers_(builder), math_(builder), complex_(builder) {}

  // True when `Apply` knows the instruction: its op and the element types of its result and operands.
  static bool Supports(const ir::Module& module, const ir::Instruction& instruction);

  // The value of an elementwise instruction. Operands that are one element beside vectors are repeated in every lane.
  // REQUIRES: Supports(module, instruction).
  llvm::Value* Apply(const ir::Module& module, const ir::Instruction& instruction,
                     llvm::ArrayRef<llvm::Value*> operands);

  // A binary op on two values of one type, as `Apply` would for an instruction of that op.
  llvm::Value* Binary(ir::Opcode opcode, ir::ElementType type, llvm::Value* left, llvm::Value* right);

  // Repeats `value` in every lane when `like` is a vector and it is not.
  llvm::Value* Splat(llvm::Value* value, llvm::Value* like);

 private:
  llvm::Value* Unary(const ir::Instruction& instruction, ir::ElementType type, llvm::Value* x);
  llvm::Value* FloatUnary(const ir::Instruction& instruction, llvm::Value* x);
  llvm::Value* IntegerUnary(ir::Opcode opcode, ir::ElementType type, llvm::Value* x);
  llvm::Value* FloatBinary(ir::Opcode opcode, llvm::Value* left, llvm::Value* right);
  llvm::Value* IntegerBinary(ir::Opcode opcode, bool is_signed, llvm::Value* left, llvm::Value* right);
  llvm::Value* BooleanBinary(ir::Opcode opcode, llvm::Value* left, llvm::Value* right);
  llvm::Value* Quotient(bool is_signed, bool wants_remainder, llvm::Value* left, llvm::Value* right);
  llvm::Value* Shift(ir::Opcode opcode, llvm::Value* value, llvm::Value* amount);
  llvm::Value* IntegerPower(bool is_signed, llvm::Value* base, llvm::Value* exponent);
  llvm::Value* Compare(const ir::CompareAttributes& attributes, ir::ElementType type, llvm::Value* left,
                       llvm::Value* right);
  llvm::Value* TotalOrderKey(llvm::Value* value);
  llvm::Value* ReducePrecision(const ir::ReducePrecisionAttributes& attributes, llvm::Value* x);
  llvm::Value* FloatSign(llvm::Value* x);

  llvm::Constant* Integer(llvm::Value* like, int64_t value);

  llvm::IRBuilder<>& builder_;
  Registers registers_;
  VectorMath math_;
  ComplexArithmetic complex_;
};

}  // namespace stead::cpu
