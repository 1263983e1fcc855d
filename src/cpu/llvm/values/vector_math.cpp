// How the inlined functions are built.
//   Reduce the argument to a small interval, evaluate a polynomial there, put the parts together again. The polynomials are
//   minimax fits for the error that matters in the result (relative to the function's value), rounded to f32; their own error
//   stays below 2^-27, so rounding dominates. Steps use explicit fused multiply-add: its single rounding is what makes the
//   argument reductions exact. Selections are written so that NaN falls through every comparison.
#include "cpu/llvm/values/vector_math.h"

#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace stead::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// log(2) and pi/2 as sums of f32 numbers, largest first.
constexpr double kLn2Parts[] = {0x1.62e43p-1, -0x1.05c61p-29};
constexpr double kHalfPiParts[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};

bool IsF32(llvm::Value* x) { return x->getType()->getScalarType()->isFloatTy(); }

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Small builders.

llvm::Constant* VectorMath::Real(llvm::Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Type* VectorMath::IntegerType(llvm::Value* like) {
  llvm::Type* type = like->getType();
  return type->getWithNewBitWidth(type->getScalarSizeInBits());
}

llvm::Constant* VectorMath::Integer(llvm::Value* like, int64_t value) {
  return llvm::ConstantInt::get(IntegerType(like), static_cast<uint64_t>(value), /*IsSigned=*/true);
}

llvm::Value* VectorMath::Fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  return builder_.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, y, z});
}

llvm::Value* VectorMath::Abs(llvm::Value* x) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }

llvm::Value* VectorMath::CopySign(llvm::Value* magnitude, llvm::Value* sign) {
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

llvm::Value* VectorMath::Polynomial(llvm::Value* x, llvm::ArrayRef<double> coefficients) {
  llvm::Value* sum = Real(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back())) sum = Fma(sum, x, Real(x, coefficient));
  return sum;
}

// Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum. Unlike a conversion this has a defined result for
// NaN and infinities.
VectorMath::Reduced VectorMath::Reduce(llvm::Value* x, double inverse_period, llvm::ArrayRef<double> period_parts) {
  llvm::Constant* const shift = Real(x, 0x1.8p23);
  llvm::Value* const shifted = Fma(x, Real(x, inverse_period), shift);
  Reduced reduced;
  reduced.real = builder_.CreateFSub(shifted, shift);
  reduced.integer = builder_.CreateSub(builder_.CreateBitCast(shifted, IntegerType(x)),
                                       builder_.CreateBitCast(shift, IntegerType(x)));
  reduced.rest = x;
  for (double part : period_parts) reduced.rest = Fma(reduced.real, Real(x, -part), reduced.rest);
  return reduced;
}

llvm::Value* VectorMath::PowerOfTwo(llvm::Value* n) {
  llvm::Type* const integer_type = n->getType();
  llvm::Type* const real_type = integer_type->getWithNewType(builder_.getFloatTy());
  llvm::Value* const biased = builder_.CreateAdd(n, llvm::ConstantInt::get(integer_type, 127));
  return builder_.CreateBitCast(builder_.CreateShl(biased, 23), real_type);
}

VectorMath::HalfScales VectorMath::SplitScale(llvm::Value* n) {
  llvm::Value* const first = builder_.CreateAShr(n, 1);
  llvm::Value* const second = builder_.CreateSub(n, first);
  return {PowerOfTwo(first), PowerOfTwo(second), PowerOfTwo(builder_.CreateNeg(second))};
}

// ---------------------------------------------------------------------------------------------------------------------
// Exponentials.

llvm::Value* VectorMath::Exp(llvm::Value* x) {
  if (!IsF32(x)) return Library("exp", {x});
  // Outside these bounds the result is 0 or infinity anyway, and the scales below stay in range inside them.
  llvm::Value* bounded = builder_.CreateSelect(builder_.CreateFCmpOLT(x, Real(x, -104)), Real(x, -104), x);
  bounded = builder_.CreateSelect(builder_.CreateFCmpOGT(x, Real(x, 89)), Real(x, 89), bounded);
  const Reduced reduced = Reduce(bounded, std::numbers::log2e, kLn2Parts);
  llvm::Value* const rest = reduced.rest;
  // exp(r) = 1 + r + r^2 * q(r)
  llvm::Value* const q = Polynomial(rest, {0x1.fffffcp-2, 0x1.55548ap-3, 0x1.555916p-5, 0x1.123fc6p-7, 0x1.6a1a78p-10});
  llvm::Value* const tail = Fma(builder_.CreateFMul(rest, rest), q, rest);
  llvm::Value* const value = builder_.CreateFAdd(tail, Real(x, 1));
  const HalfScales scales = SplitScale(reduced.integer);
  return builder_.CreateFMul(builder_.CreateFMul(value, scales.first), scales.second);
}

llvm::Value* VectorMath::Expm1(llvm::Value* x) {
  if (!IsF32(x)) return Library("expm1", {x});
  llvm::Value* bounded = builder_.CreateSelect(builder_.CreateFCmpOLT(x, Real(x, -20)), Real(x, -20), x);
  bounded = builder_.CreateSelect(builder_.CreateFCmpOGT(x, Real(x, 89)), Real(x, 89), bounded);
  const Reduced reduced = Reduce(bounded, std::numbers::log2e, kLn2Parts);
  llvm::Value* const rest = reduced.rest;
  llvm::Value* const q =
      Polynomial(rest, {0x1p-1, 0x1.555556p-3, 0x1.5554a8p-5, 0x1.11108ap-7, 0x1.6d7b7cp-10, 0x1.a1a932p-13});
  llvm::Value* const expm1_rest = Fma(builder_.CreateFMul(rest, rest), q, rest);
  // 2^n * (1 + p) - 1 = 2^b * (2^a * p + (2^a - 2^-b)) with n = a + b.
  const HalfScales scales = SplitScale(reduced.integer);
  llvm::Value* const offset = builder_.CreateFSub(scales.first, scales.second_inverse);
  llvm::Value* const value = builder_.CreateFMul(Fma(expm1_rest, scales.first, offset), scales.second);
  // Keeps -0 and is exact there.
  return builder_.CreateSelect(builder_.CreateFCmpOEQ(x, Real(x, 0)), x, value);
}

llvm::Value* VectorMath::Logistic(llvm::Value* x) {
  // exp of minus the magnitude never overflows, so results down to the denormal numbers are right.
  llvm::Value* const e = Exp(builder_.CreateFNeg(Abs(x)));
  llvm::Constant* const one = Real(x, 1);
  llvm::Value* const numerator = builder_.CreateSelect(builder_.CreateFCmpOLT(x, Real(x, 0)), e, one);
  return builder_.CreateFDiv(numerator, builder_.CreateFAdd(one, e));
}

llvm::Value* VectorMath::Tanh(llvm::Value* x) {
  if (!IsF32(x)) return Library("tanh", {x});
  llvm::Value* const magnitude = Abs(x);
  llvm::Value* const square = builder_.CreateFMul(x, x);
  llvm::Value* const p =
      Polynomial(square, {-0x1.555534p-2, 0x1.110768p-3, -0x1.b84448p-5, 0x1.5256d6p-6, -0x1.76ac12p-8});
  llvm::Value* const near_zero = Fma(builder_.CreateFMul(magnitude, square), p, magnitude);
  // 1 - 2 / (exp(2 * |x|) + 1)
  llvm::Value* const e = Exp(builder_.CreateFAdd(magnitude, magnitude));
  llvm::Value* const quotient = builder_.CreateFDiv(Real(x, 2), builder_.CreateFAdd(e, Real(x, 1)));
  llvm::Value* const far = builder_.CreateFSub(Real(x, 1), quotient);
  llvm::Value* const is_near = builder_.CreateFCmpOLT(magnitude, Real(x, 0.625));
  return CopySign(builder_.CreateSelect(is_near, near_zero, far), x);
}

llvm::Value* VectorMath::Erf(llvm::Value* x) {
  if (!IsF32(x)) return Library("erf", {x});
  llvm::Value* const magnitude = Abs(x);
  llvm::Value* const square = builder_.CreateFMul(x, x);
  llvm::Value* const p = Polynomial(square, {0x1.06eba8p-3, -0x1.812744p-2, 0x1.ce2e1cp-4, -0x1.b80ff2p-6,
                                             0x1.54d42cp-8, -0x1.aaa2dep-11, 0x1.5e063ep-14});
  llvm::Value* const near_zero = Fma(magnitude, p, magnitude);
  // 1 - exp(t * q(t)); the result is 1 in f32 from t = 3.92 on.
  llvm::Value* const is_large = builder_.CreateFCmpOGT(magnitude, Real(x, 4));
  llvm::Value* const t = builder_.CreateSelect(is_large, Real(x, 4), magnitude);
  llvm::Value* const q = Polynomial(t, {-0x1.20ef1cp+0, -0x1.45328ep-1, -0x1.b3257ap-4, 0x1.855170p-6, -0x1.dd6d26p-9,
                                        0x1.527d10p-12, -0x1.78dfd4p-17});
  llvm::Value* const far = builder_.CreateFSub(Real(x, 1), Exp(builder_.CreateFMul(t, q)));
  llvm::Value* const is_near = builder_.CreateFCmpOLT(magnitude, Real(x, 0.925));
  return CopySign(builder_.CreateSelect(is_near, near_zero, far), x);
}

// ---------------------------------------------------------------------------------------------------------------------
// Logarithms.

VectorMath::Decomposed VectorMath::Decompose(llvm::Value* x) {
  // The bits of sqrt(1/2): subtracting them moves the step of the exponent field to that place.
  llvm::Constant* const root_half = Integer(x, 0x3f3504f3);
  llvm::Value* const offset = builder_.CreateSub(builder_.CreateBitCast(x, IntegerType(x)), root_half);
  llvm::Value* const fraction = builder_.CreateAnd(offset, Integer(x, 0x007fffff));
  llvm::Value* const mantissa = builder_.CreateBitCast(builder_.CreateAdd(fraction, root_half), x->getType());
  return {mantissa, builder_.CreateAShr(offset, 23)};
}

llvm::Value* VectorMath::LogOfReduced(llvm::Value* f, llvm::Value* exponent) {
  llvm::Value* const p = Polynomial(f, {0x1.555546p-2, -0x1.ffffecp-3, 0x1.99a580p-3, -0x1.556380p-3, 0x1.232e2cp-3,
                                        -0x1.fb2718p-4, 0x1.e67e68p-4, -0x1.e3ac86p-4, 0x1.1bc37ep-4});
  llvm::Value* const square = builder_.CreateFMul(f, f);
  // Smallest terms first: f^3 * p, the low part of e * log(2), -f^2 / 2, f, the high part of e * log(2).
  llvm::Value* sum = builder_.CreateFMul(builder_.CreateFMul(square, f), p);
  sum = Fma(exponent, Real(f, kLn2Parts[1]), sum);
  sum = Fma(builder_.CreateFMul(f, Real(f, -0.5)), f, sum);
  sum = builder_.CreateFAdd(f, sum);
  return Fma(exponent, Real(f, kLn2Parts[0]), sum);
}

llvm::Value* VectorMath::Log(llvm::Value* x) {
  if (!IsF32(x)) return Library("log", {x});
  // Denormal numbers are scaled into the normal range first.
  llvm::Value* const is_denormal = builder_.CreateFCmpOLT(x, Real(x, 0x1p-126));
  llvm::Value* const normal = builder_.CreateSelect(is_denormal, builder_.CreateFMul(x, Real(x, 0x1p23)), x);
  const Decomposed parts = Decompose(normal);
  llvm::Value* exponent = builder_.CreateSIToFP(parts.exponent, x->getType());
  exponent = builder_.CreateFSub(exponent, builder_.CreateSelect(is_denormal, Real(x, 23), Real(x, 0)));
  llvm::Value* value = LogOfReduced(builder_.CreateFSub(parts.mantissa, Real(x, 1)), exponent);
  value = builder_.CreateSelect(builder_.CreateFCmpUGE(x, Real(x, kInfinity)), x, value);
  value = builder_.CreateSelect(builder_.CreateFCmpOEQ(x, Real(x, 0)), Real(x, -kInfinity), value);
  return builder_.CreateSelect(builder_.CreateFCmpOLT(x, Real(x, 0)), Real(x, std::nan("")), value);
}

llvm::Value* VectorMath::Log1p(llvm::Value* x) {
  if (!IsF32(x)) return Library("log1p", {x});
  llvm::Constant* const one = Real(x, 1);
  llvm::Value* const sum = builder_.CreateFAdd(x, one);
  // What rounding 1 + x lost; exact by Sterbenz's lemma on either side of 1.
  llvm::Value* const lost_small = builder_.CreateFSub(x, builder_.CreateFSub(sum, one));
  llvm::Value* const lost_large = builder_.CreateFSub(one, builder_.CreateFSub(sum, x));
  llvm::Value* const lost = builder_.CreateSelect(builder_.CreateFCmpOLT(x, one), lost_small, lost_large);
  const Decomposed parts = Decompose(sum);
  // From 2^30 on the loss is below half an ulp of the result, and 2^-e would leave the normal range.
  llvm::Value* const scale = builder_.CreateSelect(builder_.CreateFCmpOLT(x, Real(x, 0x1p30)),
                                                   PowerOfTwo(builder_.CreateNeg(parts.exponent)), Real(x, 0));
  llvm::Value* const f = Fma(lost, scale, builder_.CreateFSub(parts.mantissa, one));
  llvm::Value* value = LogOfReduced(f, builder_.CreateSIToFP(parts.exponent, x->getType()));
  const auto keep_x_if = [&](llvm::Value* condition) { value = builder_.CreateSelect(condition, x, value); };
  keep_x_if(builder_.CreateFCmpUGE(x, Real(x, kInfinity)));
  keep_x_if(builder_.CreateFCmpOEQ(x, Real(x, 0)));
  value = builder_.CreateSelect(builder_.CreateFCmpOEQ(x, Real(x, -1)), Real(x, -kInfinity), value);
  return builder_.CreateSelect(builder_.CreateFCmpOLT(x, Real(x, -1)), Real(x, std::nan("")), value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Trigonometry.

llvm::Value* VectorMath::SinOrCos(llvm::Value* x, int phase, const char* library_name) {
  if (!IsF32(x)) return Library(library_name, {x});
  const Reduced reduced = Reduce(x, 2 / std::numbers::pi, kHalfPiParts);
  llvm::Value* const rest = reduced.rest;
  llvm::Value* const square = builder_.CreateFMul(rest, rest);
  llvm::Value* const s = Polynomial(square, {-0x1.555556p-3, 0x1.111108p-7, -0x1.a00f32p-13, 0x1.6cbecep-19});
  llvm::Value* const sine = Fma(builder_.CreateFMul(rest, square), s, rest);
  llvm::Value* const c = Polynomial(square, {0x1.555556p-5, -0x1.6c16b8p-10, 0x1.a010c4p-16, -0x1.2417e0p-22});
  llvm::Value* const head = Fma(square, Real(x, -0.5), Real(x, 1));
  llvm::Value* const cosine = Fma(builder_.CreateFMul(square, square), c, head);
  // The quadrant says which of the two it is, and its sign.
  llvm::Value* const quadrant = builder_.CreateAdd(reduced.integer, Integer(x, phase));
  llvm::Value* const is_odd = builder_.CreateICmpNE(builder_.CreateAnd(quadrant, Integer(x, 1)), Integer(x, 0));
  llvm::Value* const magnitude = builder_.CreateSelect(is_odd, cosine, sine);
  llvm::Value* const sign = builder_.CreateShl(builder_.CreateAnd(quadrant, Integer(x, 2)), 30);
  llvm::Value* value =
      builder_.CreateBitCast(builder_.CreateXor(builder_.CreateBitCast(magnitude, IntegerType(x)), sign), x->getType());
  if (phase == 0) value = builder_.CreateSelect(builder_.CreateFCmpOEQ(x, Real(x, 0)), x, value);
  // The three parts of pi/2 carry the reduction up to here; larger angles are rare.
  return WithSlowPath(value, builder_.CreateFCmpOGT(Abs(x), Real(x, 40000)), library_name, x);
}

llvm::Value* VectorMath::Sin(llvm::Value* x) { return SinOrCos(x, 0, "sin"); }
llvm::Value* VectorMath::Cos(llvm::Value* x) { return SinOrCos(x, 1, "cos"); }
llvm::Value* VectorMath::Tan(llvm::Value* x) { return Library("tan", {x}); }
llvm::Value* VectorMath::Atan2(llvm::Value* y, llvm::Value* x) { return Library("atan2", {y, x}); }

// ---------------------------------------------------------------------------------------------------------------------
// Roots, powers and remainders.

llvm::Value* VectorMath::Sqrt(llvm::Value* x) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x); }
llvm::Value* VectorMath::Rsqrt(llvm::Value* x) { return builder_.CreateFDiv(Real(x, 1), Sqrt(x)); }
llvm::Value* VectorMath::Cbrt(llvm::Value* x) { return Library("cbrt", {x}); }
llvm::Value* VectorMath::Pow(llvm::Value* base, llvm::Value* exponent) { return Library("pow", {base, exponent}); }
llvm::Value* VectorMath::Remainder(llvm::Value* x, llvm::Value* y) { return Library("fmod", {x, y}); }

// ---------------------------------------------------------------------------------------------------------------------
// Calls of the C library.

llvm::Value* VectorMath::Library(const char* name, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Value* const like = arguments.front();
  const std::string library_name = fmt::format("{}{}", name, IsF32(like) ? "f" : "");
  llvm::Module& module = *builder_.GetInsertBlock()->getModule();
  llvm::Type* const scalar = like->getType()->getScalarType();
  if (like->getType()->isVectorTy()) {
    return builder_.CreateCall(PerLaneHelper(library_name, like->getType(), arguments.size()), arguments);
  }
  const llvm::SmallVector<llvm::Type*, 2> parameters(arguments.size(), scalar);
  return builder_.CreateCall(
      module.getOrInsertFunction(library_name, llvm::FunctionType::get(scalar, parameters, false)), arguments);
}

// One out-of-line function per module that applies `name` to each lane: the calls would bloat every kernel that inlines them.
llvm::Function* VectorMath::PerLaneHelper(const std::string& name, llvm::Type* type, size_t arity) {
  llvm::Module& module = *builder_.GetInsertBlock()->getModule();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  const std::string helper_name = fmt::format("stead.{}.v{}", name, lanes);
  if (llvm::Function* const existing = module.getFunction(helper_name)) return existing;
  const llvm::SmallVector<llvm::Type*, 2> parameters(arity, type);
  const llvm::SmallVector<llvm::Type*, 2> scalars(arity, type->getScalarType());
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(name, llvm::FunctionType::get(type->getScalarType(), scalars, false));
  llvm::Function* const helper = llvm::Function::Create(llvm::FunctionType::get(type, parameters, false),
                                                        llvm::Function::InternalLinkage, helper_name, module);
  llvm::IRBuilder<> body(llvm::BasicBlock::Create(module.getContext(), "entry", helper));
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    llvm::SmallVector<llvm::Value*, 2> elements;
    for (llvm::Argument& argument : helper->args()) elements.push_back(body.CreateExtractElement(&argument, lane));
    result = body.CreateInsertElement(result, body.CreateCall(callee, elements), lane);
  }
  body.CreateRet(result);
  return helper;
}

llvm::Value* VectorMath::WithSlowPath(llvm::Value* fast, llvm::Value* slow_lanes, const char* name, llvm::Value* x) {
  llvm::Value* const any = slow_lanes->getType()->isVectorTy() ? builder_.CreateOrReduce(slow_lanes) : slow_lanes;
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::Function* const function = before->getParent();
  llvm::BasicBlock* const slow = llvm::BasicBlock::Create(builder_.getContext(), "slow", function);
  llvm::BasicBlock* const join = llvm::BasicBlock::Create(builder_.getContext(), "join", function);
  builder_.CreateCondBr(any, slow, join);
  builder_.SetInsertPoint(slow);
  llvm::Value* const careful = builder_.CreateSelect(slow_lanes, Library(name, {x}), fast);
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
  llvm::PHINode* const result = builder_.CreatePHI(fast->getType(), 2);
  result->addIncoming(fast, before);
  result->addIncoming(careful, slow);
  return result;
}

}  // namespace stead::cpu
