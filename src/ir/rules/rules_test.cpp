// One wrong module per constraint: the verifier must name the constraint that is broken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"
#include "ir/verify.h"

namespace stead::ir {
namespace {

// Computations that the cases call.
constexpr std::string_view kCallees = R"(
add { a0 = f32[] parameter(0)
  a1 = f32[] parameter(1)
  ROOT a2 = f32[] add(a0, a1) }
less { l0 = f32[] parameter(0)
  l1 = f32[] parameter(1)
  ROOT l2 = pred[] compare(l0, l1), direction=LT }
vector { v0 = f32[2] parameter(0)
  ROOT v1 = f32[2] negate(v0) }
negate { n0 = f32[] parameter(0)
  ROOT n1 = f32[] negate(n0) }
yes { y0 = (s32[]) parameter(0)
  ROOT y1 = pred[] constant(true) }
step { s0 = (s32[]) parameter(0)
  ROOT s1 = (s32[]) copy(s0) }
other { o0 = (s32[]) parameter(0)
  ROOT o1 = s32[] get-tuple-element(o0), index=0 }
)";

// Values that the cases use.
constexpr std::string_view kValues = R"(
  x = f32[4,6] parameter(0)
  y = f32[6,4] parameter(1)
  v = f32[3] parameter(2)
  i = s32[] parameter(3)
  j = s64[] parameter(4)
  p = pred[] parameter(5)
  z = f32[] parameter(6)
  c = c64[8] parameter(7)
  n = s32[5] parameter(8)
  img = f32[2,8,8,4] parameter(9)
  ker = f32[3,3,2,6] parameter(10)
  idx = s32[7,1] parameter(11)
  upd = f32[7,6] parameter(12)
  t = (s32[]) parameter(13)
  sq = f32[5,5] parameter(14)
)";

struct Case {
  const char* rule;  // empty: the module is right
  const char* lines;
};

Status Verify(std::string_view lines) {
  std::string text = fmt::format("HloModule m\n{}\nENTRY e {{{}{}\n}}\n", kCallees, kValues, lines);
  Result<Module> module = frontend::ParseHloText(text, "test.hlo");
  if (!module.ok()) throw std::runtime_error(module.error().ToString());
  return VerifyModule(*module);
}

void PrintTo(const Case& test_case, std::ostream* out) { *out << test_case.lines; }

class RulesTest : public testing::TestWithParam<Case> {};

TEST_P(RulesTest, NamesTheBrokenConstraint) {
  Status status = Verify(GetParam().lines);
  std::string rule = GetParam().rule;
  if (rule.empty()) {
    EXPECT_TRUE(status.ok()) << status.error().ToString();
    return;
  }
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find(rule), std::string::npos) << status.error().ToString();
  EXPECT_GT(status.error().where.line, 0);
}

constexpr Case kElementwise[] = {
    {"", "r = f32[4,6] add(x, x)"},
    {"[add C1]", "r = f32[4,6] add(x, y)"},
    {"has shape f32[4,5], but its operands and attributes give f32[4,6]", "r = f32[4,5] add(x, x)"},
    {"[popcnt I1]", "r = f32[3] popcnt(v)"},
    {"[floor I1]", "r = s32[] floor(i)"},
    {"[exponential I1]", "r = s32[] exponential(i)"},
    {"[not I1]", "r = f32[] not(z)"},
    {"[and I1]", "r = f32[] and(z, z)"},
    {"[shift_left I1]", "r = pred[] shift-left(p, p)"},
    {"[complex I1]", "r = c64[] complex(i, i)"},
    {"", "r = f32[8] abs(c)"},
    {"", "r = f32[8] imag(c)"},
    {"give f32[8]", "r = c64[8] abs(c)"},
    {"give pred[]", "r = f32[] is-finite(z)"},
    {"[reduce_precision C2]", "r = f32[] reduce-precision(z), exponent_bits=0, mantissa_bits=3"},
    {"[reduce_precision C3]", "r = f32[] reduce-precision(z), exponent_bits=5, mantissa_bits=-1"},
    {"[compare C1]", "r = pred[] compare(i, j), direction=EQ"},
    {"[compare C2]", "r = pred[4,6] compare(x, v), direction=EQ"},
    {"[select I1]", "r = f32[] select(z, z, z)"},
    {"[select C1]", "q = pred[3] broadcast(p), dimensions={}\n r = f32[4,6] select(q, x, x)"},
    {"[select C2]", "r = f32[4,6] select(p, x, y)"},
    {"", "r = f32[4,6] clamp(z, x, z)"},
    {"[clamp C1]", "r = f32[4,6] clamp(v, x, z)"},
    {"[clamp C2]", "r = f32[4,6] clamp(z, x, v)"},
    {"[clamp C3]", "r = f32[4,6] clamp(i, x, z)"},
    {"give s32[4,6]", "r = s32[4,5] convert(x)"},
    {"", "r = u8[3,4] bitcast-convert(v)"},
    {"[bitcast_convert C1]", "r = f64[] bitcast-convert(v)"},
    {"[bitcast_convert C2]", "r = f64[8] bitcast-convert(c)"},
    {"takes arrays", "r = (s32[]) negate(t)"},
};
INSTANTIATE_TEST_SUITE_P(Elementwise, RulesTest, testing::ValuesIn(kElementwise));

constexpr Case kMovement[] = {
    {"[iota C1]", "r = s32[4] iota(), iota_dimension=1"},
    {"", "r = f32[6,4] reshape(x)"},
    {"[reshape C1]", "r = s32[24] reshape(x)"},
    {"[reshape C2]", "r = f32[25] reshape(x)"},
    {"must keep the bytes", "r = f32[25] bitcast(x)"},
    {"", "r = f32[3,9,4] broadcast(v), dimensions={0}"},
    {"[broadcast_in_dim C1]", "r = s32[3] broadcast(v), dimensions={0}"},
    {"[broadcast_in_dim C2]", "r = f32[3,3] broadcast(v), dimensions={0,1}"},
    {"[broadcast_in_dim C3]", "r = f32[3,3] broadcast(v), dimensions={2}"},
    {"[broadcast_in_dim C4]", "r = f32[4,6,4] broadcast(sq), dimensions={0,0}"},
    {"[broadcast_in_dim C5]", "r = f32[4,4] broadcast(v), dimensions={0}"},
    {"", "r = f32[8,6] concatenate(x, x), dimensions={0}"},
    {"[concatenate C1]", "k = s32[4,6] convert(x)\n r = f32[8,6] concatenate(x, k), dimensions={0}"},
    {"[concatenate C2]", "r = f32[10,6] concatenate(x, y), dimensions={0}"},
    {"[concatenate C4]", "r = f32[8,6] concatenate(x, x), dimensions={2}"},
    {"takes at least 1", "r = f32[8,6] concatenate(), dimensions={0}"},
    {"", "r = f32[6,13] pad(x, z), padding=1_1x-2_-1_2"},
    {"[pad C1]", "r = f32[4,6] pad(x, i), padding=0_0x0_0"},
    {"[pad C2]", "r = f32[4,6] pad(x, z), padding=0_0"},
    {"[pad C3]", "r = f32[4,6] pad(x, z), padding=0_0_-1x0_0"},
    {"[pad C4]", "r = f32[4,6] pad(x, z), padding=-3_-3x0_0"},
    {"[pad C4]", "r = f32[4,6] pad(x, z), padding=9223372036854775807_0x0_0"},
    {"[reverse C2]", "r = f32[4,6] reverse(x), dimensions={0,0}"},
    {"[reverse C3]", "r = f32[4,6] reverse(x), dimensions={2}"},
    {"", "r = f32[2,6] slice(x), slice={[0:4:3], [0:6]}"},
    {"[slice C2]", "r = f32[4] slice(x), slice={[0:4]}"},
    {"[slice C3]", "r = f32[5,6] slice(x), slice={[0:5], [0:6]}"},
    {"[slice C3]", "r = f32[5,6] slice(x), slice={[3:2], [0:6]}"},
    {"[slice C4]", "r = f32[4,6] slice(x), slice={[0:4:0], [0:6]}"},
    {"", "r = f32[6,4] transpose(x), dimensions={1,0}"},
    {"[transpose C2]", "r = f32[6,4] transpose(x), dimensions={1,1}"},
    {"give f32[6,4]", "r = f32[4,6] transpose(x), dimensions={1,0}"},
    {"[get_tuple_element C1]", "r = s32[] get-tuple-element(t), index=1"},
    {"[get_tuple_element I1]", "r = f32[] get-tuple-element(z), index=0"},
    {"give (f32[], s32[])", "r = (f32[], f32[]) tuple(z, i)"},
    {"must be a token", "r = token[] after-all(z)"},
    {"give f32[]", "r = s32[] opt-barrier(z)"},
};
INSTANTIATE_TEST_SUITE_P(Movement, RulesTest, testing::ValuesIn(kMovement));

constexpr Case kIndexing[] = {
    {"", "r = f32[1,6] dynamic-slice(x, i, i), dynamic_slice_sizes={1,6}"},
    {"[dynamic_slice C2]", "r = f32[1,6] dynamic-slice(x, i), dynamic_slice_sizes={1,6}"},
    {"[dynamic_slice C2]", "r = f32[1] dynamic-slice(x, i, i), dynamic_slice_sizes={1}"},
    {"[dynamic_slice C3]", "r = f32[1,6] dynamic-slice(x, i, j), dynamic_slice_sizes={1,6}"},
    {"[dynamic_slice C3]", "r = f32[1,6] dynamic-slice(x, z, z), dynamic_slice_sizes={1,6}"},
    {"[dynamic_slice C4]", "r = f32[5,6] dynamic-slice(x, i, i), dynamic_slice_sizes={5,6}"},
    {"update has shape f32[4], operand has f32[3]; update must fit in operand [dynamic_update_slice C6]",
     "u = f32[4] broadcast(z), dimensions={}\n r = f32[3] dynamic-update-slice(v, u, i)"},
    {"[dynamic_update_slice C2]", "r = f32[3] dynamic-update-slice(v, n, i)"},
    {"[dynamic_update_slice C3]", "r = f32[4,6] dynamic-update-slice(x, v, i, i)"},
    {"[dynamic_update_slice C4]", "r = f32[4,6] dynamic-update-slice(x, x, i)"},
    {"[dynamic_update_slice C5]", "r = f32[4,6] dynamic-update-slice(x, x, i, j)"},
    {"[get_dimension_size C1]", "r = s32[] get-dimension-size(x), dimensions={2}"},
};
INSTANTIATE_TEST_SUITE_P(Indexing, RulesTest, testing::ValuesIn(kIndexing));

#define GATHER(offset, collapsed, map, vector_dim, sizes)                                                              \
  "r = f32[7,6] gather(x, idx), offset_dims={" offset "}, collapsed_slice_dims={" collapsed "}, start_index_map={" map \
  "}, index_vector_dim=" vector_dim ", slice_sizes={" sizes "}"
#define SCATTER(window, inserted, map, vector_dim)                                                      \
  "r = f32[4,6] scatter(x, idx, upd), update_window_dims={" window "}, inserted_window_dims={" inserted \
  "}, scatter_dims_to_operand_dims={" map "}, index_vector_dim=" vector_dim ", to_apply=add"

constexpr Case kGatherScatter[] = {
    {"", GATHER("1", "0", "0", "1", "1,6")},
    {"[gather C1]", GATHER("1", "", "0", "1", "1,6")},
    {"[gather C2]", GATHER("1", "0", "0", "3", "1,6")},
    {"[gather C3]", GATHER("1", "0", "0,1", "1", "1,6")},
    {"[gather C4]", GATHER("1,0", "", "0", "1", "1,6")},
    {"[gather C5]", GATHER("2", "0", "0", "1", "1,6")},
    {"[gather C6]", GATHER("", "0,0", "0", "1", "1,6")},
    {"[gather C7]", GATHER("", "1,0", "0", "1", "1,1")},
    {"[gather C8]", GATHER("1", "2", "0", "1", "1,6")},
    {"[gather C9]", GATHER("1", "0", "0", "1", "2,6")},
    {"[gather C19]", GATHER("1", "0", "2", "1", "1,6")},
    {"[gather C20]", GATHER("1", "0", "0", "1", "1")},
    {"[gather C21]", GATHER("1", "0", "0", "1", "1,7")},
    {"give f32[7,5]", GATHER("1", "0", "0", "1", "1,5")},
    {"", SCATTER("1", "0", "0", "1")},
    {"[scatter C2]", SCATTER("1", "", "0", "1")},
    {"[scatter C4]", SCATTER("0", "0", "0", "1")},
    {"[scatter C8]", SCATTER("2", "0", "0", "1")},
    {"[scatter C11]", SCATTER("1", "2", "0", "1")},
    {"[scatter C19]", SCATTER("1", "0", "0,1", "1")},
    {"[scatter C21]", SCATTER("1", "0", "5", "1")},
    {"[scatter C22]", SCATTER("1", "0", "0", "3")},
    {"[scatter C23]",
     "r = f32[4,6] scatter(x, idx, upd), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=less"},
    {"[scatter C5]",
     "r = f32[4,6] scatter(x, idx), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=add"},
};
INSTANTIATE_TEST_SUITE_P(GatherScatter, RulesTest, testing::ValuesIn(kGatherScatter));

constexpr Case kReductions[] = {
    {"", "r = f32[4] reduce(x, z), dimensions={1}, to_apply=add"},
    {"[reduce C2]", "r = f32[4] reduce(x, i), dimensions={1}, to_apply=add"},
    {"[reduce C3]", "r = f32[4] reduce(x), dimensions={1}, to_apply=add"},
    {"[reduce C4]", "r = f32[4] reduce(x, z), dimensions={2}, to_apply=add"},
    {"[reduce C5]", "r = f32[4] reduce(x, z), dimensions={1,1}, to_apply=add"},
    {"[reduce C6]", "r = f32[4] reduce(x, z), dimensions={1}, to_apply=negate"},
    {"[reduce C6]", "r = f32[4] reduce(x, z), dimensions={1}, to_apply=vector"},
    {"[reduce C6]", "r = f32[4] reduce(x, z), dimensions={1}"},
    {"", "r = f32[2,6] reduce-window(x, z), window={size=2x1 stride=2x1}, to_apply=add"},
    {"[reduce_window C4]", "r = f32[2,6] reduce-window(x, z), window={size=2 stride=2}, to_apply=add"},
    {"[reduce_window C5]", "r = f32[2,6] reduce-window(x, z), window={size=0x1}, to_apply=add"},
    {"[reduce_window C7]", "r = f32[2,6] reduce-window(x, z), window={size=2x1 stride=0x1}, to_apply=add"},
    {"[reduce_window C9]", "r = f32[2,6] reduce-window(x, z), window={size=2x1 lhs_dilate=0x1}, to_apply=add"},
    {"[reduce_window C11]", "r = f32[2,6] reduce-window(x, z), window={size=2x1 rhs_dilate=0x1}, to_apply=add"},
    {"give f32[3,6]", "r = f32[2,6] reduce-window(x, z), window={size=2x1}, to_apply=add"},
    {"",
     "s = f32[2,6] reduce-window(x, z), window={size=2x1 stride=2x1}, to_apply=add\n"
     "r = f32[4,6] select-and-scatter(x, s, z), window={size=2x1 stride=2x1}, select=less, scatter=add"},
    {"[select_and_scatter C2]",
     "r = f32[4,6] select-and-scatter(x, x, z), window={size=2x1 stride=2x1}, select=less, scatter=add"},
    {"[select_and_scatter C9]", "r = f32[4,6] select-and-scatter(x, x, z), window={size=1x1}, select=add, scatter=add"},
    {"[select_and_scatter C10]",
     "r = f32[4,6] select-and-scatter(x, x, z), window={size=1x1}, select=less, scatter=less"},
    {"", "r = f32[3] map(v, v), dimensions={0}, to_apply=add"},
    {"[map C1]", "r = f32[3] map(v, x), dimensions={0}, to_apply=add"},
    {"[map C4]", "r = f32[3] map(v), dimensions={0}, to_apply=add"},
    {"", "r = f32[3] sort(v), dimensions={0}, to_apply=less"},
    {"[sort C3]", "r = (f32[3], s32[5]) sort(v, n), dimensions={0}, to_apply=less"},
    {"[sort C4]", "r = f32[3] sort(v), dimensions={1}, to_apply=less"},
    {"[sort C5]", "r = f32[3] sort(v), dimensions={0}, to_apply=add"},
};
INSTANTIATE_TEST_SUITE_P(Reductions, RulesTest, testing::ValuesIn(kReductions));

#define CONVOLUTION(window, labels, groups) \
  "r = f32[2,6,6,6] convolution(img, ker), window={" window "}, dim_labels=" labels groups

constexpr Case kProducts[] = {
    {"", "r = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"", "r = bf16[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"",
     "s = f32[2,1] broadcast(z), dimensions={}\nr = f32[4,4] scaled-dot(x, y, s, z), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}"},
    {"each size of the scale must divide",
     "s = f32[3,1] broadcast(z), dimensions={}\nr = f32[4,4] scaled-dot(x, y, s, z), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}"},
    {"both must be of floats",
     "r = f32[4,4] scaled-dot(x, y, z, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"[dot_general C2]", "r = f32[4,4] scaled-dot(x, y, z, z), lhs_contracting_dims={1}"},
    {"[dot_general C1]",
     "r = f32[4,4] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"[dot_general C2]", "r = f32[4,4] dot(x, y), lhs_contracting_dims={1}"},
    {"[dot_general C3]", "r = f32[4,4] dot(x, y), lhs_contracting_dims={1,1}, rhs_contracting_dims={0,1}"},
    {"[dot_general C4]", "r = f32[4,4] dot(x, y), lhs_contracting_dims={1,0}, rhs_contracting_dims={0,0}"},
    {"[dot_general C5]", "r = f32[4,4] dot(x, y), lhs_batch_dims={2}, rhs_batch_dims={0}"},
    {"[dot_general C6]", "r = f32[4,4] dot(x, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}"},
    {"[dot_general C7]", "r = f32[4,4] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={2}"},
    {"[dot_general C8]", "r = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={2}"},
    {"[dot_general C9]", "r = f32[4,4] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}"},
    {"[dot_general C10]", "r = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {"give f32[4,4]", "r = f32[4,6] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"", CONVOLUTION("size=3x3", "b01f_01io->b01f", ", feature_group_count=2")},
    {"[convolution C1]", "r = f32[2] convolution(img, v), window={size=3x3}, dim_labels=b01f_01io->b01f"},
    {"[convolution C2]", CONVOLUTION("size=3", "b01f_01io->b01f", ", feature_group_count=2")},
    {"[convolution C3]", CONVOLUTION("size=3x3 stride=0x1", "b01f_01io->b01f", ", feature_group_count=2")},
    {"[convolution C10]", CONVOLUTION("size=3x3", "b01f_01io->b01f", ", batch_group_count=3")},
    {"[convolution C11]", CONVOLUTION("size=3x3", "b01f_01io->b01f", ", feature_group_count=3")},
    {"[convolution C12]", CONVOLUTION("size=3x3", "b0f_01io->b01f", "")},
    {"[convolution C14]", CONVOLUTION("size=3x3", "b01f_01io->b01f", "")},
    {"[convolution C16]", CONVOLUTION("size=3x3", "b01f_01io->b01f", ", feature_group_count=4")},
    {"[convolution C17]", CONVOLUTION("size=3x3", "b01f_0io->b01f", "")},
    {"[convolution C19]", CONVOLUTION("size=3x3", "b01f_01io->b0f", "")},
    {"[convolution C21]", CONVOLUTION("size=3x3", "b01f_01io->b01f", ", feature_group_count=0")},
    {"[convolution C22]", CONVOLUTION("size=3x3", "b01f_01io->b01f", ", batch_group_count=-1")},
    {"[convolution C23]", CONVOLUTION("size=3x3", "b01f_01io->b01f", ", feature_group_count=2, batch_group_count=2")},
    {"[convolution C25]", CONVOLUTION("size=2x3", "b01f_01io->b01f", ", feature_group_count=2")},
    {"", "r = c64[8] fft(c), fft_type=IFFT, fft_length={8}"},
    {"", "r = c64[4,4] fft(x), fft_type=RFFT, fft_length={6}"},
    {"", "r = f32[14] fft(c), fft_type=IRFFT, fft_length={14}"},
    {"[fft C1]", "r = c64[8] fft(c), fft_type=FFT, fft_length={8,8}"},
    {"[fft C2]", "r = c64[3] fft(v), fft_type=FFT, fft_length={3}"},
    {"[fft C3]", "r = c64[8] fft(c), fft_type=FFT, fft_length={}"},
    {"[fft C4]", "r = c64[4,4] fft(x), fft_type=RFFT, fft_length={5}"},
    {"[cholesky C2]", "r = f32[3] cholesky(v)"},
    {"[cholesky C3]", "r = f32[4,6] cholesky(x)"},
    {"[triangular_solve C1]", "k = f64[5,5] convert(sq)\n r = f32[5,5] triangular-solve(sq, k), left_side=true"},
    {"[triangular_solve C2]", "r = f32[3] triangular-solve(sq, v), left_side=true"},
    {"[triangular_solve C3]", "r = f32[4,6] triangular-solve(sq, x), left_side=true"},
};
INSTANTIATE_TEST_SUITE_P(Products, RulesTest, testing::ValuesIn(kProducts));

constexpr Case kControl[] = {
    {"", "r = f32[] call(z), to_apply=negate"},
    {"`negate` has 1 parameters, 2 are given", "r = f32[] call(z, z), to_apply=negate"},
    {"parameter 0 of `negate` has shape f32[], it is given f32[3]", "r = f32[] call(v), to_apply=negate"},
    {"give f32[]", "r = f32[3] fusion(z), kind=kLoop, calls=negate"},
    {"calls 0 computations", "r = f32[] call(z)"},
    {"", "r = (s32[]) while(t), condition=yes, body=step"},
    {"[while C1]", "r = (s32[]) while(t), condition=step, body=step"},
    {"[while C2]", "r = (s32[]) while(t), condition=yes, body=other"},
    {"[while C1]", "r = f32[] while(z), condition=yes, body=negate"},
    {"", "r = f32[] conditional(p, z, z), true_computation=negate, false_computation=negate"},
    {"", "r = f32[] conditional(i, z, z, z), branch_computations={negate, negate, negate}"},
    {"[if C1]", "r = f32[] conditional(p, z), branch_computations={negate}"},
    {"[if C2]",
     "k = f32[2] slice(v), slice={[0:2]}\n r = f32[] conditional(p, z, k), true_computation=negate, "
     "false_computation=vector"},
    {"[case C1]", "r = f32[] conditional(i), branch_computations={}"},
    {"[case I1]", "r = f32[] conditional(z, z, z), branch_computations={negate, negate}"},
    {"one for each branch", "r = f32[] conditional(i, z), branch_computations={negate, negate}"},
    {"", "r = f32[4,6] custom-call(x), custom_call_target=\"t\", output_to_operand_aliasing={{}: (0, {})}"},
    {"names output {0}",
     "r = f32[4,6] custom-call(x), custom_call_target=\"t\", output_to_operand_aliasing={{0}: (0, {})}"},
    {"names operand 1",
     "r = f32[4,6] custom-call(x), custom_call_target=\"t\", output_to_operand_aliasing={{}: (1, {})}"},
    {"as many", "r = f32[3] custom-call(x), custom_call_target=\"t\", output_to_operand_aliasing={{}: (0, {})}"},
    {"[rng_bit_generator C1]",
     "s = u64[2] constant({1,2})\n r = (u64[3], u32[4]) rng-bit-generator(s), algorithm=rng_default"},
    {"[async_start C1]", "s = ((f32[]), f32[]) async-start(z), calls=vector\n r = f32[] async-done(s)"},
    {"must be the tuple of an async-start", "r = f32[] async-done(z)"},
};
INSTANTIATE_TEST_SUITE_P(Control, RulesTest, testing::ValuesIn(kControl));

TEST(RulesTest, MessageStatesWhatWasSeenThenTheRule) {
  Status status = Verify("u = f32[4] broadcast(z), dimensions={}\n ROOT r = f32[3] dynamic-update-slice(v, u, i)");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what,
            "`r`: update has shape f32[4], operand has f32[3]; update must fit in operand [dynamic_update_slice C6]");
  EXPECT_EQ(status.error().where.file, "test.hlo");
}

}  // namespace
}  // namespace stead::ir
