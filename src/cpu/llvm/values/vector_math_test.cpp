// Every function against the C library in higher precision, over samples of all bit patterns and around the hard places.
#include "cpu/llvm/values/vector_math.h"

#include <gtest/gtest.h>
#include <llvm/IR/Module.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "cpu/llvm/jit.h"

namespace stead::cpu {
namespace {

using BuildFunction = std::function<llvm::Value*(VectorMath&, llvm::Value*, llvm::Value*)>;

// Code that reads one vector from each of two arrays and writes one.
template <typename T>
class Probe {
 public:
  using Code = void(const T*, const T*, T*);

  Probe(const BuildFunction& build, int64_t lanes) : lanes_(lanes), code_(Compile(build, lanes)) {
    run_ = reinterpret_cast<Code*>(code_.Find("probe").value());
  }

  std::vector<T> operator()(std::vector<T> x, std::vector<T> y) const {
    const size_t size = x.size();
    const size_t padded = (size + lanes_ - 1) / lanes_ * lanes_;
    x.resize(padded, T(1));
    y.resize(padded, T(1));
    std::vector<T> out(padded);
    for (size_t start = 0; start < padded; start += lanes_) run_(&x[start], &y[start], &out[start]);
    out.resize(size);
    return out;
  }

 private:
  static MachineCode Compile(const BuildFunction& build, int64_t lanes) {
    JitModule module("probe");
    llvm::IRBuilder<> builder(module.context());
    llvm::Type* const scalar = sizeof(T) == 4 ? builder.getFloatTy() : builder.getDoubleTy();
    llvm::Type* const type = lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
    llvm::Type* const pointer = builder.getPtrTy();
    llvm::Function* const function =
        llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer}, false),
                               llvm::Function::ExternalLinkage, "probe", module.ir());
    builder.SetInsertPoint(llvm::BasicBlock::Create(module.context(), "entry", function));
    const llvm::Align align(sizeof(T));
    llvm::Value* const x = builder.CreateAlignedLoad(type, function->getArg(0), align);
    llvm::Value* const y = builder.CreateAlignedLoad(type, function->getArg(1), align);
    VectorMath math(builder);
    builder.CreateAlignedStore(build(math, x, y), function->getArg(2), align);
    builder.CreateRetVoid();
    return MachineCode::Compile(std::move(module)).value();
  }

  int64_t lanes_;
  MachineCode code_;
  Code* run_ = nullptr;
};

// Distance between `actual` and the exact value in units of the last place of T at `exact`.
template <typename T>
double Ulps(T actual, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(actual)) return std::isnan(rounded) == std::isnan(actual) ? 0 : HUGE_VAL;
  if (actual == rounded) return std::signbit(actual) == std::signbit(rounded) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(actual)) {
    // One step past the largest number is one ulp.
    const T finite = std::isinf(rounded) ? actual : rounded;
    return std::abs(finite) == std::numeric_limits<T>::max() ? 1 : HUGE_VAL;
  }
  const int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const int exponent = std::max(exact == 0 ? lowest : std::ilogb(exact) - std::numeric_limits<T>::digits + 1, lowest);
  return static_cast<double>(std::abs(static_cast<long double>(actual) - exact) / std::ldexp(1.0L, exponent));
}

template <typename T>
std::vector<T> SpecialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (T value : {T(0),
                  T(1),
                  T(2),
                  T(3),
                  T(0.5),
                  T(0.625),
                  T(0.925),
                  T(10),
                  T(88.7),
                  T(89),
                  T(104),
                  T(709.7),
                  T(1e5),
                  T(1e10),
                  Limits::min(),
                  Limits::denorm_min(),
                  Limits::max(),
                  Limits::epsilon(),
                  Limits::infinity(),
                  Limits::quiet_NaN()}) {
    values.push_back(value);
    values.push_back(-value);
  }
  return values;
}

// Numbers spread evenly over all bit patterns, `count` of them, then evenly over [-20, 20].
template <typename T>
std::vector<T> Sample(int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> values = SpecialValues<T>();
  const Bits step = (std::numeric_limits<Bits>::max() / count) | 1;
  for (int64_t index = 0; index < count; ++index) values.push_back(std::bit_cast<T>(static_cast<Bits>(step * index)));
  for (int64_t index = 0; index < count; ++index) values.push_back(static_cast<T>(-20 + 40.0 * index / count));
  return values;
}

using Exact = std::function<long double(long double, long double)>;

template <typename T>
void ExpectClose(const BuildFunction& build, const Exact& exact, double limit, const std::vector<T>& x,
                 const std::vector<T>& y, int64_t lanes) {
  const std::vector<T> actual = Probe<T>(build, lanes)(x, y);
  double worst = 0;
  size_t where = 0;
  for (size_t index = 0; index < x.size(); ++index) {
    const double ulps = Ulps<T>(actual[index], exact(x[index], y[index]));
    if (ulps > worst) worst = ulps, where = index;
  }
  EXPECT_LE(worst, limit) << lanes << " lanes: f(" << x[where] << ", " << y[where] << ") = " << actual[where]
                          << ", exactly " << exact(x[where], y[where]);
}

template <typename T>
void ExpectClose(const BuildFunction& build, const Exact& exact, double limit, const std::vector<T>& x,
                 const std::vector<T>& y) {
  // One element and full vectors on this CPU, then the code for CPUs with shorter vectors and without fused multiply-add.
  for (const char* cpu : {"", "haswell", "x86-64-v2"}) {
    UseCpuForTesting(cpu);
    const int64_t lanes = *cpu == 0 ? 1 : NativeVectorBytes() / sizeof(T);
    ExpectClose<T>(build, exact, limit, x, y, lanes);
  }
  UseCpuForTesting("");
  ExpectClose<T>(build, exact, limit, x, y, NativeVectorBytes() / sizeof(T));
}

void ExpectUnary(llvm::Value* (VectorMath::*function)(llvm::Value*), long double (*exact)(long double),
                 double limit_f32 = 2, double limit_f64 = 4) {
  const BuildFunction build = [&](VectorMath& math, llvm::Value* x, llvm::Value*) { return (math.*function)(x); };
  const Exact wide = [&](long double x, long double) { return exact(x); };
  const std::vector<float> x = Sample<float>(200000);
  ExpectClose<float>(build, wide, limit_f32, x, x);
  const std::vector<double> x64 = Sample<double>(10000);
  ExpectClose<double>(build, wide, limit_f64, x64, x64);
}

TEST(VectorMath, Exp) { ExpectUnary(&VectorMath::Exp, std::exp); }
TEST(VectorMath, Expm1) { ExpectUnary(&VectorMath::Expm1, std::expm1); }
TEST(VectorMath, Log) { ExpectUnary(&VectorMath::Log, std::log); }
TEST(VectorMath, Log1p) { ExpectUnary(&VectorMath::Log1p, std::log1p); }
TEST(VectorMath, Sin) { ExpectUnary(&VectorMath::Sin, std::sin); }
TEST(VectorMath, Cos) { ExpectUnary(&VectorMath::Cos, std::cos); }
TEST(VectorMath, Tan) { ExpectUnary(&VectorMath::Tan, std::tan); }
TEST(VectorMath, Tanh) { ExpectUnary(&VectorMath::Tanh, std::tanh); }
TEST(VectorMath, Erf) { ExpectUnary(&VectorMath::Erf, std::erf); }
TEST(VectorMath, Cbrt) { ExpectUnary(&VectorMath::Cbrt, std::cbrt); }
TEST(VectorMath, Sqrt) { ExpectUnary(&VectorMath::Sqrt, std::sqrt, 0.5, 0.51); }
TEST(VectorMath, Rsqrt) {
  ExpectUnary(&VectorMath::Rsqrt, [](long double x) { return 1 / std::sqrt(x); });
}
TEST(VectorMath, Logistic) {
  ExpectUnary(&VectorMath::Logistic, [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.5);
}

void ExpectBinary(llvm::Value* (VectorMath::*function)(llvm::Value*, llvm::Value*),
                  long double (*exact)(long double, long double), double limit = 2) {
  const BuildFunction build = [&](VectorMath& math, llvm::Value* x, llvm::Value* y) { return (math.*function)(x, y); };
  std::vector<float> x, y;
  for (float left : SpecialValues<float>()) {
    for (float right : SpecialValues<float>()) x.push_back(left), y.push_back(right);
  }
  for (float left : Sample<float>(300)) {
    for (float right : Sample<float>(50)) x.push_back(left), y.push_back(right);
  }
  ExpectClose<float>(build, exact, limit, x, y);
  ExpectClose<double>(build, exact, 2 * limit, std::vector<double>(x.begin(), x.end()),
                      std::vector<double>(y.begin(), y.end()));
}

TEST(VectorMath, Pow) { ExpectBinary(&VectorMath::Pow, std::pow); }
TEST(VectorMath, Atan2) { ExpectBinary(&VectorMath::Atan2, std::atan2); }
TEST(VectorMath, Remainder) { ExpectBinary(&VectorMath::Remainder, std::fmod, 0); }

TEST(MachineCode, RefusesUnknownFunction) {
  const MachineCode code = MachineCode::Compile(JitModule("empty")).value();
  EXPECT_FALSE(code.Find("missing").ok());
}

TEST(MachineCode, RefusesMalformedModule) {
  JitModule module("malformed");
  llvm::IRBuilder<> builder(module.context());
  llvm::Function* const function = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), false),
                                                          llvm::Function::ExternalLinkage, "open", module.ir());
  llvm::BasicBlock::Create(module.context(), "entry", function);
  EXPECT_FALSE(MachineCode::Compile(std::move(module)).ok());
}

TEST(MachineCode, DumpsEveryStage) {
  std::vector<std::string> stages;
  const DumpSink sink = [&](std::string_view stage, std::string_view) { stages.emplace_back(stage); };
  ASSERT_TRUE(MachineCode::Compile(JitModule("empty"), sink).ok());
  EXPECT_EQ(stages, (std::vector<std::string>{"ir", "optimized-ir", "assembly"}));
}

}  // namespace
}  // namespace stead::cpu
