// How elements of each HLO type are held: in memory as the array stores them, in registers in the form arithmetic wants.
//   type        memory         register
//   pred        i8, 0 or 1     i1
//   s8 ... u64  iN             iN (signedness is the op's business)
//   s2 ... u4   i8, extended   iN
//   bf16, f16   i16, half      float that is exactly a bf16 or f16 number
//   f8, f4      i8             float that is exactly such a number
//   f32, f64    float, double  the same
//   c64, c128   two of those   a struct of the real and the imaginary part
//   Every function works on one element and on vectors of elements alike; a vector of complex numbers is a struct of two vectors.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "ir/number/element_type.h"

namespace stead::cpu {

// The type of the real part of c64 and c128; other types themselves.
ir::ElementType PartType(ir::ElementType type);

llvm::Type* RegisterType(llvm::LLVMContext& context, ir::ElementType type);
llvm::Type* MemoryType(llvm::LLVMContext& context, ir::ElementType type);

class Registers {
 public:
  explicit Registers(llvm::IRBuilder<>& builder) : builder_(builder) {}

  llvm::Value* FromMemory(llvm::Value* stored, ir::ElementType type);
  llvm::Value* ToMemory(llvm::Value* value, ir::ElementType type);
  // `value` of f32 arithmetic rounded to the numbers that a narrower type has; other types pass through.
  llvm::Value* Round(llvm::Value* value, ir::ElementType type);
  // HLO's convert: to the nearest number, integers saturate coming from floats (NaN becomes 0) and wrap coming from integers.
  llvm::Value* Convert(llvm::Value* value, ir::ElementType from, ir::ElementType to);
  // The same bits under another type of the same width.
  llvm::Value* Reinterpret(llvm::Value* value, ir::ElementType from, ir::ElementType to);

  llvm::Value* Complex(llvm::Value* real, llvm::Value* imaginary);
  llvm::Value* RealPart(llvm::Value* complex) { return builder_.CreateExtractValue(complex, 0); }
  llvm::Value* ImaginaryPart(llvm::Value* complex) { return builder_.CreateExtractValue(complex, 1); }
  // The number of lanes; 0 for one element.
  static unsigned LaneCount(llvm::Value* value);
  llvm::Value* Splat(llvm::Value* value, unsigned lane_count);
  // `condition` may be one for all lanes or one per lane.
  llvm::Value* Select(llvm::Value* condition, llvm::Value* on_true, llvm::Value* on_false);
  // `change` of the value, or of both parts of a complex number.
  llvm::Value* ForParts(llvm::Value* value, llvm::function_ref<llvm::Value*(llvm::Value*)> change);

  // `scalar` as the element type of a value shaped like `like` (a vector or one element).
  static llvm::Type* Like(llvm::Value* like, llvm::Type* scalar);

 private:
  llvm::Value* RoundToBFloat16Bits(llvm::Value* value);
  llvm::Value* RoundToHalf(llvm::Value* value);
  llvm::Value* NarrowWithOddRounding(llvm::Value* value);
  llvm::Value* ToFloat(llvm::Value* value, ir::ElementType from, ir::ElementType to);
  // A float as an integer: the nearest one towards zero, the least or largest where that is none, 0 for NaN.
  llvm::Value* Saturated(llvm::Value* value, llvm::Type* target, bool is_signed);
  llvm::Value* FloatToFloat(llvm::Value* value, ir::ElementType from, ir::ElementType to);

  llvm::IRBuilder<>& builder_;
};

}  // namespace stead::cpu
