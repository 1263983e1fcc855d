// The elementwise ops of HLO on c64 and c128 register values (registers.h).
//   In line: sums, products, quotients, absolute values, signs and exponentials. Everything else calls kernels/complex_math.h, a
//   vector at a time. Where squares of f32 parts could leave the range, f64 is used in between.
//   A function may add basic blocks (rare slow paths): read the builder's insertion block again afterwards.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "cpu/llvm/values/registers.h"
#include "cpu/llvm/values/vector_math.h"
#include "ir/op.h"

namespace stead::cpu {

class ComplexArithmetic {
 public:
  explicit ComplexArithmetic(llvm::IRBuilder<>& builder) : builder_(builder), registers_(builder), math_(builder) {}

  // Ops whose operands are complex; conversions and comparisons aside.
  static bool Supports(ir::Opcode opcode);

  llvm::Value* Unary(ir::Opcode opcode, llvm::Value* x);
  llvm::Value* Binary(ir::Opcode opcode, llvm::Value* left, llvm::Value* right);
  llvm::Value* Equal(llvm::Value* left, llvm::Value* right);

 private:
  struct Parts {
    llvm::Value* real;
    llvm::Value* imaginary;
  };
  Parts PartsOf(llvm::Value* complex) { return {registers_.RealPart(complex), registers_.ImaginaryPart(complex)}; }
  Parts WideParts(llvm::Value* complex);
  // f64 values as parts like those of `like`.
  llvm::Value* Narrow(llvm::Value* value, llvm::Value* like);

  // The absolute value as f64.
  llvm::Value* WideAbs(llvm::Value* x);
  llvm::Value* Sign(llvm::Value* x);
  llvm::Value* Exp(llvm::Value* x);
  llvm::Value* Multiply(llvm::Value* left, llvm::Value* right);
  llvm::Value* Divide(llvm::Value* left, llvm::Value* right);
  llvm::Value* FiniteQuotient(llvm::Value* left, llvm::Value* right);
  // A function of ComplexFunctions().
  llvm::Value* Library(const char* name, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* Local(llvm::Type* type);

  llvm::IRBuilder<>& builder_;
  Registers registers_;
  VectorMath math_;
};

}  // namespace stead::cpu
