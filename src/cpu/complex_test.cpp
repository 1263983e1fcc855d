// Complex numbers and Fourier transforms: every op that takes them, alone, fused and inside reducers, against the interpreter.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

const std::vector<std::string> kTypes = {"c64", "c128"};

double ToleranceOf(const std::string& type) { return type == "c128" ? 1e-14 : 2e-6; }
std::string PartOf(const std::string& type) { return type == "c128" ? "f64" : "f32"; }

void ExpectOp(const std::string& op, const std::string& operand, int operand_count, const std::string& result,
              double tolerance, const std::string& attributes = "") {
  const std::string call = operand_count == 1 ? op + "(a)" : op + "(a, b)";
  ExpectSame(fmt::format("HloModule m\nENTRY e {{\n  a = {0}[7,19] parameter(0)\n  b = {0}[7,19] parameter(1)\n"
                         "  ROOT r = {1}[7,19] {2}{3}\n}}\n",
                         operand, result, call, attributes),
             tolerance);
}

TEST(Complex, Unary) {
  for (const std::string& type : kTypes) {
    for (const std::string op : {"acos", "acosh",        "asin",     "asinh",       "atanh",
                                 "cbrt", "cosine",       "cosh",     "exponential", "exponential-minus-one",
                                 "log",  "log-plus-one", "logistic", "negate",      "rsqrt",
                                 "sign", "sine",         "sinh",     "sqrt",        "tan",
                                 "tanh"}) {
      ExpectOp(op, type, 1, type, ToleranceOf(type));
    }
    for (const std::string op : {"abs", "real", "imag"}) ExpectOp(op, type, 1, PartOf(type), ToleranceOf(type));
    for (const std::string op : {"real", "imag"}) ExpectOp(op, PartOf(type), 1, PartOf(type), 0);
  }
}

TEST(Complex, Binary) {
  for (const std::string& type : kTypes) {
    for (const std::string op : {"add", "subtract", "multiply", "divide", "power", "atan2"}) {
      ExpectOp(op, type, 2, type, ToleranceOf(type));
    }
    ExpectOp("complex", PartOf(type), 2, type, 0);
    for (const std::string direction : {"EQ", "NE"}) {
      ExpectOp("compare", type, 2, "pred", 0, ", direction=" + direction);
    }
  }
}

TEST(Complex, Convert) {
  for (const std::string& type : kTypes) {
    for (const std::string other : {"pred", "s8", "u32", "s64", "bf16", "f16", "f32", "f64", "c64", "c128"}) {
      ExpectOp("convert", other, 1, type, 0);
      ExpectOp("convert", type, 1, other, 0);
    }
  }
}

// Every pair of these parts.
std::string SpecialNumbers(const std::string& type, bool second) {
  const std::vector<std::string> parts = {"0", "-0", "1", "-2", "inf", "-inf", "nan", "1e30", "-1e-30"};
  std::string text;
  const auto add = [&](const std::string& real, const std::string& imaginary) {
    text += fmt::format("{}({},{})", text.empty() ? "" : ", ", real, imaginary);
  };
  // Crossed with a shorter list when there are two operands.
  const std::vector<std::pair<std::string, std::string>> others = {{"0", "0"},   {"-0", "1"},    {"2", "-1"},
                                                                   {"inf", "1"}, {"nan", "nan"}, {"1e30", "1e30"}};
  int64_t count = 0;
  for (const std::string& real : parts) {
    for (const std::string& imaginary : parts) {
      for (const auto& other : others) {
        second ? add(other.first, other.second) : add(real, imaginary);
        ++count;
      }
    }
  }
  return fmt::format("{}[{}] constant({{{}}})", type, count, text);
}

TEST(Complex, SpecialValues) {
  for (const std::string& type : kTypes) {
    const std::string numbers = SpecialNumbers(type, false);
    const std::string shape = numbers.substr(0, numbers.find(' '));
    const auto expect = [&](const std::string& result) {
      ExpectSame(fmt::format("HloModule m\nENTRY e {{\n  a = {}\n  b = {}\n  {}\n}}\n", numbers,
                             SpecialNumbers(type, true), result),
                 ToleranceOf(type));
    };
    for (const std::string op :
         {"exponential", "log", "sqrt", "rsqrt", "sign", "tanh", "log-plus-one", "exponential-minus-one", "sine"}) {
      expect(fmt::format("ROOT r = {} {}(a)", shape, op));
    }
    for (const std::string op : {"multiply", "divide"}) expect(fmt::format("ROOT r = {} {}(a, b)", shape, op));
    expect(fmt::format("ROOT r = {}{} abs(a)", PartOf(type), shape.substr(shape.find('['))));
  }
}

TEST(Complex, Movement) {
  ExpectSame(R"(HloModule m
ENTRY e {
  a = c64[5,40] parameter(0)
  s = c64[] parameter(1)
  t = c64[40,5] transpose(a), dimensions={1,0}
  v = c64[40,5] reverse(t), dimensions={0}
  w = c64[19,5] slice(v), slice={[1:39:2], [0:5]}
  ROOT r = c64[39,8] pad(w, s), padding=1_1_1x2_1
})");
}

TEST(Complex, Placement) {
  ExpectSame(R"(HloModule m
ENTRY e {
  a = c128[6,21] parameter(0)
  b = c128[6,21] parameter(1)
  i = s32[2] parameter(2)
  c = c128[12,21] concatenate(a, b), dimensions={0}
  g = c128[2,21] gather(c, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,21}
  k = c128[] constant((1.5,-2))
  n = c128[2,21] iota(), iota_dimension=1
  f = c128[2,21] broadcast(k), dimensions={}
  m = c128[2,21] multiply(n, f)
  x = c128[2,21] add(g, m)
  j = s32[] constant(3)
  z = s32[] constant(0)
  ROOT r = c128[12,21] dynamic-update-slice(c, x, j, z)
})");
}

TEST(Complex, ScatterAdds) {
  ExpectSame(R"(HloModule m
add {
  x = c64[] parameter(0)
  y = c64[] parameter(1)
  ROOT r = c64[] add(x, y)
}
ENTRY e {
  a = c64[9,17] parameter(0)
  i = s32[5,1] parameter(1)
  u = c64[5,17] parameter(2)
  ROOT r = c64[9,17] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})");
}

// Along rows in vectors, along columns lane by lane, and over everything.
TEST(Complex, Reductions) {
  for (const std::string& type : kTypes) {
    for (const std::string op : {"add", "multiply"}) {
      for (const auto& [dimensions, result] :
           std::vector<std::pair<std::string, std::string>>{{"1", "[6]"}, {"0", "[150]"}, {"0,1", "[]"}}) {
        ExpectSame(fmt::format(R"(HloModule m
f {{
  x = {0}[] parameter(0)
  y = {0}[] parameter(1)
  ROOT r = {0}[] {1}(x, y)
}}
ENTRY e {{
  a = {0}[6,150] parameter(0)
  s = {0}[6,150] sign(a)
  i = {0}[] constant((1,0.5))
  ROOT r = {0}{2} reduce(s, i), dimensions={{{3}}}, to_apply=f
}})",
                               type, op, result, dimensions),
                   type == "c128" ? 1e-13 : 1e-4);
      }
    }
  }
}

TEST(Complex, FusedWithReals) {
  ExpectSame(R"(HloModule m
fused {
  x = c64[9,37] parameter(0)
  y = f32[9,37] parameter(1)
  p = pred[] parameter(2)
  m = f32[9,37] real(x)
  n = f32[9,37] imag(x)
  o = f32[9,37] negate(n)
  j = c64[9,37] complex(m, o)
  q = c64[9,37] multiply(x, j)
  c = c64[9,37] convert(y)
  d = c64[9,37] divide(q, c)
  s = c64[9,37] select(p, d, x)
  a = f32[9,37] abs(s)
  e = c64[9,37] exponential(j)
  ROOT t = (f32[9,37], c64[9,37]) tuple(a, e)
}
ENTRY e {
  x = c64[9,37] parameter(0)
  y = f32[9,37] parameter(1)
  p = pred[] parameter(2)
  ROOT r = (f32[9,37], c64[9,37]) fusion(x, y, p), kind=kLoop, calls=fused
})");
}

TEST(Complex, SortsByRealPart) {
  ExpectSame(R"(HloModule m
before {
  x = c64[] parameter(0)
  y = c64[] parameter(1)
  k = s32[] parameter(2)
  l = s32[] parameter(3)
  a = f32[] real(x)
  b = f32[] real(y)
  ROOT r = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = c64[5,33] parameter(0)
  k = s32[5,33] iota(), iota_dimension=1
  ROOT r = (c64[5,33], s32[5,33]) sort(x, k), dimensions={1}, is_stable=true, to_apply=before
})");
}

TEST(Complex, Products) {
  for (const std::string& type : kTypes) {
    ExpectSame(fmt::format(R"(HloModule m
ENTRY e {{
  a = {0}[3,17,20] parameter(0)
  b = {0}[3,9,20] parameter(1)
  ROOT r = {0}[3,17,9] dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}}
}})",
                           type),
               type == "c128" ? 1e-13 : 2e-5);
  }
}

TEST(Complex, WhatHasNoMeaningIsRefused) {
  for (const std::string root : {"c64[4,2] bitcast-convert(a)", "pred[4] compare(a, a), direction=LT"}) {
    const auto executable =
        CompileModule(Parse("HloModule m\nENTRY e {\n  a = c128[4] parameter(0)\n  ROOT r = " + root + "\n}\n"));
    ASSERT_FALSE(executable.ok()) << root;
    EXPECT_EQ(executable.error().code, ErrorCode::kUnimplemented) << root;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Fourier transforms.

void ExpectFft(const std::string& operand, const std::string& result, const std::string& kind,
               const std::string& length) {
  const bool is_wide = operand.starts_with("f64") || operand.starts_with("c128");
  ExpectSame(fmt::format("HloModule m\nENTRY e {{\n  a = {} parameter(0)\n  ROOT r = {} fft(a), fft_type={}, "
                         "fft_length={{{}}}\n}}\n",
                         operand, result, kind, length),
             is_wide ? 1e-13 : 2e-5);
}

TEST(Fft, OneDimension) {
  for (const int64_t size : {1, 2, 3, 8, 20, 49, 97}) {
    const int64_t half = size / 2 + 1;
    for (const std::string& type : kTypes) {
      const std::string part = PartOf(type);
      const std::string whole = fmt::format("{}[3,{}]", type, size);
      ExpectFft(whole, whole, "FFT", fmt::to_string(size));
      ExpectFft(whole, whole, "IFFT", fmt::to_string(size));
      ExpectFft(fmt::format("{}[3,{}]", part, size), fmt::format("{}[3,{}]", type, half), "RFFT", fmt::to_string(size));
      ExpectFft(fmt::format("{}[3,{}]", type, half), fmt::format("{}[3,{}]", part, size), "IRFFT",
                fmt::to_string(size));
    }
  }
}

TEST(Fft, SeveralDimensions) {
  ExpectFft("c64[2,4,6,5]", "c64[2,4,6,5]", "FFT", "4,6,5");
  ExpectFft("c64[4,6,5]", "c64[4,6,5]", "IFFT", "6,5");
  ExpectFft("f64[2,4,6,5]", "c128[2,4,6,3]", "RFFT", "4,6,5");
  ExpectFft("c64[2,4,6,4]", "f32[2,4,6,6]", "IRFFT", "4,6,6");
  ExpectFft("c64[2,4,6,4]", "f32[2,4,6,7]", "IRFFT", "6,7");
}

// The lines of a transform lie across the memory, of operand and result in different ways.
TEST(Fft, Layouts) {
  for (const std::string layout : {"{0,1,2}", "{1,2,0}", "{2,0,1}"}) {
    ExpectSame(fmt::format(R"(HloModule m
ENTRY e {{
  a = c64[3,8,10] parameter(0)
  b = c64[3,8,10]{0} copy(a)
  f = c64[3,8,10]{{0,2,1}} fft(b), fft_type=FFT, fft_length={{8,10}}
  i = f32[3,8,18]{0} fft(b), fft_type=IRFFT, fft_length={{18}}
  g = c64[3,8,10] copy(f)
  j = f32[3,8,18] copy(i)
  ROOT r = (c64[3,8,10], f32[3,8,18]) tuple(g, j)
}})",
                           layout),
               2e-5);
  }
}

TEST(Fft, InPlace) {
  for (const std::string kind : {"FFT", "IFFT"}) {
    ExpectSame(R"(HloModule m, input_output_alias={ {}: (0, {}) }
ENTRY e {
  a = c64[5,6,8] parameter(0)
  ROOT r = c64[5,6,8] fft(a), fft_type=)" +
                   kind + R"(, fft_length={6,8}
})",
               2e-5);
  }
}

TEST(Fft, InsideALoop) {
  ExpectSame(R"(HloModule m
cond {
  s = (s32[], c64[6,8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], c64[6,8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = c64[6,8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  f = c64[6,8] fft(x), fft_type=FFT, fft_length={8}
  y = c64[6,8] add(f, x)
  b = c64[6,8] fft(y), fft_type=IFFT, fft_length={6,8}
  ROOT r = (s32[], c64[6,8]) tuple(j, b)
}
ENTRY e {
  x = c64[6,8] parameter(0)
  z = s32[] constant(0)
  t = (s32[], c64[6,8]) tuple(z, x)
  w = (s32[], c64[6,8]) while(t), condition=cond, body=body
  ROOT r = c64[6,8] get-tuple-element(w), index=1
})",
             2e-5);
}

}  // namespace
}  // namespace stead::cpu
