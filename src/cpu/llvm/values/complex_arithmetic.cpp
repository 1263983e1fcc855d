#include "cpu/llvm/values/complex_arithmetic.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/check.h"
#include "cpu/llvm/runtime_symbols.h"

namespace stead::cpu {
namespace {

using ir::Opcode;

// The name in ComplexFunctions() of ops that are not written out here; none for all others.
const char* LibraryName(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos: return "acos";
    case Opcode::kAcosh: return "acosh";
    case Opcode::kAsin: return "asin";
    case Opcode::kAsinh: return "asinh";
    case Opcode::kAtan2: return "atan2";
    case Opcode::kAtanh: return "atanh";
    case Opcode::kCbrt: return "cbrt";
    case Opcode::kCosine: return "cos";
    case Opcode::kCosh: return "cosh";
    case Opcode::kExponentialMinusOne: return "expm1";
    case Opcode::kLog: return "log";
    case Opcode::kLogPlusOne: return "log1p";
    case Opcode::kLogistic: return "logistic";
    case Opcode::kPower: return "pow";
    case Opcode::kRsqrt: return "rsqrt";
    case Opcode::kSine: return "sin";
    case Opcode::kSinh: return "sinh";
    case Opcode::kSqrt: return "sqrt";
    case Opcode::kTan: return "tan";
    case Opcode::kTanh: return "tanh";
    default: return nullptr;
  }
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool ComplexArithmetic::Supports(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAdd:
    case Opcode::kDivide:
    case Opcode::kExponential:
    case Opcode::kImag:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kReal:
    case Opcode::kSign:
    case Opcode::kSubtract: return true;
    default: return LibraryName(opcode) != nullptr;
  }
}

llvm::Value* ComplexArithmetic::Unary(Opcode opcode, llvm::Value* x) {
  switch (opcode) {
    case Opcode::kAbs: return Narrow(WideAbs(x), registers_.RealPart(x));
    case Opcode::kExponential: return Exp(x);
    case Opcode::kImag: return registers_.ImaginaryPart(x);
    case Opcode::kNegate: return registers_.ForParts(x, [&](llvm::Value* part) { return builder_.CreateFNeg(part); });
    case Opcode::kReal: return registers_.RealPart(x);
    case Opcode::kSign: return Sign(x);
    default: return Library(LibraryName(opcode), {x});
  }
}

llvm::Value* ComplexArithmetic::Binary(Opcode opcode, llvm::Value* left, llvm::Value* right) {
  const Parts l = PartsOf(left);
  const Parts r = PartsOf(right);
  switch (opcode) {
    case Opcode::kAdd:
      return registers_.Complex(builder_.CreateFAdd(l.real, r.real), builder_.CreateFAdd(l.imaginary, r.imaginary));
    case Opcode::kSubtract:
      return registers_.Complex(builder_.CreateFSub(l.real, r.real), builder_.CreateFSub(l.imaginary, r.imaginary));
    case Opcode::kMultiply: return Multiply(left, right);
    case Opcode::kDivide: return Divide(left, right);
    default: return Library(LibraryName(opcode), {left, right});
  }
}

llvm::Value* ComplexArithmetic::Equal(llvm::Value* left, llvm::Value* right) {
  const Parts l = PartsOf(left);
  const Parts r = PartsOf(right);
  return builder_.CreateAnd(builder_.CreateFCmpOEQ(l.real, r.real), builder_.CreateFCmpOEQ(l.imaginary, r.imaginary));
}

// ---------------------------------------------------------------------------------------------------------------------
// In line.

ComplexArithmetic::Parts ComplexArithmetic::WideParts(llvm::Value* complex) {
  const Parts parts = PartsOf(complex);
  llvm::Type* const wide = Registers::Like(parts.real, builder_.getDoubleTy());
  return {builder_.CreateFPExt(parts.real, wide), builder_.CreateFPExt(parts.imaginary, wide)};
}

llvm::Value* ComplexArithmetic::Narrow(llvm::Value* value, llvm::Value* like) {
  return builder_.CreateFPTrunc(value, like->getType());
}

llvm::Value* ComplexArithmetic::WideAbs(llvm::Value* x) {
  const Parts parts = WideParts(x);
  if (registers_.RealPart(x)->getType() == parts.real->getType()) {
    return math_.Library("hypot", {parts.real, parts.imaginary});
  }
  // Squares of f32 numbers stay in the range of f64. An infinite part makes infinity, also beside NaN.
  llvm::Value* const squares = builder_.CreateFAdd(builder_.CreateFMul(parts.real, parts.real),
                                                   builder_.CreateFMul(parts.imaginary, parts.imaginary));
  llvm::Constant* const infinity = llvm::ConstantFP::get(squares->getType(), kInfinity);
  const auto is_infinite = [&](llvm::Value* part) {
    return builder_.CreateFCmpOEQ(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, part), infinity);
  };
  llvm::Value* const any_infinite = builder_.CreateOr(is_infinite(parts.real), is_infinite(parts.imaginary));
  return builder_.CreateSelect(any_infinite, infinity, math_.Sqrt(squares));
}

// 0 is its own sign.
llvm::Value* ComplexArithmetic::Sign(llvm::Value* x) {
  const Parts wide = WideParts(x);
  llvm::Value* const size = WideAbs(x);
  llvm::Value* const like = registers_.RealPart(x);
  llvm::Value* const real = Narrow(builder_.CreateFDiv(wide.real, size), like);
  llvm::Value* const imaginary = Narrow(builder_.CreateFDiv(wide.imaginary, size), like);
  llvm::Value* const is_zero = builder_.CreateFCmpOEQ(size, llvm::Constant::getNullValue(size->getType()));
  return registers_.Select(is_zero, x, registers_.Complex(real, imaginary));
}

// exp(x) is applied in two halves, so that it overflows only when the result does.
llvm::Value* ComplexArithmetic::Exp(llvm::Value* x) {
  const auto [real, imaginary] = PartsOf(x);
  llvm::Constant* const zero = llvm::Constant::getNullValue(real->getType());
  llvm::Value* const is_real = builder_.CreateFCmpOEQ(imaginary, zero);
  // Half of an infinity is the same; on the real line the whole exponential is the result.
  llvm::Value* const half = builder_.CreateFMul(real, llvm::ConstantFP::get(real->getType(), 0.5));
  llvm::Value* const scale = math_.Exp(builder_.CreateSelect(is_real, real, half));
  const auto scaled = [&](llvm::Value* direction) {
    return builder_.CreateFMul(builder_.CreateFMul(scale, direction), scale);
  };
  llvm::Value* const on_circle = registers_.Complex(scaled(math_.Cos(imaginary)), scaled(math_.Sin(imaginary)));
  return registers_.Select(is_real, registers_.Complex(scale, imaginary), on_circle);
}

llvm::Value* ComplexArithmetic::Multiply(llvm::Value* left, llvm::Value* right) {
  const Parts l = PartsOf(left);
  const Parts r = PartsOf(right);
  return registers_.Complex(
      builder_.CreateFSub(builder_.CreateFMul(l.real, r.real), builder_.CreateFMul(l.imaginary, r.imaginary)),
      builder_.CreateFAdd(builder_.CreateFMul(l.real, r.imaginary), builder_.CreateFMul(l.imaginary, r.real)));
}

// Divides through by the larger part of the divisor, so that its square is never formed (Smith's method).
llvm::Value* ComplexArithmetic::FiniteQuotient(llvm::Value* left, llvm::Value* right) {
  const Parts l = WideParts(left);
  const Parts r = WideParts(right);
  const auto magnitude = [&](llvm::Value* part) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, part); };
  llvm::Value* const is_real_larger = builder_.CreateFCmpOGE(magnitude(r.real), magnitude(r.imaginary));
  const auto pick = [&](llvm::Value* if_real, llvm::Value* otherwise) {
    return builder_.CreateSelect(is_real_larger, if_real, otherwise);
  };
  llvm::Value* const larger = pick(r.real, r.imaginary);
  llvm::Value* const smaller = pick(r.imaginary, r.real);
  llvm::Value* const ratio = builder_.CreateFDiv(smaller, larger);
  llvm::Value* const scale = builder_.CreateFAdd(larger, builder_.CreateFMul(smaller, ratio));
  llvm::Value* const first = pick(l.real, l.imaginary);
  llvm::Value* const second = pick(l.imaginary, l.real);
  llvm::Value* const real = builder_.CreateFAdd(first, builder_.CreateFMul(second, ratio));
  llvm::Value* const product = builder_.CreateFMul(first, ratio);
  llvm::Value* const imaginary = builder_.CreateFSub(pick(second, product), pick(product, second));
  llvm::Value* const like = registers_.RealPart(left);
  return registers_.Complex(Narrow(builder_.CreateFDiv(real, scale), like),
                            Narrow(builder_.CreateFDiv(imaginary, scale), like));
}

// Quotients that arithmetic cannot give, of zeros and infinities, are looked up out of line.
llvm::Value* ComplexArithmetic::Divide(llvm::Value* left, llvm::Value* right) {
  const auto [real, imaginary] = PartsOf(FiniteQuotient(left, right));
  llvm::Value* const is_lost =
      builder_.CreateAnd(builder_.CreateFCmpUNO(real, real), builder_.CreateFCmpUNO(imaginary, imaginary));
  llvm::Value* const any_lost = is_lost->getType()->isVectorTy() ? builder_.CreateOrReduce(is_lost) : is_lost;
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const slow = llvm::BasicBlock::Create(builder_.getContext(), "slow", before->getParent());
  llvm::BasicBlock* const join = llvm::BasicBlock::Create(builder_.getContext(), "join", before->getParent());
  builder_.CreateCondBr(any_lost, slow, join);
  builder_.SetInsertPoint(slow);
  const Parts careful = PartsOf(Library("divide", {left, right}));
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
  const auto merged = [&](llvm::Value* fast, llvm::Value* slow_value) {
    llvm::PHINode* const value = builder_.CreatePHI(fast->getType(), 2);
    value->addIncoming(fast, before);
    value->addIncoming(slow_value, slow);
    return value;
  };
  llvm::PHINode* const merged_real = merged(real, careful.real);
  return registers_.Complex(merged_real, merged(imaginary, careful.imaginary));
}

// ---------------------------------------------------------------------------------------------------------------------
// Out of line.

llvm::Value* ComplexArithmetic::Local(llvm::Type* type) {
  llvm::BasicBlock& entry = builder_.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> start(&entry, entry.begin());
  return start.CreateAlloca(type);
}

llvm::Value* ComplexArithmetic::Library(const char* name, llvm::ArrayRef<llvm::Value*> operands) {
  STEAD_CHECK(name != nullptr);
  llvm::Type* const part = registers_.RealPart(operands.front())->getType();
  const int64_t lanes = std::max(Registers::LaneCount(operands.front()), 1U);
  llvm::Value* const arguments = Local(llvm::ArrayType::get(part, 2 * operands.size()));
  llvm::Value* const results = Local(llvm::ArrayType::get(part, 2));
  unsigned place = 0;
  for (llvm::Value* const operand : operands) {
    const auto [real, imaginary] = PartsOf(operand);
    builder_.CreateStore(real, builder_.CreateConstGEP1_64(part, arguments, place++));
    builder_.CreateStore(imaginary, builder_.CreateConstGEP1_64(part, arguments, place++));
  }
  llvm::Type* const pointer = builder_.getPtrTy();
  llvm::FunctionType* const type =
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, builder_.getInt64Ty()}, false);
  const std::string symbol = ComplexSymbol(name, part->getScalarType()->isDoubleTy());
  const llvm::FunctionCallee function = builder_.GetInsertBlock()->getModule()->getOrInsertFunction(symbol, type);
  builder_.CreateCall(function, {arguments, results, builder_.getInt64(lanes)});
  llvm::Value* const real = builder_.CreateLoad(part, results);
  return registers_.Complex(real, builder_.CreateLoad(part, builder_.CreateConstGEP1_64(part, results, 1)));
}

}  // namespace stead::cpu
