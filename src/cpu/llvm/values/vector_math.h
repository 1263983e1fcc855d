// Mathematical functions written out as LLVM IR over a vector (or one element) of f32 or f64.
//   In: an insertion point and values whose type is float, double or a fixed vector of them.  Out: a value of the same type.
//   f32 exp, expm1, log, log1p, sin, cos, tanh, erf and logistic are inlined polynomials: calls would spill every vector register
//   and cost about twice the time. The others call the C library lane by lane. Error bound: 2 ulp, f64 4 ulp; NaN, infinities,
//   denormal numbers and the sign of zero come out as in IEEE 754 and C. Measured in vector_math_test.cpp.
//   A function may add basic blocks (rare slow paths): read the builder's insertion block again afterwards.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace stead::cpu {

class VectorMath {
 public:
  explicit VectorMath(llvm::IRBuilder<>& builder) : builder_(builder) {}

  llvm::Value* Exp(llvm::Value* x);
  llvm::Value* Expm1(llvm::Value* x);
  llvm::Value* Log(llvm::Value* x);
  llvm::Value* Log1p(llvm::Value* x);
  llvm::Value* Sin(llvm::Value* x);
  llvm::Value* Cos(llvm::Value* x);
  llvm::Value* Tan(llvm::Value* x);
  llvm::Value* Tanh(llvm::Value* x);
  llvm::Value* Erf(llvm::Value* x);
  llvm::Value* Logistic(llvm::Value* x);
  llvm::Value* Cbrt(llvm::Value* x);
  llvm::Value* Sqrt(llvm::Value* x);
  llvm::Value* Rsqrt(llvm::Value* x);
  llvm::Value* Pow(llvm::Value* base, llvm::Value* exponent);
  llvm::Value* Atan2(llvm::Value* y, llvm::Value* x);
  // x - y * trunc(x / y), exactly; the sign of x.
  llvm::Value* Remainder(llvm::Value* x, llvm::Value* y);

  // A function of the C library, lane by lane; `name` is the f64 one. REQUIRES: listed in RuntimeSymbols.
  llvm::Value* Library(const char* name, llvm::ArrayRef<llvm::Value*> arguments);

 private:
  // A constant of the type of `like`, and the integer vector type of the same shape.
  llvm::Constant* Real(llvm::Value* like, double value);
  llvm::Type* IntegerType(llvm::Value* like);
  llvm::Constant* Integer(llvm::Value* like, int64_t value);

  llvm::Value* Fma(llvm::Value* x, llvm::Value* y, llvm::Value* z);
  llvm::Value* Abs(llvm::Value* x);
  llvm::Value* CopySign(llvm::Value* magnitude, llvm::Value* sign);
  // coefficients[0] + coefficients[1] * x + ... by Horner's rule with fused steps.
  llvm::Value* Polynomial(llvm::Value* x, llvm::ArrayRef<double> coefficients);

  // x = n * period + rest with n the nearest integer; `integer` is n as integers.
  struct Reduced {
    llvm::Value* integer;
    llvm::Value* real;
    llvm::Value* rest;
  };
  Reduced Reduce(llvm::Value* x, double inverse_period, llvm::ArrayRef<double> period_parts);
  // 2^n for n in [-126, 127].
  llvm::Value* PowerOfTwo(llvm::Value* n);
  // Multiplies by 2^n in two steps, so that results at both ends of the range round correctly.
  struct HalfScales {
    llvm::Value* first;
    llvm::Value* second;
    llvm::Value* second_inverse;
  };
  HalfScales SplitScale(llvm::Value* n);
  // Splits a positive normal number into m * 2^e with m in [sqrt(1/2), sqrt(2)).
  struct Decomposed {
    llvm::Value* mantissa;
    llvm::Value* exponent;
  };
  Decomposed Decompose(llvm::Value* x);
  // log(1 + f) + e * log(2) for f in [sqrt(1/2) - 1, sqrt(2) - 1).
  llvm::Value* LogOfReduced(llvm::Value* f, llvm::Value* exponent);
  // sin (phase 0) or cos (phase 1).
  llvm::Value* SinOrCos(llvm::Value* x, int phase, const char* library_name);

  llvm::Function* PerLaneHelper(const std::string& name, llvm::Type* type, size_t arity);
  // `fast`, or the library's result for lanes where `slow_lanes` is set; nothing is called when no lane is.
  llvm::Value* WithSlowPath(llvm::Value* fast, llvm::Value* slow_lanes, const char* name, llvm::Value* x);

  llvm::IRBuilder<>& builder_;
};

}  // namespace stead::cpu
