#include "cpu/llvm/values/registers.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "cpu/llvm/values/small_float.h"
#include "ir/number/small_float.h"

namespace stead::cpu {

using ir::ElementClass;
using ir::ElementType;

ElementType PartType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

llvm::Type* RegisterType(llvm::LLVMContext& context, ElementType type) {
  if (ir::IsComplex(type)) {
    llvm::Type* const part = RegisterType(context, PartType(type));
    return llvm::StructType::get(part, part);
  }
  if (type == ElementType::kPred) return llvm::Type::getInt1Ty(context);
  if (type == ElementType::kF64) return llvm::Type::getDoubleTy(context);
  if (ir::IsFloat(type)) return llvm::Type::getFloatTy(context);
  return llvm::Type::getIntNTy(context, ir::ElementBits(type));
}

llvm::Type* MemoryType(llvm::LLVMContext& context, ElementType type) {
  switch (type) {
    case ElementType::kF64: return llvm::Type::getDoubleTy(context);
    case ElementType::kF32: return llvm::Type::getFloatTy(context);
    case ElementType::kF16: return llvm::Type::getHalfTy(context);
    case ElementType::kC64:
    case ElementType::kC128: return RegisterType(context, type);
    default: return llvm::Type::getIntNTy(context, 8 * ir::ElementBytes(type));
  }
}

llvm::Type* Registers::Like(llvm::Value* like, llvm::Type* scalar) { return like->getType()->getWithNewType(scalar); }

llvm::Value* Registers::FromMemory(llvm::Value* stored, ElementType type) {
  switch (type) {
    case ElementType::kPred: return builder_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
    case ElementType::kF16: return builder_.CreateFPExt(stored, Like(stored, builder_.getFloatTy()));
    case ElementType::kBF16: {
      llvm::Value* const wide = builder_.CreateZExt(stored, Like(stored, builder_.getInt32Ty()));
      return builder_.CreateBitCast(builder_.CreateShl(wide, 16), Like(stored, builder_.getFloatTy()));
    }
    default: break;
  }
  if (ir::IsSmallFloat(type)) return SmallFloats(builder_, type).Decode(stored);
  return ir::ElementBits(type) < 8
             ? builder_.CreateTrunc(stored, Like(stored, RegisterType(builder_.getContext(), type)))
             : stored;
}

llvm::Value* Registers::ToMemory(llvm::Value* value, ElementType type) {
  switch (type) {
    case ElementType::kPred: return builder_.CreateZExt(value, Like(value, builder_.getInt8Ty()));
    case ElementType::kF16: return builder_.CreateFPTrunc(value, Like(value, builder_.getHalfTy()));
    case ElementType::kBF16: {
      llvm::Value* const bits = builder_.CreateBitCast(value, Like(value, builder_.getInt32Ty()));
      return builder_.CreateTrunc(builder_.CreateLShr(bits, 16), Like(value, builder_.getInt16Ty()));
    }
    default: break;
  }
  if (ir::IsSmallFloat(type)) return SmallFloats(builder_, type).Encode(value);
  return ir::ElementBits(type) < 8
             ? builder_.CreateIntCast(value, Like(value, builder_.getInt8Ty()), ir::IsSigned(type))
             : value;
}

// The f32 bits of the nearest bf16 number. Half of the dropped part is added, ties go to the even neighbour; NaN keeps its
// upper half and stays NaN through the quiet bit.
llvm::Value* Registers::RoundToBFloat16Bits(llvm::Value* value) {
  llvm::Type* const integer = Like(value, builder_.getInt32Ty());
  const auto constant = [&](uint32_t bits) { return llvm::ConstantInt::get(integer, bits); };
  llvm::Value* const bits = builder_.CreateBitCast(value, integer);
  llvm::Value* const last_kept = builder_.CreateAnd(builder_.CreateLShr(bits, 16), constant(1));
  llvm::Value* const rounded = builder_.CreateAdd(bits, builder_.CreateAdd(last_kept, constant(0x7fff)));
  llvm::Value* const quiet = builder_.CreateOr(bits, constant(0x00400000));
  llvm::Value* const chosen = builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), quiet, rounded);
  return builder_.CreateAnd(chosen, constant(0xffff0000));
}

llvm::Value* Registers::RoundToHalf(llvm::Value* value) {
  llvm::Value* const half = builder_.CreateFPTrunc(value, Like(value, builder_.getHalfTy()));
  return builder_.CreateFPExt(half, Like(value, builder_.getFloatTy()));
}

llvm::Value* Registers::Round(llvm::Value* value, ElementType type) {
  if (type == ElementType::kF16) return RoundToHalf(value);
  if (type == ElementType::kBF16) return builder_.CreateBitCast(RoundToBFloat16Bits(value), value->getType());
  if (ir::IsSmallFloat(type)) return FromMemory(ToMemory(value, type), type);
  return value;
}

// f64 to f32 with inexact results made odd, so that a second rounding to fewer bits gives the nearest number.
llvm::Value* Registers::NarrowWithOddRounding(llvm::Value* value) {
  llvm::Type* const single = Like(value, builder_.getFloatTy());
  llvm::Type* const integer = Like(value, builder_.getInt32Ty());
  llvm::Value* const nearest = builder_.CreateFPTrunc(value, single);
  llvm::Value* const back = builder_.CreateFPExt(nearest, value->getType());
  llvm::Value* const bits = builder_.CreateBitCast(nearest, integer);
  // Inexact and even: step towards the exact value, which makes it odd. Magnitudes compare like the bits do.
  const auto magnitude = [&](llvm::Value* x) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); };
  llvm::Value* const too_large = builder_.CreateFCmpOGT(magnitude(back), magnitude(value));
  llvm::Value* const step =
      builder_.CreateSelect(too_large, llvm::ConstantInt::getSigned(integer, -1), llvm::ConstantInt::get(integer, 1));
  llvm::Value* const is_even = builder_.CreateICmpEQ(builder_.CreateAnd(bits, llvm::ConstantInt::get(integer, 1)),
                                                     llvm::ConstantInt::get(integer, 0));
  llvm::Value* const moves = builder_.CreateAnd(builder_.CreateFCmpONE(back, value), is_even);
  return builder_.CreateBitCast(builder_.CreateSelect(moves, builder_.CreateAdd(bits, step), bits), single);
}

llvm::Value* Registers::FloatToFloat(llvm::Value* value, ElementType from, ElementType to) {
  if (from == to) return value;
  if (from != ElementType::kF64) {
    return to == ElementType::kF64 ? builder_.CreateFPExt(value, Like(value, builder_.getDoubleTy()))
                                   : Round(value, to);
  }
  if (to == ElementType::kF32) return builder_.CreateFPTrunc(value, Like(value, builder_.getFloatTy()));
  return Round(NarrowWithOddRounding(value), to);
}

// Integers of up to 32 bits are exact as f64, so that only one rounding happens on the way to a narrower type.
llvm::Value* Registers::ToFloat(llvm::Value* value, ElementType from, ElementType to) {
  const bool is_direct = to == ElementType::kF32 || to == ElementType::kF64;
  llvm::Type* const target = Like(value, to == ElementType::kF32 ? builder_.getFloatTy() : builder_.getDoubleTy());
  llvm::Value* const wide =
      ir::IsSigned(from) ? builder_.CreateSIToFP(value, target) : builder_.CreateUIToFP(value, target);
  return is_direct ? wide : FloatToFloat(wide, ElementType::kF64, to);
}

// Written out: llvm.fptosi.sat of vectors is done lane by lane where the largest integer is no float. The integer after the
// largest one is a power of two, which every float type has.
llvm::Value* Registers::Saturated(llvm::Value* value, llvm::Type* target, bool is_signed) {
  llvm::Type* const type = value->getType();
  const int bits = static_cast<int>(target->getScalarSizeInBits());
  llvm::Constant* const zero = llvm::Constant::getNullValue(type);
  llvm::Constant* const lowest = is_signed ? llvm::ConstantFP::get(type, -std::ldexp(1.0, bits - 1)) : zero;
  llvm::Constant* const end = llvm::ConstantFP::get(type, std::ldexp(1.0, is_signed ? bits - 1 : bits));
  const unsigned width = static_cast<unsigned>(bits);
  const llvm::APInt largest = is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  llvm::Value* const is_above = builder_.CreateFCmpOGE(value, end);
  llvm::Value* const inside = builder_.CreateSelect(
      is_above, zero, builder_.CreateSelect(builder_.CreateFCmpOGT(value, lowest), value, lowest));
  llvm::Value* const integer =
      is_signed ? builder_.CreateFPToSI(inside, target) : builder_.CreateFPToUI(inside, target);
  llvm::Value* const saturated = builder_.CreateSelect(is_above, llvm::ConstantInt::get(target, largest), integer);
  return builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(target), saturated);
}

llvm::Value* Registers::Convert(llvm::Value* value, ElementType from, ElementType to) {
  if (from == to) return value;
  if (ir::IsComplex(to)) {
    const ElementType from_part = PartType(from);
    const ElementType to_part = PartType(to);
    if (ir::IsComplex(from)) return ForParts(value, [&](auto* part) { return Convert(part, from_part, to_part); });
    llvm::Value* const real = Convert(value, from_part, to_part);
    return Complex(real, llvm::Constant::getNullValue(real->getType()));
  }
  if (ir::IsComplex(from)) value = RealPart(value), from = PartType(from);
  llvm::Type* const target = Like(value, RegisterType(builder_.getContext(), to));
  llvm::Constant* const zero = llvm::Constant::getNullValue(value->getType());
  if (to == ElementType::kPred) {
    return ir::IsFloat(from) ? builder_.CreateFCmpUNE(value, zero) : builder_.CreateICmpNE(value, zero);
  }
  if (ir::IsFloat(to)) return ir::IsFloat(from) ? FloatToFloat(value, from, to) : ToFloat(value, from, to);
  if (ir::IsFloat(from)) return Saturated(value, target, ir::IsSigned(to));
  return builder_.CreateIntCast(value, target, ir::IsSigned(from));
}

llvm::Value* Registers::Reinterpret(llvm::Value* value, ElementType from, ElementType to) {
  if (from == to) return value;
  llvm::Value* const stored = ToMemory(value, from);
  return FromMemory(builder_.CreateBitCast(stored, Like(value, MemoryType(builder_.getContext(), to))), to);
}

// ---------------------------------------------------------------------------------------------------------------------
// Complex numbers.

llvm::Value* Registers::Complex(llvm::Value* real, llvm::Value* imaginary) {
  llvm::StructType* const type = llvm::StructType::get(real->getType(), imaginary->getType());
  llvm::Value* const half = builder_.CreateInsertValue(llvm::PoisonValue::get(type), real, 0);
  return builder_.CreateInsertValue(half, imaginary, 1);
}

llvm::Value* Registers::ForParts(llvm::Value* value, llvm::function_ref<llvm::Value*(llvm::Value*)> change) {
  if (!value->getType()->isStructTy()) return change(value);
  llvm::Value* const real = change(RealPart(value));
  return Complex(real, change(ImaginaryPart(value)));
}

unsigned Registers::LaneCount(llvm::Value* value) {
  llvm::Type* const type =
      value->getType()->isStructTy() ? value->getType()->getStructElementType(0) : value->getType();
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 0 : vector->getNumElements();
}

llvm::Value* Registers::Splat(llvm::Value* value, unsigned lane_count) {
  if (lane_count == 0 || LaneCount(value) > 0) return value;
  return ForParts(value, [&](llvm::Value* part) { return builder_.CreateVectorSplat(lane_count, part); });
}

llvm::Value* Registers::Select(llvm::Value* condition, llvm::Value* on_true, llvm::Value* on_false) {
  if (!on_true->getType()->isStructTy()) return builder_.CreateSelect(condition, on_true, on_false);
  return Complex(builder_.CreateSelect(condition, RealPart(on_true), RealPart(on_false)),
                 builder_.CreateSelect(condition, ImaginaryPart(on_true), ImaginaryPart(on_false)));
}

}  // namespace stead::cpu
