// Random programs with loops, branches, barriers and donations: the plan, run on shared bytes, computes what the interpreter
// computes from the program, and the checker accepts it. Arithmetic is integer and mixes positions, so that a stale or
// misplaced element shows.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "frontend/hlo_text/parser.h"
#include "inplace/plan.h"
#include "inplace/plan_replay.h"
#include "interp/evaluate.h"
#include "ir/printer.h"
#include "ir/verify.h"

namespace stead::inplace {
namespace {

constexpr int kUnits = 6;  // every array has 6 units: of one element, or of 64 bytes so that slices may become views

// Writes one computation after another, inner ones first.
class Generator {
 public:
  explicit Generator(uint32_t seed)
      : random_(seed), unit_(seed % 2 == 0 ? 1 : 16), array_(fmt::format("s32[{}]", kUnits * unit_)) {}

  std::string Module() {
    int parameters = 1 + Below(3);
    std::string body;
    std::vector<std::string> arrays;
    for (int number = 0; number < parameters; ++number) {
      arrays.push_back(Name("p"));
      body += fmt::format("  {} = {} parameter({})\n", arrays.back(), array_, number);
    }
    Statements(arrays, body, 2, 3 + Below(6), "");
    std::vector<std::string> results = Pick(arrays, 1 + Below(3));
    body += fmt::format("  ROOT {} = {} tuple({})\n", Name("t"), TupleType(results.size(), false), Join(results));
    std::string donors;
    for (int number = 0; number < parameters; ++number) {
      if (Below(4) != 0) donors += fmt::format("{}({}, {{}})", donors.empty() ? "" : ", ", number);
    }
    std::string header = donors.empty() ? "HloModule m\n" : fmt::format("HloModule m, buffer_donor={{ {} }}\n", donors);
    return header + computations_ + "ENTRY main {\n" + body + "}\n";
  }

 private:
  int Below(int limit) { return static_cast<int>(random_() % limit); }
  std::string Name(const std::string& stem) { return fmt::format("{}.{}", stem, ++names_); }
  // Mostly recent values, so that chains of updates form.
  const std::string& Any(const std::vector<std::string>& arrays) {
    size_t back = static_cast<size_t>(Below(3) == 0 ? Below(static_cast<int>(arrays.size())) : Below(3));
    return arrays[arrays.size() - 1 - std::min(back, arrays.size() - 1)];
  }
  std::vector<std::string> Pick(const std::vector<std::string>& arrays, int count) {
    std::vector<std::string> picked;
    for (int number = 0; number < count; ++number) picked.push_back(Any(arrays));
    return picked;
  }
  static std::string Join(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }
  std::string TupleType(size_t arrays, bool counter) const {
    std::vector<std::string> types;
    if (counter) types.push_back("s32[]");
    types.resize(types.size() + arrays, array_);
    return fmt::format("({})", Join(types));
  }

  // `index`: the loop counter's name, or empty.
  void Statements(std::vector<std::string>& arrays, std::string& body, int depth, int count, const std::string& index) {
    for (int number = 0; number < count; ++number) {
      switch (Below(depth > 0 ? 14 : 11)) {
        case 0: Elementwise(arrays, body); break;
        case 1:
        case 2:
        case 3: Update(arrays, body, index); break;
        case 4: SliceAndPad(arrays, body); break;
        case 5: Reverse(arrays, body); break;
        case 6: Barrier(arrays, body); break;
        case 7: DynamicRead(arrays, body, index); break;
        case 8: Fill(arrays, body); break;
        case 9: ElementwiseFusion(arrays, body); break;
        case 10: UpdateFusion(arrays, body); break;
        case 11:
        case 12: Loop(arrays, body, depth - 1); break;
        case 13: Branches(arrays, body, depth - 1, index); break;
      }
    }
  }

  void Elementwise(std::vector<std::string>& arrays, std::string& body) {
    std::string result = Name("e");
    const char* ops[] = {"add", "subtract", "multiply"};
    body += fmt::format("  {} = {} {}({}, {})\n", result, array_, ops[Below(3)], Any(arrays), Any(arrays));
    arrays.push_back(result);
  }

  void Fusion(std::vector<std::string>& arrays, std::string& body, const std::string& fused_body) {
    std::string fused = Name("fused"), result = Name("f");
    computations_ +=
        fmt::format("{} {{\n  a = {} parameter(0)\n  b = {} parameter(1)\n{}}}\n", fused, array_, array_, fused_body);
    body += fmt::format("  {} = {} fusion({}, {}), kind=kLoop, calls={}\n", result, array_, Any(arrays), Any(arrays),
                        fused);
    arrays.push_back(result);
  }

  void ElementwiseFusion(std::vector<std::string>& arrays, std::string& body) {
    std::string other = Below(2) == 0 ? "negate(b)" : "reverse(b), dimensions={0}";
    Fusion(arrays, body, fmt::format("  c = {} {}\n  ROOT d = {} add(a, c)\n", array_, other, array_));
  }

  // An update whose window, or another one, is read of the target, and a piece of the other operand.
  void UpdateFusion(std::vector<std::string>& arrays, std::string& body) {
    int start = unit_ * Below(kUnits), read = Below(2) == 0 ? start : unit_ * Below(kUnits),
        piece = unit_ * Below(kUnits);
    auto slice = [&](const char* of, int from) {
      return fmt::format("s32[{}] slice({}), slice={{[{}:{}]}}", unit_, of, from, from + unit_);
    };
    std::string fused = fmt::format("  s = {}\n  r = {}\n  c = s32[{}] subtract(s, r)\n  i = s32[] constant({})\n",
                                    slice("a", read), slice("b", piece), unit_, start);
    Fusion(arrays, body, fused + fmt::format("  ROOT d = {} dynamic-update-slice(a, c, i)\n", array_));
  }

  std::string Index(std::string& body, const std::string& index) {
    if (!index.empty() && Below(2) == 0) return index;
    std::string name = Name("c");
    body += fmt::format("  {} = s32[] constant({})\n", name, unit_ * Below(kUnits));
    return name;
  }

  // A slice of some units of some array; returns its name.
  std::string Slice(std::vector<std::string>& arrays, std::string& body, int units) {
    std::string piece = Name("s");
    int start = Below(kUnits - units + 1);
    body += fmt::format("  {} = s32[{}] slice({}), slice={{[{}:{}]}}\n", piece, units * unit_, Any(arrays),
                        start * unit_, (start + units) * unit_);
    return piece;
  }

  void Update(std::vector<std::string>& arrays, std::string& body, const std::string& index) {
    int units = 1 + Below(2);
    std::string at = Index(body, index), result = Name("u"), piece = Slice(arrays, body, units);
    if (Below(2) == 0) {
      std::string doubled = Name("d");
      body += fmt::format("  {} = s32[{}] add({}, {})\n", doubled, units * unit_, piece, piece);
      piece = doubled;
    }
    body += fmt::format("  {} = {} dynamic-update-slice({}, {}, {})\n", result, array_, Any(arrays), piece, at);
    arrays.push_back(result);
  }

  void SliceAndPad(std::vector<std::string>& arrays, std::string& body) {
    int units = 1 + Below(kUnits);
    std::string value = Name("c"), result = Name("q"), piece = Slice(arrays, body, units);
    body += fmt::format("  {} = s32[] constant(7)\n", value);
    body +=
        fmt::format("  {} = {} pad({}, {}), padding=0_{}\n", result, array_, piece, value, (kUnits - units) * unit_);
    arrays.push_back(result);
  }

  void Reverse(std::vector<std::string>& arrays, std::string& body) {
    std::string result = Name("r");
    body += fmt::format("  {} = {} reverse({}), dimensions={{0}}\n", result, array_, Any(arrays));
    arrays.push_back(result);
  }

  void Fill(std::vector<std::string>& arrays, std::string& body) {
    std::string result = Name("f");
    if (Below(2) == 0) {
      std::vector<int> elements(static_cast<size_t>(kUnits * unit_));
      std::iota(elements.begin(), elements.end(), 100);
      body += fmt::format("  {} = {} constant({{{}}})\n", result, array_, fmt::join(elements, ", "));
    } else {
      body += fmt::format("  {} = {} iota(), iota_dimension=0\n", result, array_);
    }
    arrays.push_back(result);
  }

  void DynamicRead(std::vector<std::string>& arrays, std::string& body, const std::string& index) {
    std::string at = Index(body, index), piece = Name("s"), scalar = Name("x"), result = Name("b");
    body += fmt::format("  {} = s32[1] dynamic-slice({}, {}), dynamic_slice_sizes={{1}}\n", piece, Any(arrays), at);
    body += fmt::format("  {} = s32[] reshape({})\n", scalar, piece);
    body += fmt::format("  {} = {} broadcast({}), dimensions={{}}\n", result, array_, scalar);
    arrays.push_back(result);
  }

  void Barrier(std::vector<std::string>& arrays, std::string& body) {
    std::vector<std::string> held = Pick(arrays, 2);
    std::string type = TupleType(2, false), tuple = Name("t"), barrier = Name("o");
    body +=
        fmt::format("  {} = {} tuple({})\n  {} = {} opt-barrier({})\n", tuple, type, Join(held), barrier, type, tuple);
    for (int element = 0; element < 2; ++element) {
      arrays.push_back(Name("g"));
      body += fmt::format("  {} = {} get-tuple-element({}), index={}\n", arrays.back(), array_, barrier, element);
    }
  }

  void Loop(std::vector<std::string>& arrays, std::string& body, int depth) {
    size_t count = static_cast<size_t>(1 + Below(3));
    std::string type = TupleType(count, true), condition = Name("cond"), loop_body = Name("body");
    int trips = Below(4);
    computations_ += fmt::format(
        "{} {{\n  p = {} parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant({})\n"
        "  ROOT l = pred[] compare(i, n), direction=LT\n}}\n",
        condition, type, trips);
    std::string state = Name("p"), counter = Name("i"), one = Name("c"), next = Name("i"), inner;
    inner += fmt::format("  {} = {} parameter(0)\n  {} = s32[] get-tuple-element({}), index=0\n", state, type, counter,
                         state);
    std::vector<std::string> values;
    for (size_t element = 0; element < count; ++element) {
      values.push_back(Name("g"));
      inner += fmt::format("  {} = {} get-tuple-element({}), index={}\n", values.back(), array_, state, element + 1);
    }
    std::vector<std::string> given = values;
    Statements(values, inner, depth, Below(5), counter);
    std::vector<std::string> results{next};
    for (size_t element = 0; element < count; ++element)
      results.push_back(Below(3) == 0 ? given[element] : Any(values));
    inner += fmt::format("  {} = s32[] constant(1)\n  {} = s32[] add({}, {})\n", one, next, counter, one);
    inner += fmt::format("  ROOT {} = {} tuple({})\n", Name("t"), type, Join(results));
    computations_ += fmt::format("{} {{\n{}}}\n", loop_body, inner);
    std::vector<std::string> init = Pick(arrays, static_cast<int>(count));
    std::string zero = Name("c"), tuple = Name("t"), loop = Name("w");
    init.insert(init.begin(), zero);
    body += fmt::format("  {} = s32[] constant(0)\n  {} = {} tuple({})\n", zero, tuple, type, Join(init));
    body += fmt::format("  {} = {} while({}), condition={}, body={}\n", loop, type, tuple, condition, loop_body);
    for (size_t element = 0; element < count; ++element) {
      arrays.push_back(Name("g"));
      body += fmt::format("  {} = {} get-tuple-element({}), index={}\n", arrays.back(), array_, loop, element + 1);
    }
  }

  std::string Branch(size_t count, size_t results, int depth) {
    std::string name = Name("branch"), parameter = Name("p"), type = TupleType(count, false);
    std::string inner = fmt::format("  {} = {} parameter(0)\n", parameter, type);
    std::vector<std::string> values;
    for (size_t element = 0; element < count; ++element) {
      values.push_back(Name("g"));
      inner += fmt::format("  {} = {} get-tuple-element({}), index={}\n", values.back(), array_, parameter, element);
    }
    Statements(values, inner, depth, Below(4), "");
    inner += fmt::format("  ROOT {} = {} tuple({})\n", Name("t"), TupleType(results, false),
                         Join(Pick(values, static_cast<int>(results))));
    computations_ += fmt::format("{} {{\n{}}}\n", name, inner);
    return name;
  }

  void Branches(std::vector<std::string>& arrays, std::string& body, int depth, const std::string& index) {
    size_t count = static_cast<size_t>(1 + Below(2)), results = static_cast<size_t>(1 + Below(2));
    std::string first = Branch(count, results, depth), second = Branch(count, results, depth);
    std::string tuple = Name("t"), selector = index, conditional = Name("k");
    if (selector.empty()) {
      selector = Name("c");
      body += fmt::format("  {} = s32[] constant({})\n", selector, Below(2));
    }
    body += fmt::format("  {} = {} tuple({})\n", tuple, TupleType(count, false),
                        Join(Pick(arrays, static_cast<int>(count))));
    body += fmt::format("  {} = {} conditional({}, {}, {}), branch_computations={{{}, {}}}\n", conditional,
                        TupleType(results, false), selector, tuple, tuple, first, second);
    for (size_t element = 0; element < results; ++element) {
      arrays.push_back(Name("g"));
      body += fmt::format("  {} = {} get-tuple-element({}), index={}\n", arrays.back(), array_, conditional, element);
    }
  }

  std::mt19937 random_;
  int unit_;           // elements
  std::string array_;  // the type of every array
  int names_ = 0;
  std::string computations_;
};

std::vector<ir::Literal> Arguments(const ir::Module& module) {
  std::vector<ir::Literal> arguments;
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    std::vector<int32_t> elements;
    for (int64_t element = 0; element < module.shape(parameter).element_count(); ++element) {
      elements.push_back(static_cast<int32_t>(1000 * (arguments.size() + 1) + 37 * element));
    }
    arguments.push_back(ir::Literal::FromVector<int32_t>(module.shape(parameter), elements));
  }
  return arguments;
}

void ExpectSameResults(const std::string& text, const PlanOptions& options, int64_t& copies) {
  auto module = frontend::ParseHloText(text, "random.hlo");
  ASSERT_TRUE(module.ok()) << module.error().ToString() << "\n" << text;
  ASSERT_TRUE(ir::VerifyModule(*module).ok()) << ir::VerifyModule(*module).error().ToString() << "\n" << text;
  std::vector<ir::Literal> arguments = Arguments(*module);
  auto expected = interp::Evaluate(*module, arguments);
  ASSERT_TRUE(expected.ok()) << expected.error().ToString() << "\n" << text;
  auto plan = MakePlan(std::move(*module), options);
  ASSERT_TRUE(plan.ok()) << plan.error().ToString() << "\n" << text;
  std::string final_text = text + "\nplanned:\n" + ir::PrintModule(plan->module);
  ASSERT_TRUE(ir::VerifyModule(plan->module).ok()) << ir::VerifyModule(plan->module).error().ToString() << final_text;
  Status checked = CheckPlan(*plan);
  ASSERT_TRUE(checked.ok()) << checked.error().ToString() << "\n" << final_text;
  auto results = ReplayPlan(*plan, arguments);
  ASSERT_TRUE(results.ok()) << results.error().ToString() << "\n" << final_text;
  ASSERT_EQ(results->size(), expected->elements().size());
  for (size_t leaf = 0; leaf < results->size(); ++leaf) {
    ASSERT_TRUE((*results)[leaf].SameBits(expected->elements()[leaf])) << "result " << leaf << "\n" << final_text;
  }
  copies += static_cast<int64_t>(plan->copies.size());
}

// How many times as many programs as usual.
uint32_t Scale() {
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  return scale == nullptr ? 1 : static_cast<uint32_t>(std::atoi(scale));
}

TEST(Replay, RandomProgramsComputeTheSameOnSharedBytes) {
  int64_t copies = 0;
  for (uint32_t seed = 0; seed < 1000 * Scale() && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ExpectSameResults(Generator(seed).Module(), {}, copies);
  }
  EXPECT_GT(copies, 500);
}

TEST(Replay, TheAlwaysCopyBaselineComputesTheSameWithMoreCopies) {
  int64_t copies = 0, baseline = 0;
  for (uint32_t seed = 0; seed < 100 && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::string text = Generator(seed).Module();
    ExpectSameResults(text, {}, copies);
    ExpectSameResults(text, {.always_copy = true}, baseline);
  }
  EXPECT_GT(baseline, copies);
}

}  // namespace
}  // namespace stead::inplace
