// Elementwise ops of every type, alone and fused, against the interpreter.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

std::string Unary(const std::string& op, const std::string& type, const std::string& result,
                  const std::string& attributes = "") {
  return fmt::format("HloModule m\nENTRY e {{\n  a = {1}[7,19] parameter(0)\n  ROOT r = {2}[7,19] {0}(a){3}\n}}\n", op,
                     type, result, attributes);
}

std::string Binary(const std::string& op, const std::string& type, const std::string& result,
                   const std::string& attributes = "") {
  return fmt::format(
      "HloModule m\nENTRY e {{\n  a = {1}[7,19] parameter(0)\n  b = {1}[7,19] parameter(1)\n  ROOT r = {2}[7,19] "
      "{0}(a, b){3}\n}}\n",
      op, type, result, attributes);
}

const char* const kFloats[] = {"f32", "f64", "bf16", "f16"};
const char* const kIntegers[] = {"s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"};

// The interpreter and the machine may round a 16-bit result to neighbours where the functions behind differ by an ulp of f32.
double Tolerance(const std::string& type) { return type == "bf16" ? 1e-2 : type == "f16" ? 1e-3 : 1e-6; }

TEST(Elementwise, FloatUnary) {
  for (const std::string op : {"abs",
                               "negate",
                               "sign",
                               "ceil",
                               "floor",
                               "round-nearest-afz",
                               "round-nearest-even",
                               "cbrt",
                               "cosine",
                               "erf",
                               "exponential",
                               "exponential-minus-one",
                               "log",
                               "log-plus-one",
                               "logistic",
                               "rsqrt",
                               "sine",
                               "sqrt",
                               "tan",
                               "tanh"}) {
    for (const std::string type : kFloats) ExpectSame(Unary(op, type, type), Tolerance(type));
  }
  for (const std::string type : kFloats) ExpectSame(Unary("is-finite", type, "pred"));
  ExpectSame(Unary("reduce-precision", "f32", "f32", ", exponent_bits=5, mantissa_bits=3"));
}

TEST(Elementwise, FloatBinary) {
  for (const std::string op :
       {"add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "remainder", "atan2"}) {
    for (const std::string type : kFloats) ExpectSame(Binary(op, type, type), Tolerance(type));
  }
}

TEST(Elementwise, IntegerUnary) {
  for (const std::string op : {"abs", "negate", "sign", "not", "popcnt", "count-leading-zeros"}) {
    for (const std::string type : kIntegers) {
      if (type[0] == 'u' && op == "abs") continue;
      ExpectSame(Unary(op, type, type));
    }
  }
  ExpectSame(Unary("not", "pred", "pred"));
}

TEST(Elementwise, IntegerBinary) {
  for (const std::string op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or",
                               "xor", "shift-left", "shift-right-arithmetic", "shift-right-logical", "power"}) {
    for (const std::string type : kIntegers) ExpectSame(Binary(op, type, type));
  }
  for (const std::string op : {"and", "or", "xor"}) ExpectSame(Binary(op, "pred", "pred"));
}

TEST(Elementwise, Compare) {
  for (const std::string direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    for (const std::string type : {"f32", "bf16", "s32", "u32", "s8", "pred"}) {
      ExpectSame(Binary("compare", type, "pred", ", direction=" + direction));
    }
    ExpectSame(Binary("compare", "f32", "pred", ", direction=" + direction + ", type=TOTALORDER"));
  }
}

TEST(Elementwise, Convert) {
  const std::vector<std::string> types = {"pred", "s8", "s32", "s64", "u8", "u32", "u64", "f16", "bf16", "f32", "f64"};
  for (const std::string& from : types) {
    for (const std::string& to : types) ExpectSame(Unary("convert", from, to));
  }
}

TEST(Elementwise, BitcastConvert) {
  ExpectSame(Unary("bitcast-convert", "f32", "u32"));
  ExpectSame(Unary("bitcast-convert", "s32", "f32"));
  ExpectSame(Unary("bitcast-convert", "bf16", "s16"));
  ExpectSame("HloModule m\nENTRY e {\n  a = u32[5,6] parameter(0)\n  ROOT r = u8[5,6,4] bitcast-convert(a)\n}\n");
  ExpectSame("HloModule m\nENTRY e {\n  a = u8[5,6,4] parameter(0)\n  ROOT r = u32[5,6] bitcast-convert(a)\n}\n");
}

TEST(Elementwise, SelectAndClamp) {
  ExpectSame(R"(HloModule m
ENTRY e {
  p = pred[40] parameter(0)
  a = f32[40] parameter(1)
  b = f32[40] parameter(2)
  ROOT r = f32[40] select(p, a, b)
})");
  ExpectSame(R"(HloModule m
ENTRY e {
  p = pred[] parameter(0)
  a = s32[40] parameter(1)
  b = s32[40] parameter(2)
  ROOT r = s32[40] select(p, a, b)
})");
  ExpectSame(R"(HloModule m
ENTRY e {
  l = f32[] parameter(0)
  a = f32[40] parameter(1)
  h = f32[] parameter(2)
  ROOT r = f32[40] clamp(l, a, h)
})");
}

// Values that random numbers do not hit.
TEST(Elementwise, SpecialValues) {
  for (const std::string op :
       {"sign", "round-nearest-afz", "round-nearest-even", "sqrt", "log", "exponential", "tanh"}) {
    ExpectSame(R"(HloModule m
ENTRY e {
  c = f32[10] constant({nan, inf, -inf, 0, -0, 0.5, -0.5, 1.5, 2.5, 1e-40})
  ROOT r = f32[10] )" +
               op + "(c)\n}\n");
  }
  for (const std::string op : {"maximum", "minimum", "divide", "power", "remainder", "atan2"}) {
    ExpectSame(R"(HloModule m
ENTRY e {
  a = f32[10] constant({nan, 1, inf, 0, -0, 1, -1, 0, inf, -8})
  b = f32[10] constant({1, nan, -inf, -0, 0, 0, 0, 0, 2, 0.5})
  ROOT r = f32[10] )" +
               op + "(a, b)\n}\n");
  }
  for (const std::string op : {"divide", "remainder", "shift-left", "shift-right-arithmetic", "shift-right-logical"}) {
    ExpectSame(R"(HloModule m
ENTRY e {
  a = s32[6] constant({-2147483648, 7, -7, 5, 1, -1})
  b = s32[6] constant({-1, 0, 0, 33, -1, 31})
  ROOT r = s32[6] )" +
               op + "(a, b)\n}\n");
  }
  for (const std::string type : {"s8", "u8", "s32", "u32", "s64", "u64", "pred"}) {
    ExpectSame(R"(HloModule m
ENTRY e {
  a = f32[8] constant({nan, inf, -inf, 300, -300, 3e9, -3e9, 1e20})
  ROOT r = )" + type +
               "[8] convert(a)\n}\n");
  }
}

TEST(Elementwise, FusedChain) {
  ExpectSame(R"(HloModule m
fused {
  x = f32[33,50] parameter(0)
  y = f32[33,50] parameter(1)
  n = f32[33,50] negate(x)
  s = f32[33,50] multiply(n, x)
  e = f32[33,50] exponential(s)
  t = f32[33,50] tanh(y)
  p = f32[33,50] multiply(e, t)
  one = f32[] constant(1)
  ones = f32[33,50] broadcast(one), dimensions={}
  a = f32[33,50] abs(x)
  b = f32[33,50] add(a, ones)
  l = f32[33,50] log(b)
  ROOT r = f32[33,50] add(p, l)
}
ENTRY e {
  x = f32[33,50] parameter(0)
  y = f32[33,50] parameter(1)
  ROOT r = f32[33,50] fusion(x, y), kind=kLoop, calls=fused
})");
}

TEST(Elementwise, FusedBroadcastsAndSeveralResults) {
  ExpectSame(R"(HloModule m
fused {
  x = f32[9,37] parameter(0)
  bias = f32[37] parameter(1)
  scale = f32[9] parameter(2)
  b = f32[9,37] broadcast(bias), dimensions={1}
  s = f32[9,37] broadcast(scale), dimensions={0}
  d = f32[9,37] add(x, b)
  m = f32[9,37] multiply(d, s)
  c = pred[9,37] compare(m, x), direction=GT
  ROOT t = (f32[9,37], pred[9,37]) tuple(m, c)
}
ENTRY e {
  x = f32[9,37] parameter(0)
  bias = f32[37] parameter(1)
  scale = f32[9] parameter(2)
  ROOT r = (f32[9,37], pred[9,37]) fusion(x, bias, scale), kind=kLoop, calls=fused
})");
}

// Every code as f32, and numbers of every size, ties and special ones included, as codes: the interpreter has a routine of its own.
TEST(SmallFloats, CodesAndRounding) {
  for (const std::string type :
       {"f8e5m2", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "f8e3m4", "f8e8m0fnu"}) {
    ExpectSame(fmt::format(R"(HloModule m
ENTRY e {{
  codes = u8[256] iota(), iota_dimension=0
  numbers = {0}[256] bitcast-convert(codes)
  decoded = f32[256] convert(numbers)
  step = u32[] constant(65536)
  steps = u32[65536] broadcast(step), dimensions={{}}
  count = u32[65536] iota(), iota_dimension=0
  bits = u32[65536] multiply(count, steps)
  values = f32[65536] bitcast-convert(bits)
  encoded = {0}[65536] convert(values)
  wide = f64[65536] convert(values)
  narrowed = {0}[65536] convert(wide)
  sums = {0}[256] add(numbers, numbers)
  encoded_codes = u8[65536] bitcast-convert(encoded)
  narrowed_codes = u8[65536] bitcast-convert(narrowed)
  ROOT r = (f32[256], u8[65536], u8[65536], {0}[256]) tuple(decoded, encoded_codes, narrowed_codes, sums)
}}
)",
                           type));
  }
}

TEST(SmallIntegers, ArithmeticWraps) {
  for (const std::string type : {"s4", "u4", "s2", "u2"}) {
    ExpectSame(fmt::format(R"(HloModule m
ENTRY e {{
  a = s32[37] parameter(0)
  b = s32[37] parameter(1)
  x = {0}[37] convert(a)
  y = {0}[37] convert(b)
  sum = {0}[37] add(x, y)
  product = {0}[37] multiply(sum, x)
  quotient = {0}[37] divide(product, y)
  less = pred[37] compare(quotient, x), direction=LT
  chosen = {0}[37] select(less, x, product)
  back = s8[37] convert(chosen)
  turned = {0}[37] reverse(chosen), dimensions={{0}}
  ROOT r = ({0}[37], s8[37], {0}[37]) tuple(quotient, back, turned)
}}
)",
                           type));
  }
}

}  // namespace
}  // namespace stead::cpu
