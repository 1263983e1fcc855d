// Codes of the floats of 8 and 4 bits to f32 and back, as LLVM IR over one element or a vector of them.
//   Every such number is exact as f32. Encoding rounds once, as ir/number/small_float.h says, which is the reference.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "ir/number/small_float.h"

namespace stead::cpu {

class SmallFloats {
 public:
  // REQUIRES: ir::IsSmallFloat(type).
  SmallFloats(llvm::IRBuilder<>& builder, ir::ElementType type) : builder_(builder), type_(type) {}

  llvm::Value* Decode(llvm::Value* codes);   // i8 -> float
  llvm::Value* Encode(llvm::Value* values);  // float -> i8

 private:
  llvm::Value* DecodeScale(llvm::Value* codes);
  llvm::Value* EncodeScale(llvm::Value* bits, llvm::Value* is_nan);
  llvm::Value* EncodeMagnitude(llvm::Value* magnitude, const ir::SmallFloatFormat& format);
  llvm::Value* Bits(llvm::Value* values);
  llvm::Value* Floats(llvm::Value* bits);

  llvm::IRBuilder<>& builder_;
  ir::ElementType type_;
};

}  // namespace stead::cpu
