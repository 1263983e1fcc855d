// No pass changes what a program computes: random programs and the stored ones, compared bit by bit with the interpreter after
// each pass of the pipeline.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <utility>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

// Writes well-typed programs over f32[4,6] arrays, f32[1,6] rows, pred[4,6] masks and s32 indices, with what passes look for:
// scatters and gathers of one row, updates, masks, barriers, loops, branches, calls and foreign fusions.
class ProgramWriter {
 public:
  explicit ProgramWriter(unsigned seed) : random_(seed) {}

  std::string Write() {
    arrays_ = {"x", "w"};
    rows_ = {"u"};
    indices_ = {"i"};
    Line("x = f32[4,6] parameter(0)");
    Line("w = f32[4,6] parameter(1)");
    Line("u = f32[1,6] parameter(2)");
    Line("i = s32[] parameter(3)");
    Line("c0 = s32[] constant(0)");
    Line("c3 = s32[] constant(3)");
    Line("f0 = f32[] constant(0)");
    Line("f2 = f32[] constant(2)");
    Line("less = pred[4,6] compare(x, w), direction=LT");
    indices_.push_back("c3");
    masks_ = {"less"};
    for (int step = 0; step < 14; ++step) Step();
    Line(fmt::format("ROOT result = (f32[4,6], f32[4,6], f32[1,6], s32[]) tuple({}, {}, {}, {})", Pick(arrays_),
                     arrays_.back(), rows_.back(), indices_.back()));
    return fmt::format("HloModule random\n{}\nENTRY main {{\n{}}}\n", kHelpers, body_);
  }

 private:
  static constexpr std::string_view kHelpers = R"(
    plus { pa = f32[] parameter(0)
      pb = f32[] parameter(1)
      ROOT pc = f32[] add(pa, pb) }
    mix { ma = f32[] parameter(0)
      mb = f32[] parameter(1)
      mc = f32[] constant(0.5)
      md = f32[] multiply(ma, mc)
      ROOT me = f32[] add(md, mb) }
    replace { ra = f32[] parameter(0)
      ROOT rb = f32[] parameter(1) }
    helper { ha = f32[4,6] parameter(0)
      hb = f32[4,6] parameter(1)
      hc = f32[4,6] maximum(ha, hb)
      ROOT hd = f32[4,6] subtract(hc, hb) }
    yes { yp = (f32[4,6], f32[4,6]) parameter(0)
      ya = f32[4,6] get-tuple-element(yp), index=0
      yb = f32[4,6] get-tuple-element(yp), index=1
      ROOT yc = f32[4,6] add(ya, yb) }
    no { np = (f32[4,6], f32[4,6]) parameter(0)
      ROOT na = f32[4,6] get-tuple-element(np), index=0 }
    cond { cs = (s32[], f32[4,6], f32[4,6], f32[1,6]) parameter(0)
      ci = s32[] get-tuple-element(cs), index=0
      cn = s32[] constant(3)
      ROOT cm = pred[] compare(ci, cn), direction=LT }
    body { bs = (s32[], f32[4,6], f32[4,6], f32[1,6]) parameter(0)
      bi = s32[] get-tuple-element(bs), index=0
      bo = s32[] constant(1)
      bz = s32[] constant(0)
      bn = s32[] add(bi, bo)
      ba = f32[4,6] get-tuple-element(bs), index=1
      bb = f32[4,6] get-tuple-element(bs), index=2
      br = f32[1,6] get-tuple-element(bs), index=3
      bl = f32[1,6] dynamic-slice(ba, bi, bz), dynamic_slice_sizes={1,6}
      bm = f32[1,6] multiply(bl, br)
      bu = f32[4,6] dynamic-update-slice(ba, bm, bi, bz)
      bq = f32[4,6] negate(bb)
      ROOT bt = (s32[], f32[4,6], f32[4,6], f32[1,6]) tuple(bn, bu, bq, bm) })";

  std::mt19937 random_;
  std::vector<std::string> arrays_, rows_, indices_, masks_;
  std::string body_;
  int next_ = 0;

  void Line(const std::string& line) { body_ += "  " + line + "\n"; }
  std::string New() { return fmt::format("v{}", next_++); }
  int Roll(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }
  const std::string& Pick(const std::vector<std::string>& values) { return values[random_() % values.size()]; }

  std::string Make(std::vector<std::string>& kind, const std::string& type, const std::string& expression) {
    std::string name = New();
    Line(fmt::format("{} = {} {}", name, type, expression));
    kind.push_back(name);
    return name;
  }
  std::string Array(const std::string& expression) { return Make(arrays_, "f32[4,6]", expression); }
  std::string Row(const std::string& expression) { return Make(rows_, "f32[1,6]", expression); }
  // A line whose value only the next lines use.
  std::string Inner(const std::string& type, const std::string& expression) {
    std::string name = New();
    Line(fmt::format("{} = {} {}", name, type, expression));
    return name;
  }

  void Step() {
    switch (Roll(22)) {
      case 0: Array(fmt::format("add({}, {})", Pick(arrays_), Pick(arrays_))); break;
      case 1: Array(fmt::format("multiply({}, {})", Pick(arrays_), Pick(arrays_))); break;
      case 2: Array(fmt::format("negate({})", Pick(arrays_))); break;
      case 3: Array(fmt::format("logistic({})", Pick(arrays_))); break;
      case 4: Fill(); break;
      case 5: Widen(); break;
      case 6: Reduce(); break;
      case 7: Row(fmt::format("slice({}), slice={{[{}:{}], [0:6]}}", Pick(arrays_), 2, 3)); break;
      case 8:
        Row(fmt::format("dynamic-slice({}, {}, c0), dynamic_slice_sizes={{1,6}}", Pick(arrays_), Pick(indices_)));
        break;
      case 9:
      case 10:
        Array(fmt::format("dynamic-update-slice({}, {}, {}, c0)", Pick(arrays_), Pick(rows_), Pick(indices_)));
        break;
      case 11: Scatter(); break;
      case 12: Gather(); break;
      case 13: Turn(); break;
      case 14:
        Make(masks_, "pred[4,6]", fmt::format("compare({}, {}), direction=LT", Pick(arrays_), Pick(arrays_)));
        break;
      case 15: Array(fmt::format("select({}, {}, {})", Pick(masks_), Pick(arrays_), Pick(arrays_))); break;
      case 16: MaskedUpdate(); break;
      case 17:
        Make(indices_, "s32[]",
             fmt::format("{}({}, {})", Roll(2) ? "add" : "subtract", Pick(indices_), Pick(indices_)));
        break;
      case 18: Barrier(); break;
      case 19:
        Array(fmt::format(
            fmt::runtime(Roll(2) ? "call({}, {}), to_apply=helper" : "fusion({}, {}), kind=kLoop, calls=helper"),
            Pick(arrays_), Pick(arrays_)));
        break;
      case 20: Branch(); break;
      case 21: Loop(); break;
    }
  }

  void Fill() {
    std::string scalar = Inner("f32[]", fmt::format("constant({})", Roll(3)));
    Array(fmt::format("broadcast({}), dimensions={{}}", scalar));
  }
  void Widen() {
    std::string flat = Inner("f32[6]", fmt::format("reshape({})", Pick(rows_)));
    Array(fmt::format("broadcast({}), dimensions={{1}}", flat));
  }
  void Reduce() {
    std::string sum = Inner("f32[6]", fmt::format("reduce({}, f0), dimensions={{0}}, to_apply=plus", Pick(arrays_)));
    Row(fmt::format("reshape({})", sum));
  }
  std::string Indices() {
    if (Roll(2)) return Inner("s32[1]", fmt::format("constant({{{}}})", Roll(6) - 1));
    return Inner("s32[1]", fmt::format("reshape({})", Pick(indices_)));
  }
  void Scatter() {
    std::string at = Indices(), update = Inner("f32[6]", fmt::format("reshape({})", Pick(rows_)));
    Array(
        fmt::format("scatter({}, {}, {}), update_window_dims={{0}}, inserted_window_dims={{0}}, "
                    "scatter_dims_to_operand_dims={{0}}, index_vector_dim=0, to_apply={}",
                    Pick(arrays_), at, update, Roll(2) ? "plus" : "mix"));
  }
  void Gather() {
    Row(
        fmt::format("gather({}, {}), offset_dims={{0,1}}, collapsed_slice_dims={{}}, start_index_map={{0}}, "
                    "index_vector_dim=0, slice_sizes={{1,6}}",
                    Pick(arrays_), Indices()));
  }
  void Turn() {
    std::string turned = Inner("f32[6,4]", fmt::format("transpose({}), dimensions={{1,0}}", Pick(arrays_)));
    std::string back = Inner("f32[6,4]", fmt::format("reverse({}), dimensions={{0}}", turned));
    Array(Roll(2) ? fmt::format("transpose({}), dimensions={{1,0}}", back) : fmt::format("reshape({})", back));
  }
  // One update of an array whose result only the next line uses: of one row, of two rows, or of one element in each row.
  std::string Update(const std::string& array) {
    static constexpr std::string_view kRows =
        "update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1";
    static constexpr std::string_view kElements =
        "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "
        "scatter_indices_batching_dims={0}, index_vector_dim=1";
    std::string combination = std::array{"plus", "mix", "replace"}[random_() % 3];
    switch (Roll(3)) {
      case 0: {
        std::string at = Inner("s32[2,1]", fmt::format("broadcast({}), dimensions={{}}", Pick(indices_)));
        std::string sign = Inner("s32[2,1]", "constant({{-1},{1}})");
        std::string moved = Inner("s32[2,1]", fmt::format("add({}, {})", at, sign));
        std::string row = Inner("f32[6]", fmt::format("reshape({})", Pick(rows_)));
        std::string rows = Inner("f32[2,6]", fmt::format("broadcast({}), dimensions={{1}}", row));
        return Inner("f32[4,6]",
                     fmt::format("scatter({}, {}, {}), {}, to_apply={}", array, moved, rows, kRows, combination));
      }
      case 1: {
        std::string at = Inner("s32[4,1]", fmt::format("broadcast({}), dimensions={{}}", Pick(indices_)));
        std::string values = Inner("f32[4]", "constant({1.5,-2,0,7})");
        return Inner("f32[4,6]",
                     fmt::format("scatter({}, {}, {}), {}, to_apply={}", array, at, values, kElements, combination));
      }
      default:
        return Inner("f32[4,6]",
                     fmt::format("dynamic-update-slice({}, {}, {}, c0)", array, Pick(rows_), Pick(indices_)));
    }
  }
  void MaskedUpdate() {
    std::string array = Pick(arrays_);
    std::string update = Update(array);
    if (Roll(2)) update = Update(update);
    std::string mask = Pick(masks_);
    if (Roll(2)) {
      std::string lines = Inner("pred[4]", "constant({true,false,false,true})");
      mask = Inner("pred[4,6]", fmt::format("broadcast({}), dimensions={{0}}", lines));
    }
    bool swapped = Roll(2) != 0;
    Array(fmt::format("select({}, {}, {})", mask, swapped ? array : update, swapped ? update : array));
  }
  void Barrier() {
    std::string in = Inner("(f32[4,6], f32[1,6])", fmt::format("tuple({}, {})", Pick(arrays_), Pick(rows_)));
    std::string out = Inner("(f32[4,6], f32[1,6])", fmt::format("opt-barrier({})", in));
    Array(fmt::format("get-tuple-element({}), index=0", out));
    Row(fmt::format("get-tuple-element({}), index=1", out));
  }
  void Branch() {
    std::string in = Inner("(f32[4,6], f32[4,6])", fmt::format("tuple({}, {})", Pick(arrays_), Pick(arrays_)));
    std::string which = Inner("pred[]", fmt::format("compare({}, {}), direction=GT", Pick(indices_), Pick(indices_)));
    Array(fmt::format("conditional({}, {}, {}), true_computation=yes, false_computation=no", which, in, in));
  }
  void Loop() {
    std::string type = "(s32[], f32[4,6], f32[4,6], f32[1,6])";
    std::string in = Inner(type, fmt::format("tuple(c0, {}, {}, {})", Pick(arrays_), Pick(arrays_), Pick(rows_)));
    std::string out = Inner(type, fmt::format("while({}), condition=cond, body=body", in));
    if (Roll(2)) Array(fmt::format("get-tuple-element({}), index=1", out));
    if (Roll(2)) Array(fmt::format("get-tuple-element({}), index=2", out));
    if (Roll(2)) Row(fmt::format("get-tuple-element({}), index=3", out));
  }
};

// Runs the pipeline and compares with the given program after each pass that changed something.
void ExpectPipelineKeepsMeaning(const std::string& text, unsigned seed) {
  const ir::Module given = Parse(text);
  const std::vector<ir::Literal> arguments = Arguments(given, seed);
  Result<ir::Literal> expected = interp::Evaluate(given, arguments);
  ASSERT_TRUE(expected.ok()) << expected.error().ToString() << text;
  ir::Module module = given;
  uint64_t revision = 0;
  Status status = RunPasses(module, Pipeline(), [&](int, std::string_view pass, const ir::Module& after) -> Status {
    if (std::exchange(revision, after.revision()) == after.revision()) return {};
    TRY(ir::Literal actual, interp::Evaluate(after, arguments));
    EXPECT_TRUE(expected->SameBits(actual)) << pass << " of seed " << seed << "\n"
                                            << text << "became\n"
                                            << ir::PrintModule(after);
    return {};
  });
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().ToString()) << text;
}

TEST(Meaning, OfRandomProgramsIsKept) {
  for (unsigned seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
    ExpectPipelineKeepsMeaning(ProgramWriter(seed).Write(), seed);
  }
}

// A second run of the pipeline, over what the first one made, is a program of another compiler: with fusions.
TEST(Meaning, OfOurOwnOutputIsKept) {
  for (unsigned seed = 0; seed < 50 && !testing::Test::HasFailure(); ++seed) {
    ir::Module module = Parse(ProgramWriter(seed).Write());
    ASSERT_TRUE(RunPasses(module, Pipeline()).ok());
    ExpectPipelineKeepsMeaning(ir::PrintModule(module), seed);
  }
}

// The stored programs that XLA:CPU can run, on arrays that the interpreter can walk through in no time.
TEST(Meaning, OfStoredProgramsIsKept) {
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(STEAD_TEST_DATA "/programs")) {
    if (file.path().extension() != ".hlo") continue;
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    std::string small = std::regex_replace(text.str(), std::regex("10000"), "12");
    if (small.find("tpu_custom_call") != std::string::npos) {
      ir::Module module = Parse(small);
      EXPECT_TRUE(RunPasses(module, Pipeline()).ok()) << file.path();
      EXPECT_EQ(Count(module, ir::Opcode::kCustomCall), 1) << file.path();
      continue;
    }
    ExpectPipelineKeepsMeaning(small, 1);
    ++compared;
  }
  EXPECT_GE(compared, 12);
}

}  // namespace
}  // namespace stead::passes
