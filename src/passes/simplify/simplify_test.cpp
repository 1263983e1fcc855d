#include "passes/simplify/simplify.h"

#include <fmt/format.h>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// One expression over x: f32[4,6], y: s32[4,6], p: pred[4,6], i: s32[], and what its root must become.
struct Case {
  std::string name;
  std::string lines;  // the last one starts with "ROOT"
  Opcode root;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class SimplifyRule : public testing::TestWithParam<Case> {};

TEST_P(SimplifyRule, Applies) {
  std::string text = fmt::format(R"(HloModule m
    plus {{ a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b) }}
    ENTRY main {{ x = f32[4,6] parameter(0)
      y = s32[4,6] parameter(1)
      i = s32[] parameter(2)
      f0 = f32[] constant(0)
      f1 = f32[] constant(1)
      i0 = s32[] constant(0)
      i1 = s32[] constant(1)
      i9 = s32[] constant(9)
      ones = s32[4,6] broadcast(i1), dimensions={{}}
      zeros = s32[4,6] broadcast(i0), dimensions={{}}
      fones = f32[4,6] broadcast(f1), dimensions={{}}
      fzeros = f32[4,6] broadcast(f0), dimensions={{}}
      fones2 = f32[2,6] constant({{ {{1,2,3,4,5,6}}, {{7,8,9,10,11,12}} }})
      {} }})",
                                 GetParam().lines);
  ir::Module module = After(text, Simplify);
  EXPECT_EQ(Root(module).opcode, GetParam().root) << ir::PrintModule(module);
  ExpectSameMeaning(Parse(text), module);
}

const Case kCases[] = {
    {"AddZero", "ROOT r = s32[4,6] add(zeros, y)", Opcode::kParameter},
    {"AddFloatZeroStays", "ROOT r = f32[4,6] add(x, fzeros)", Opcode::kAdd},
    {"SubtractZero", "ROOT r = f32[4,6] subtract(x, fzeros)", Opcode::kParameter},
    {"SubtractSelf", "ROOT r = s32[4,6] subtract(y, y)", Opcode::kBroadcast},
    {"SubtractFloatSelfStays", "ROOT r = f32[4,6] subtract(x, x)", Opcode::kSubtract},
    {"MultiplyByOne", "ROOT r = f32[4,6] multiply(x, fones)", Opcode::kParameter},
    {"MultiplyByZero", "ROOT r = s32[4,6] multiply(y, zeros)", Opcode::kBroadcast},
    {"MultiplyFloatByZeroStays", "ROOT r = f32[4,6] multiply(x, fzeros)", Opcode::kMultiply},
    {"DivideByOne", "ROOT r = s32[4,6] divide(y, ones)", Opcode::kParameter},
    {"RemainderByOne", "ROOT r = s32[4,6] remainder(y, ones)", Opcode::kBroadcast},
    {"AndSelf", "ROOT r = s32[4,6] and(y, y)", Opcode::kParameter},
    {"AndZero", "ROOT r = s32[4,6] and(zeros, y)", Opcode::kBroadcast},
    {"OrZero", "ROOT r = s32[4,6] or(zeros, y)", Opcode::kParameter},
    {"XorSelf", "ROOT r = s32[4,6] xor(y, y)", Opcode::kBroadcast},
    {"MaxSelf", "ROOT r = f32[4,6] maximum(x, x)", Opcode::kParameter},
    {"ShiftByZero", "ROOT r = s32[4,6] shift-left(y, zeros)", Opcode::kParameter},
    {"NegateTwice", "n = f32[4,6] negate(x)\n ROOT r = f32[4,6] negate(n)", Opcode::kParameter},
    {"RealOfComplex", "c = c64[4,6] complex(x, fones)\n ROOT r = f32[4,6] real(c)", Opcode::kParameter},
    {"ConvertToSame", "ROOT r = f32[4,6] convert(x)", Opcode::kParameter},
    {"CompareSelf", "ROOT r = pred[4,6] compare(y, y), direction=LE", Opcode::kBroadcast},
    {"CompareFloatSelfStays", "ROOT r = pred[4,6] compare(x, x), direction=EQ", Opcode::kCompare},
    {"ElementwiseOfFills", "ROOT r = s32[4,6] add(ones, ones)", Opcode::kBroadcast},
    {"UniformConstant", "ROOT r = s32[3] constant({2, 2, 2})", Opcode::kBroadcast},
    {"ReshapeTwice", "a = f32[24] reshape(x)\n ROOT r = f32[4,6] reshape(a)", Opcode::kParameter},
    {"Bitcast", "a = f32[24] bitcast(x)\n ROOT r = f32[4,6] bitcast(a)", Opcode::kParameter},
    {"TransposeTwice", "a = f32[6,4] transpose(x), dimensions={1,0}\n ROOT r = f32[4,6] transpose(a), dimensions={1,0}",
     Opcode::kParameter},
    {"TransposeTwiceAroundOnes",
     "a = f32[4,1,6] reshape(x)\n b = f32[1,6,4] transpose(a), dimensions={1,2,0}\n c = f32[6,4] reshape(b)\n"
     " ROOT r = f32[4,6] transpose(c), dimensions={1,0}",
     Opcode::kParameter},
    {"TransposeOfUnit", "a = f32[4,1,6] reshape(x)\n ROOT r = f32[1,4,6] transpose(a), dimensions={1,0,2}",
     Opcode::kReshape},
    {"BroadcastTwice", "a = s32[6] broadcast(i), dimensions={}\n ROOT r = s32[4,6] broadcast(a), dimensions={1}",
     Opcode::kBroadcast},
    {"BroadcastAddsUnit", "ROOT r = f32[4,1,6] broadcast(x), dimensions={0,2}", Opcode::kReshape},
    {"ReverseUnit", "a = f32[1,24] reshape(x)\n ROOT r = f32[1,24] reverse(a), dimensions={0}", Opcode::kReshape},
    {"ConcatenateOne", "ROOT r = f32[4,6] concatenate(x), dimensions={0}", Opcode::kParameter},
    {"PadNothing", "ROOT r = f32[4,6] pad(x, f0), padding=0_0x0_0", Opcode::kParameter},
    {"SliceAll", "ROOT r = f32[4,6] slice(x), slice={[0:4], [0:6]}", Opcode::kParameter},
    {"SliceTwice", "a = f32[2,3] slice(x), slice={[1:4:2], [0:6:2]}\n ROOT r = f32[1,2] slice(a), slice={[1:2], [1:3]}",
     Opcode::kSlice},
    {"SliceOfConcatenate",
     "a = f32[8,6] concatenate(x, fones), dimensions={0}\n ROOT r = f32[4,6] slice(a), slice={[4:8], [0:6]}",
     Opcode::kBroadcast},
    {"SliceOfUpdate",
     "u = f32[1,6] slice(x), slice={[2:3], [0:6]}\n d = f32[4,6] dynamic-update-slice(x, u, i1, i0)\n"
     "ROOT r = f32[1,6] slice(d), slice={[1:2], [0:6]}",
     Opcode::kSlice},
    {"SliceInsideUpdate",
     "u = f32[2,6] reverse(fones2), dimensions={1}\n d = f32[4,6] dynamic-update-slice(x, u, i1, i0)\n"
     "ROOT r = f32[1,3] slice(d), slice={[2:3], [1:6:2]}",
     Opcode::kReverse},
    {"SliceBesideUpdate",
     "a = f32[8,6] concatenate(x, fones), dimensions={0}\n d = f32[8,6] dynamic-update-slice(a, fones2, i9, i0)\n"
     "ROOT r = f32[4,6] slice(d), slice={[0:4], [0:6]}",
     Opcode::kParameter},
    {"SliceAcrossUpdateStays",
     "d = f32[4,6] dynamic-update-slice(x, fones2, i1, i0)\n n = f32[4,6] negate(d)\n"
     "ROOT r = f32[2,6] slice(d), slice={[0:2], [0:6]}",
     Opcode::kSlice},
    {"SliceOfTranspose",
     "a = f32[6,4] transpose(x), dimensions={1,0}\n ROOT r = f32[2,3] slice(a), slice={[1:5:3], [1:4]}",
     Opcode::kTranspose},
    {"SliceOfReverse", "a = f32[4,6] reverse(x), dimensions={1}\n ROOT r = f32[3,2] slice(a), slice={[0:3], [1:5:3]}",
     Opcode::kReverse},
    {"SliceOfElementwise", "a = f32[4,6] add(x, fones)\n ROOT r = f32[2,3] slice(a), slice={[1:4:2], [0:6:2]}",
     Opcode::kAdd},
    {"SliceOfSelect",
     "q = pred[4,6] compare(y, ones), direction=GT\n a = s32[4,6] select(q, y, ones)\n b = f32[4,6] convert(a)\n ROOT "
     "r = f32[1,6] slice(b), slice={[2:3], [0:6]}",
     Opcode::kConvert},
    {"SliceOfClamp", "a = f32[4,6] clamp(f0, x, f1)\n ROOT r = f32[1,6] slice(a), slice={[2:3], [0:6]}",
     Opcode::kClamp},
    {"SlicesOfElementwise",
     "a = f32[4,6] exponential(x)\n b = f32[2,6] slice(a), slice={[0:2], [0:6]}\n c = f32[2,6] slice(a), slice={[2:4], "
     "[0:6]}\n"
     "ROOT r = f32[2,6] subtract(b, c)",
     Opcode::kSubtract},
    {"LargeSlicesOfElementwiseStay",
     "a = f32[4,6] exponential(x)\n b = f32[3,6] slice(a), slice={[0:3], [0:6]}\n c = f32[3,6] slice(a), slice={[1:4], "
     "[0:6]}\n"
     "d = f32[6,6] concatenate(b, c), dimensions={0}\n ROOT r = f32[3,6] slice(d), slice={[0:3], [0:6]}",
     Opcode::kSlice},
    {"DynamicSliceOfElementwise",
     "a = f32[4,6] negate(x)\n ROOT r = f32[2,6] dynamic-slice(a, i, i0), dynamic_slice_sizes={2,6}", Opcode::kNegate},
    {"PadByLess", "ROOT r = f32[3,8] pad(x, f1), padding=-2_1x1_1", Opcode::kPad},
    {"PadByLessAtBothEnds", "ROOT r = f32[4,1] pad(x, f1), padding=0_0x-4_-1", Opcode::kSlice},
    {"DynamicSliceKnown", "ROOT r = f32[2,6] dynamic-slice(x, i9, i0), dynamic_slice_sizes={2,6}", Opcode::kSlice},
    {"DynamicSliceAll", "ROOT r = f32[4,6] dynamic-slice(x, i, i), dynamic_slice_sizes={4,6}", Opcode::kParameter},
    {"UpdateAll", "ROOT r = f32[4,6] dynamic-update-slice(fones, x, i, i)", Opcode::kParameter},
    {"SelectKnown",
     "t = pred[] constant(false)\n p = pred[4,6] broadcast(t), dimensions={}\n"
     "ROOT r = f32[4,6] select(p, fones, x)",
     Opcode::kParameter},
    {"SelectNot",
     "p = pred[4,6] compare(y, zeros), direction=GT\n q = pred[4,6] not(p)\n ROOT r = f32[4,6] select(q, fones, x)",
     Opcode::kSelect},
    {"DotOfTranspose",
     "a = f32[6,4] transpose(x), dimensions={1,0}\n"
     "ROOT r = f32[4,4] dot(x, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     Opcode::kDot},
    {"ReduceOfUnit", "a = f32[4,1,6] reshape(x)\n ROOT r = f32[4,6] reduce(a, f0), dimensions={1}, to_apply=plus",
     Opcode::kAdd},
};

INSTANTIATE_TEST_SUITE_P(All, SimplifyRule, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

TEST(Simplify, TakesTheKnownBranchAndItsEffectsOnce) {
  ir::Module module = After(R"(HloModule m
    yes { p = f32[3] parameter(0)
      ROOT n = f32[3] negate(p) }
    no { q = f32[3] parameter(0)
      ROOT s = f32[3] sine(q) }
    ENTRY main { x = f32[3] parameter(0)
      k = s32[] constant(7)
      ROOT c = f32[3] conditional(k, x, x), branch_computations={yes, no} })",
                            Simplify);
  EXPECT_EQ(Root(module).opcode, Opcode::kSine);
  EXPECT_EQ(Count(module, Opcode::kConditional), 0);
}

TEST(Simplify, PairsOfARowOfOneAreCombinedWithTheInitialPair) {
  const std::string text = R"(HloModule m
    greater { a = f32[] parameter(0)
      i = s32[] parameter(1)
      b = f32[] parameter(2)
      j = s32[] parameter(3)
      first = pred[] compare(a, b), direction=GE
      value = f32[] select(first, a, b)
      place = s32[] select(first, i, j)
      ROOT r = (f32[], s32[]) tuple(value, place) }
    ENTRY main { x = f32[3,1] parameter(0)
      y = s32[3,1] parameter(1)
      low = f32[] constant(0.5)
      none = s32[] constant(-1)
      ROOT r = (f32[3], s32[3]) reduce(x, y, low, none), dimensions={1}, to_apply=greater })";
  ir::Module module = After(text, Simplify);
  EXPECT_EQ(Root(module).opcode, Opcode::kTuple);
  EXPECT_EQ(Count(module, Opcode::kReduce), 0);
  ExpectSameMeaning(Parse(text), module);
}

TEST(Simplify, LooksThroughNoBarrier) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = s32[3] parameter(0)
      n = s32[3] negate(x)
      b = s32[3] opt-barrier(n)
      ROOT r = s32[3] negate(b) })");
  EXPECT_FALSE(RunPass(module, Simplify));
}

TEST(Simplify, ZerosAroundAnInputArePaddingOfTheWindow) {
  const std::string text = R"(HloModule m
    ENTRY main { x = f32[1,4,3,2] parameter(0)
      w = f32[2,2,2,5] parameter(1)
      zero = f32[] constant(VALUE)
      padded = f32[1,6,4,2] pad(x, zero), padding=0_0x2_0x0_1x0_0
      ROOT r = f32[1,6,4,5] convolution(padded, w), window={size=2x2 pad=1_0x0_1}, dim_labels=b01f_01io->b01f })";
  const auto with = [&](const std::string& value) {
    std::string changed = text;
    return changed.replace(changed.find("VALUE"), 5, value);
  };
  ir::Module module = After(with("0"), Simplify);
  EXPECT_EQ(Count(module, ir::Opcode::kPad), 0);
  const auto& window = Root(module).As<ir::ConvolutionAttributes>().window;
  EXPECT_EQ(window[0].padding_low, 3);
  EXPECT_EQ(window[0].padding_high, 0);
  EXPECT_EQ(window[1].padding_high, 2);
  EXPECT_EQ(Count(After(with("1"), Simplify), ir::Opcode::kPad), 1);
}

}  // namespace
}  // namespace stead::passes
