// Movement, indexing, reductions, control flow and donation on the machine, against the interpreter.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

std::string Op(const std::string& parameters, const std::string& root) {
  return "HloModule m\nENTRY e {\n" + parameters + "  ROOT r = " + root + "\n}\n";
}

TEST(Movement, Broadcast) {
  ExpectSame(Op("  a = f32[5] parameter(0)\n", "f32[5,33] broadcast(a), dimensions={0}"));
  ExpectSame(Op("  a = f32[33] parameter(0)\n", "f32[5,33] broadcast(a), dimensions={1}"));
  ExpectSame(Op("  a = bf16[4,3] parameter(0)\n", "bf16[4,20,3] broadcast(a), dimensions={0,2}"));
  ExpectSame(Op("  a = pred[] parameter(0)\n", "pred[300] broadcast(a), dimensions={}"));
}

TEST(Movement, SliceReverseTranspose) {
  ExpectSame(Op("  a = f32[9,40] parameter(0)\n", "f32[3,17] slice(a), slice={[1:9:3], [2:36:2]}"));
  ExpectSame(Op("  a = s8[9,40] parameter(0)\n", "s8[4,40] slice(a), slice={[5:9], [0:40]}"));
  ExpectSame(Op("  a = f32[9,40] parameter(0)\n", "f32[9,40] reverse(a), dimensions={1}"));
  ExpectSame(Op("  a = f32[9,40] parameter(0)\n", "f32[9,40] reverse(a), dimensions={0}"));
  ExpectSame(Op("  a = f32[9,40] parameter(0)\n", "f32[40,9] transpose(a), dimensions={1,0}"));
  ExpectSame(Op("  a = u16[4,5,18] parameter(0)\n", "u16[18,4,5] transpose(a), dimensions={2,0,1}"));
  ExpectSame(Op("  a = f32[70,40] parameter(0)\n", "f32[40,70] transpose(a), dimensions={1,0}"));
  ExpectSame(Op("  a = bf16[3,32,48] parameter(0)\n", "bf16[3,48,32] transpose(a), dimensions={0,2,1}"));
}

// The result takes over the donated operand and exchanges its elements in pairs; sizes around those of tiles.
TEST(Movement, ExchangesInPlace) {
  const std::string donated = "HloModule m, input_output_alias={ {}: (0, {}) }\n";
  for (const std::string type : {"f32[70,70]", "f32[32,32]", "f32[1,1]", "s8[33,33]", "f64[3,3]"}) {
    const std::string entry = "ENTRY e {\n  a = " + type + " parameter(0)\n  ROOT r = " + type;
    ExpectSame(donated + entry + " transpose(a), dimensions={1,0}\n}\n");
    for (const std::string dimensions : {"{0}", "{1}", "{0,1}"}) {
      ExpectSame(donated + entry + " reverse(a), dimensions=" + dimensions + "\n}\n");
    }
    ExpectSame(donated + "f {\n  p = " + type + " parameter(0)\n  n = " + type + " negate(p)\n  t = " + type +
               " transpose(n), dimensions={1,0}\n  ROOT s = " + type + " subtract(t, p)\n}\n" + entry +
               " fusion(a), kind=kLoop, calls=f\n}\n");
  }
  ExpectSame(donated +
             "ENTRY e {\n  a = f32[5,40,3,40] parameter(0)\n"
             "  ROOT r = f32[5,40,3,40] transpose(a), dimensions={0,3,2,1}\n}\n");
  ExpectSame(donated + R"(f {
  p = f32[1600] parameter(0)
  s = f32[40,40] reshape(p)
  t = f32[40,40] transpose(s), dimensions={1,0}
  u = f32[1600] reshape(t)
  ROOT n = f32[1600] exponential(u)
}
ENTRY e {
  a = f32[1600] parameter(0)
  ROOT r = f32[1600] fusion(a), kind=kLoop, calls=f
})");
}

TEST(Movement, Reshape) {
  for (const std::string root : {"f32[6,20]", "f32[120]", "f32[2,3,20]", "f32[24,5]", "f32[5,24]", "f32[4,1,30]"}) {
    ExpectSame(Op("  a = f32[2,3,4,5] parameter(0)\n  n = f32[2,3,4,5] negate(a)\n", root + " reshape(n)"));
    ExpectSame(
        "HloModule m\nf {\n  a = f32[2,3,4,5] parameter(0)\n  t = f32[3,2,4,5] transpose(a), dimensions={1,0,2,3}\n  "
        "ROOT r = " +
        root + " reshape(t)\n}\nENTRY e {\n  a = f32[2,3,4,5] parameter(0)\n  ROOT r = " + root +
        " fusion(a), kind=kLoop, calls=f\n}\n");
  }
}

TEST(Movement, Pad) {
  ExpectSame(Op("  a = f32[5,20] parameter(0)\n  z = f32[] parameter(1)\n", "f32[8,40] pad(a, z), padding=1_2x9_11"));
  ExpectSame(Op("  a = f32[5,20] parameter(0)\n  z = f32[] parameter(1)\n", "f32[4,17] pad(a, z), padding=-1_0x-2_-1"));
  ExpectSame(
      Op("  a = f32[5,20] parameter(0)\n  z = f32[] parameter(1)\n", "f32[10,60] pad(a, z), padding=0_1_1x1_1_2"));
  ExpectSame(Op("  a = s32[0,3] parameter(0)\n  z = s32[] parameter(1)\n", "s32[2,5] pad(a, z), padding=1_1x1_1"));
}

TEST(Movement, Concatenate) {
  ExpectSame(Op("  a = f32[3,7] parameter(0)\n  b = f32[3,21] parameter(1)\n  c = f32[3,5] parameter(2)\n",
                "f32[3,33] concatenate(a, b, c), dimensions={1}"));
  ExpectSame(Op("  a = s64[3,7] parameter(0)\n  b = s64[0,7] parameter(1)\n  c = s64[2,7] parameter(2)\n",
                "s64[5,7] concatenate(a, b, c), dimensions={0}"));
  ExpectSame(R"(HloModule m
f {
  a = f32[40] parameter(0)
  b = f32[40] parameter(1)
  e = f32[40] exponential(b)
  c = f32[80] concatenate(a, e), dimensions={0}
  ROOT n = f32[80] negate(c)
}
ENTRY e {
  a = f32[40] parameter(0)
  b = f32[40] parameter(1)
  ROOT r = f32[80] fusion(a, b), kind=kLoop, calls=f
})");
}

TEST(Movement, Iota) {
  for (const std::string type : {"s32", "u8", "f32", "bf16", "s64"}) {
    ExpectSame(Op("", type + "[3,37] iota(), iota_dimension=1"));
    ExpectSame(Op("", type + "[3,37] iota(), iota_dimension=0"));
  }
}

TEST(Movement, LayoutsInside) {
  ExpectSame(R"(HloModule m
ENTRY e {
  a = f32[7,20]{1,0} parameter(0)
  c = f32[7,20]{0,1} copy(a)
  n = f32[7,20]{0,1} negate(c)
  b = f32[20,7]{1,0} bitcast(n)
  ROOT r = f32[20,7]{1,0} add(b, b)
})");
}

TEST(Indexing, DynamicSlice) {
  ExpectSame(Op("  a = f32[9,40] parameter(0)\n  i = s32[] parameter(1)\n  j = s32[] parameter(2)\n",
                "f32[4,20] dynamic-slice(a, i, j), dynamic_slice_sizes={4,20}"));
  ExpectSame(Op("  a = bf16[9,40] parameter(0)\n  i = u8[] parameter(1)\n  j = u8[] parameter(2)\n",
                "bf16[1,40] dynamic-slice(a, i, j), dynamic_slice_sizes={1,40}"));
}

// Rows that are only pointed to; starts of every width and sign, some of them outside.
TEST(Indexing, RowsByPointer) {
  for (const std::string type : {"s8", "u8", "s16", "s32", "u32", "s64", "u64"}) {
    for (unsigned seed = 1; seed < 6; ++seed) {
      ExpectSame(Op("  a = f32[5,4,16] parameter(0)\n  b = f32[16,3] parameter(1)\n  i = " + type +
                        "[] parameter(2)\n  j = " + type + "[] parameter(3)\n  z = " + type +
                        "[] constant(0)\n  w = f32[1,2,16] dynamic-slice(a, i, j, z), dynamic_slice_sizes={1,2,16}\n"
                        "  m = f32[2,16] reshape(w)\n",
                    "f32[2,3] dot(m, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                 1e-5, seed);
    }
  }
}

// The same inside a loop, which is small enough to run as one function; the rows 0 to 6 of an array with 5.
TEST(Indexing, RowsByPointerInALoop) {
  for (const std::string type : {"s8", "u16", "s32", "u64"}) {
    std::string text = R"(HloModule m
cond {
  s = (INT[], f32[5,16], f32[]) parameter(0)
  i = INT[] get-tuple-element(s), index=0
  n = INT[] constant(7)
  ROOT c = pred[] compare(i, n), direction=LT
}
plus {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
body {
  s = (INT[], f32[5,16], f32[]) parameter(0)
  i = INT[] get-tuple-element(s), index=0
  x = f32[5,16] get-tuple-element(s), index=1
  sum = f32[] get-tuple-element(s), index=2
  one = INT[] constant(1)
  zero = INT[] constant(0)
  next = INT[] add(i, one)
  row = f32[1,16] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,16}
  total = f32[] reduce(row, sum), dimensions={0,1}, to_apply=plus
  ROOT t = (INT[], f32[5,16], f32[]) tuple(next, x, total)
}
ENTRY e {
  x = f32[5,16] parameter(0)
  zero = INT[] constant(0)
  sum = f32[] constant(0)
  init = (INT[], f32[5,16], f32[]) tuple(zero, x, sum)
  w = (INT[], f32[5,16], f32[]) while(init), condition=cond, body=body
  ROOT r = f32[] get-tuple-element(w), index=2
})";
    for (size_t at = text.find("INT"); at != std::string::npos; at = text.find("INT")) text.replace(at, 3, type);
    ExpectSame(text, 1e-5);
  }
}

TEST(Indexing, DynamicUpdateSlice) {
  for (unsigned seed = 1; seed < 5; ++seed) {
    ExpectSame(Op("  a = f32[9,40] parameter(0)\n  u = f32[4,20] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] "
                  "parameter(3)\n",
                  "f32[9,40] dynamic-update-slice(a, u, i, j)"),
               1e-6, seed);
    ExpectSame(R"(HloModule m, input_output_alias={ {0}: (0, {}) }
f {
  a = f32[9,40] parameter(0)
  i = s32[] parameter(1)
  z = s32[] constant(0)
  s = f32[1,40] dynamic-slice(a, i, z), dynamic_slice_sizes={1,40}
  n = f32[1,40] exponential(s)
  ROOT d = f32[9,40] dynamic-update-slice(a, n, i, z)
}
ENTRY e {
  a = f32[9,40] parameter(0)
  i = s32[] parameter(1)
  d = f32[9,40] fusion(a, i), kind=kLoop, calls=f
  ROOT t = (f32[9,40]) tuple(d)
})",
               1e-6, seed);
  }
  // Inside a fusion, not at its end.
  ExpectSame(R"(HloModule m
f {
  a = f32[9,40] parameter(0)
  u = f32[2,7] parameter(1)
  i = s32[] parameter(2)
  d = f32[9,40] dynamic-update-slice(a, u, i, i)
  ROOT n = f32[9,40] negate(d)
}
ENTRY e {
  a = f32[9,40] parameter(0)
  u = f32[2,7] parameter(1)
  i = s32[] parameter(2)
  ROOT d = f32[9,40] fusion(a, u, i), kind=kLoop, calls=f
})");
}

TEST(Indexing, Gather) {
  ExpectSame(
      Op("  a = f32[10,33] parameter(0)\n  i = s32[6,1] parameter(1)\n",
         "f32[6,33] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
         "slice_sizes={1,33}"));
  ExpectSame(
      Op("  a = f32[10,33] parameter(0)\n  i = s32[40] parameter(1)\n",
         "f32[40] gather(a, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0}, index_vector_dim=1, "
         "slice_sizes={1,1}"));
  ExpectSame(Op("  a = f32[10,33] parameter(0)\n  i = s32[5,2] parameter(1)\n",
                "f32[5,2,3] gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1,0}, "
                "index_vector_dim=1, slice_sizes={2,3}"));
  ExpectSame(Op("  a = f32[4,10] parameter(0)\n  i = s32[4,20,1] parameter(1)\n",
                "f32[4,20] gather(a, i), offset_dims={}, collapsed_slice_dims={1}, operand_batching_dims={0}, "
                "start_indices_batching_dims={0}, start_index_map={1}, index_vector_dim=2, slice_sizes={1,1}"));
}

const char* const kAdd = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";

TEST(Indexing, Scatter) {
  ExpectSame("HloModule m\n" + std::string(kAdd) + R"(ENTRY e {
  a = f32[10,33] parameter(0)
  i = s32[6,1] parameter(1)
  u = f32[6,33] parameter(2)
  ROOT r = f32[10,33] scatter(a, i, u), to_apply=add, update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
})");
  ExpectSame("HloModule m\n" + std::string(kAdd) + R"(ENTRY e {
  a = f32[10] parameter(0)
  i = s32[50] parameter(1)
  u = f32[50] parameter(2)
  ROOT r = f32[10] scatter(a, i, u), to_apply=add, update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
})");
  ExpectSame(R"(HloModule m
set {
  x = f32[] parameter(0)
  ROOT y = f32[] parameter(1)
}
ENTRY e {
  a = f32[10,33] parameter(0)
  i = s32[2] parameter(1)
  u = f32[3,20] parameter(2)
  ROOT r = f32[10,33] scatter(a, i, u), to_apply=set, update_window_dims={0,1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=0
})");
}

// A window of which a part lies outside writes nothing at all.
TEST(Indexing, ScatterOfWindowsAcrossTheBorder) {
  ExpectSame("HloModule m\n" + std::string(kAdd) + R"(ENTRY e {
  a = f32[10] parameter(0)
  i = s32[50,1] parameter(1)
  u = f32[50,4] parameter(2)
  ROOT r = f32[10] scatter(a, i, u), to_apply=add, update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
})");
  ExpectSame("HloModule m\n" + std::string(kAdd) + R"(ENTRY e {
  a = f32[9,40] parameter(0)
  i = s32[30,2] parameter(1)
  u = f32[30,3,33] parameter(2)
  ROOT r = f32[9,40] scatter(a, i, u), to_apply=add, update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1
})");
}

std::string Reduce(const std::string& type, const std::string& op, const std::string& from, const std::string& to,
                   const std::string& dims) {
  return fmt::format(
      "HloModule m\nr {{\n  x = {0}[] parameter(0)\n  y = {0}[] parameter(1)\n  ROOT s = {0}[] {1}(x, y)\n}}\nENTRY e "
      "{{\n  a = "
      "{0}[{2}] parameter(0)\n  i = {0}[] parameter(1)\n  ROOT q = {0}[{3}] reduce(a, i), dimensions={{{4}}}, "
      "to_apply=r\n}}\n",
      type, op, from, to, dims);
}

TEST(Reductions, EveryDirection) {
  for (const std::string op : {"add", "maximum", "minimum", "multiply"}) {
    for (const std::string type : {"f32", "s32", "f64", "u8"}) {
      ExpectSame(Reduce(type, op, "7,50", "7", "1"), 1e-5);
      ExpectSame(Reduce(type, op, "7,50", "50", "0"), 1e-5);
      ExpectSame(Reduce(type, op, "7,50", "", "0,1"), 1e-5);
    }
  }
  ExpectSame(Reduce("f32", "add", "3,4,600", "3", "1,2"), 1e-4);
  ExpectSame(Reduce("f32", "add", "3,4,600", "4", "0,2"), 1e-4);
  ExpectSame(Reduce("f32", "add", "3,4,50", "3,50", "1"), 1e-5);
  ExpectSame(Reduce("f32", "add", "5000", "", "0"), 1e-4);
  ExpectSame(Reduce("f32", "add", "5,0", "5", "1"), 1e-5);
  ExpectSame(Reduce("pred", "and", "7,50", "7", "1"));
  ExpectSame(Reduce("pred", "or", "7,50", "50", "0"));
}

TEST(Reductions, ArgMaximum) {
  ExpectSame(R"(HloModule m
r {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  y = f32[] parameter(2)
  j = s32[] parameter(3)
  g = pred[] compare(x, y), direction=GT
  v = f32[] select(g, x, y)
  k = s32[] select(g, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
  a = f32[6,25] parameter(0)
  n = s32[6,25] iota(), iota_dimension=1
  v = f32[] constant(-inf)
  z = s32[] constant(0)
  ROOT q = (f32[6], s32[6]) reduce(a, n, v, z), dimensions={1}, to_apply=r
})");
}

TEST(Reductions, FusedSoftmax) {
  ExpectSame(R"(HloModule m
max {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] maximum(x, y)
}
)" + std::string(kAdd) +
             R"(
f {
  a = f32[6,45] parameter(0)
  low = f32[] constant(-inf)
  m = f32[6] reduce(a, low), dimensions={1}, to_apply=max
  b = f32[6,45] broadcast(m), dimensions={0}
  d = f32[6,45] subtract(a, b)
  e = f32[6,45] exponential(d)
  z = f32[] constant(0)
  s = f32[6] reduce(e, z), dimensions={1}, to_apply=add
  t = f32[6,45] broadcast(s), dimensions={0}
  ROOT r = f32[6,45] divide(e, t)
}
ENTRY e {
  a = f32[6,45] parameter(0)
  ROOT r = f32[6,45] fusion(a), kind=kLoop, calls=f
})");
}

TEST(Reductions, Windows) {
  ExpectSame("HloModule m\n" + std::string(kAdd) + R"(ENTRY e {
  a = f32[3,40] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[3,40] reduce-window(a, z), window={size=1x40 pad=0_0x39_0}, to_apply=add
})",
             1e-5);
  ExpectSame("HloModule m\n" + std::string(kAdd) + R"(ENTRY e {
  a = f32[11,40] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[5,20] reduce-window(a, z), window={size=3x2 stride=2x2}, to_apply=add
})",
             1e-5);
}

TEST(Reductions, SelectAndScatter) {
  ExpectSame("HloModule m\n" + std::string(kAdd) + R"(
greater {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT g = pred[] compare(x, y), direction=GE
}
ENTRY e {
  a = f32[8,21] parameter(0)
  s = f32[4,11] parameter(1)
  z = f32[] constant(0)
  ROOT r = f32[8,21] select-and-scatter(a, s, z), window={size=2x3 stride=2x2 pad=0_0x1_1}, select=greater, scatter=add
})");
}

// Long chains neither nest calls nor are they walked along every path.
TEST(Elementwise, LongFusedChain) {
  std::string text = "HloModule m\nf {\n  v0 = f32[50] parameter(0)\n";
  for (int step = 1; step <= 3000; ++step)
    text += fmt::format("  v{0} = f32[50] maximum(v{1}, v{1})\n", step, step - 1);
  text +=
      "  ROOT r = f32[50] negate(v3000)\n}\nENTRY e {\n  a = f32[50] parameter(0)\n  ROOT r = f32[50] fusion(a), "
      "kind=kLoop, calls=f\n}\n";
  ExpectSame(text);
}

TEST(Products, Dot) {
  ExpectSame(Op("  a = f32[5,30] parameter(0)\n  b = f32[30,40] parameter(1)\n",
                "f32[5,40] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
             1e-5);
  ExpectSame(Op("  a = f32[3,5,30] parameter(0)\n  b = f32[3,40,30] parameter(1)\n",
                "f32[3,5,40] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                "rhs_contracting_dims={2}"),
             1e-5);
  ExpectSame(Op("  a = s32[30] parameter(0)\n  b = s32[30] parameter(1)\n",
                "s32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"));
  ExpectSame(R"(HloModule m
f {
  a = f32[5,30] parameter(0)
  b = f32[30,40] parameter(1)
  d = f32[5,40] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT n = f32[5,40] negate(d)
}
ENTRY e {
  a = f32[5,30] parameter(0)
  b = f32[30,40] parameter(1)
  ROOT r = f32[5,40] fusion(a, b), kind=kOutput, calls=f
})",
             1e-5);
}

TEST(Products, Convolution) {
  for (const std::string attributes : {"window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
                                       "window={size=3x3 stride=2x2 pad=0_1x1_0}, dim_labels=b01f_01io->b01f",
                                       "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f",
                                       "window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f"}) {
    const bool is_strided = attributes.find("stride") != std::string::npos;
    const bool is_dilated = attributes.find("dilate") != std::string::npos;
    const std::string result = is_strided ? "f32[2,4,10,20]" : is_dilated ? "f32[2,17,41,20]" : "f32[2,8,20,20]";
    ExpectSame(Op("  a = f32[2,8,20,3] parameter(0)\n  k = f32[3,3,3,20] parameter(1)\n",
                  result + " convolution(a, k), " + attributes),
               1e-5);
  }
  ExpectSame(Op("  a = f32[2,4,8,20] parameter(0)\n  k = f32[6,2,3,3] parameter(1)\n",
                "f32[2,6,8,20] convolution(a, k), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, "
                "feature_group_count=2"),
             1e-5);
  ExpectSame(Op("  a = f32[4,8,3] parameter(0)\n  k = f32[3,3,6] parameter(1)\n",
                "f32[2,6,6] convolution(a, k), window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=2"),
             1e-5);
}

// Enough output features for a matrix product: every way that a window may reach beyond the input, between its elements, or
// not at all.
TEST(Products, ConvolutionAsMatrixProduct) {
  const std::string operands = "  a = f32[2,9,12,5] parameter(0)\n  k = f32[3,2,5,16] parameter(1)\n";
  for (const auto& [result, window] :
       {std::pair("f32[2,7,11,16]", "size=3x2"), std::pair("f32[2,4,4,16]", "size=3x2 stride=2x3"),
        std::pair("f32[2,4,6,16]", "size=3x2 stride=2x2 pad=0_0x1_0"),
        std::pair("f32[2,7,10,16]", "size=3x2 pad=1_1x0_1 rhs_dilate=2x3"),
        std::pair("f32[2,17,23,16]", "size=3x2 pad=1_1x0_1 lhs_dilate=2x2"),
        std::pair("f32[2,5,10,16]", "size=3x2 pad=-1_-1x0_-1"),
        std::pair("f32[2,7,11,16]", "size=3x2 rhs_reversal=1x1"),
        std::pair("f32[2,8,10,16]", "size=3x2 pad=-1_2x-2_1 rhs_reversal=1x0")}) {
    ExpectSame(
        Op(operands, std::string(result) + " convolution(a, k), window={" + window + "}, dim_labels=b01f_01io->b01f"),
        1e-5);
  }
  ExpectSame(Op("  a = f32[2,6,9,11] parameter(0)\n  k = f32[16,3,3,3] parameter(1)\n",
                "f32[2,16,9,11] convolution(a, k), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, "
                "feature_group_count=2"),
             1e-5);
  ExpectSame(Op("  a = bf16[7,40] parameter(0)\n  k = bf16[40,24] parameter(1)\n",
                "bf16[7,24] convolution(a, k), dim_labels=bf_io->bf"),
             2e-2);
  ExpectSame(Op("  a = s8[1,8,3] parameter(0)\n  k = s8[3,3,9] parameter(1)\n",
                "s32[1,8,9] convolution(a, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"));
}

TEST(LinearAlgebra, CholeskyAndTriangularSolve) {
  for (const std::string type : {"f16", "bf16", "f32", "f64", "c64", "c128"}) {
    const double tolerance = type.ends_with("16") ? 0.05 : 1e-3;
    ExpectSame(fmt::format(R"(HloModule m
ENTRY e {{
  x = {0}[2,6,6] parameter(0)
  b = {0}[2,6,3] parameter(1)
  rows = s32[2,6,6] iota(), iota_dimension=1
  columns = s32[2,6,6] iota(), iota_dimension=2
  is_diagonal = pred[2,6,6] compare(rows, columns), direction=EQ
  nine = {0}[] constant(9)
  nines = {0}[2,6,6] broadcast(nine), dimensions={{}}
  definite = {0}[2,6,6] select(is_diagonal, nines, x)
  lower = {0}[2,6,6] cholesky(definite), lower=true
  upper = {0}[2,6,6] cholesky(definite), lower=false
  left = {0}[2,6,3] triangular-solve(definite, b), left_side=true, lower=true, transpose_a=ADJOINT
  turned = {0}[2,3,6] transpose(b), dimensions={{0,2,1}}
  right = {0}[2,3,6] triangular-solve(definite, turned), lower=false, unit_diagonal=true, transpose_a=NO_TRANSPOSE
  ROOT r = ({0}[2,6,6], {0}[2,6,6], {0}[2,6,3], {0}[2,3,6]) tuple(lower, upper, left, right)
}}
)",
                           type),
               tolerance);
  }
}

TEST(Kernels, TopK) {
  for (const std::string type : {"f32", "f64", "bf16", "f16", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
    for (const std::string largest : {"true", "false"}) {
      for (const std::string count : {"1", "9", "50"}) {
        ExpectSame("HloModule m\nENTRY e {\n  a = " + type + "[7,50] parameter(0)\n  ROOT t = (" + type + "[7," +
                   count + "], s32[7," + count + "]) topk(a), k=" + count + ", largest=" + largest + "\n}");
      }
    }
  }
}

TEST(Control, While) {
  ExpectSame(R"(HloModule m
cond {
  s = (s32[], f32[40], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(7)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[40], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[40] get-tuple-element(s), index=1
  b = f32[40] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  m = f32[40] sine(a)
  d = f32[40] add(m, b)
  ROOT t = (s32[], f32[40], f32[40]) tuple(j, d, a)
}
ENTRY e {
  z = s32[] constant(0)
  a = f32[40] parameter(0)
  b = f32[40] parameter(1)
  s = (s32[], f32[40], f32[40]) tuple(z, a, b)
  ROOT w = (s32[], f32[40], f32[40]) while(s), condition=cond, body=body
})",
             1e-5);
}

TEST(Control, Conditional) {
  for (unsigned seed = 1; seed < 8; ++seed) {
    ExpectSame(R"(HloModule m
one {
  a = f32[40] parameter(0)
  ROOT r = f32[40] negate(a)
}
two {
  a = f32[40] parameter(0)
  ROOT r = f32[40] exponential(a)
}
three {
  ROOT a = f32[40] parameter(0)
}
ENTRY e {
  i = s32[] parameter(0)
  p = pred[] parameter(1)
  a = f32[40] parameter(2)
  b = f32[40] conditional(i, a, a, a), branch_computations={one, two, three}
  ROOT c = f32[40] conditional(p, b, a), true_computation=one, false_computation=two
})",
               1e-6, seed);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory.

const char* const kUpdate = R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
ENTRY e {
  x = f32[100] parameter(0)
  one = f32[1] constant({1})
  i = s32[] constant(3)
  y = f32[1] slice(x), slice={[3:4]}
  s = f32[1] add(y, one)
  n = f32[100] dynamic-update-slice(x, s, i)
  ROOT t = (f32[100], f32[1]) tuple(n, y)
})";

TEST(Memory, DonatedArgumentIsUpdatedInPlace) {
  const ir::Module module = Parse(kUpdate);
  auto executable = CompileModule(module).value();
  const std::vector<ir::Literal> arguments = RandomArguments(module);
  const runtime::AllocationRef x = ToMemory(arguments[0]);
  const std::byte* const address = x->data();
  const std::vector<runtime::Argument> given = {{x, true}};
  const auto results = executable->Run(given).value();
  EXPECT_EQ(results[0]->data(), address);
  EXPECT_FLOAT_EQ(FromMemory(results[0], arguments[0].shape()).AsDouble(3), arguments[0].AsDouble(3) + 1);
  EXPECT_EQ(FromMemory(results[1], ir::Shape::Array(ir::ElementType::kF32, {1})).AsDouble(0), arguments[0].AsDouble(3));
}

TEST(Memory, KeptArgumentIsCopiedNotChanged) {
  const ir::Module module = Parse(kUpdate);
  auto executable = CompileModule(module).value();
  const std::vector<ir::Literal> arguments = RandomArguments(module);
  const runtime::AllocationRef x = ToMemory(arguments[0]);
  const std::vector<runtime::Argument> given = {{x, false}};
  const auto results = executable->Run(given).value();
  EXPECT_NE(results[0]->data(), x->data());
  EXPECT_TRUE(FromMemory(x, arguments[0].shape()).SameBits(arguments[0]));
  EXPECT_FLOAT_EQ(FromMemory(results[0], arguments[0].shape()).AsDouble(3), arguments[0].AsDouble(3) + 1);
}

TEST(Memory, WrongArgumentsAreRefused) {
  const ir::Module module = Parse(kUpdate);
  auto executable = CompileModule(module).value();
  EXPECT_FALSE(executable->Run({}).ok());
  const std::vector<runtime::Argument> small = {{runtime::Allocate(8).value(), false}};
  if (small[0].memory->bytes() < 400) {
    EXPECT_FALSE(executable->Run(small).ok());
  }
}

TEST(Unsupported, NamesTheOpAndItsPlace) {
  const ir::Module module = Parse(R"(HloModule m
ENTRY e {
  low = f32[] parameter(0)
  high = f32[] parameter(1)
  ROOT r = f32[8] rng(low, high), distribution=rng_uniform, metadata={source_file="net.py" source_line=12}
})");
  const auto executable = CompileModule(module);
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.error().code, ErrorCode::kUnimplemented);
  EXPECT_NE(executable.error().what.find("op `rng`"), std::string::npos) << executable.error().what;
  EXPECT_EQ(executable.error().where.file, "net.py");
}

}  // namespace
}  // namespace stead::cpu
