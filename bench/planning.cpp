// Times the in-place planner and the plan checker on large modules: `./dev bench planning`. Three shapes of module, each in
// several sizes, so that what grows faster than the module shows:
//   a straight line of instructions, of which some update one of 20 donated arrays with rows of others;
//   a straight line whose values are all alive at once;
//   a row of loops that each read one of two arrays, update the other and exchange them.
// Prints milliseconds of processor time of MakePlan and of CheckPlan, parsing and passes not counted, and the copies of the plan.
#include <fmt/format.h>

#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "frontend/hlo_text/parser.h"
#include "inplace/plan.h"
#include "ir/verify.h"

namespace stead::inplace {
namespace {

constexpr int kArrays = 20;
constexpr char kArray[] = "f32[64,16]{1,0}";
constexpr char kRow[] = "f32[1,16]{1,0}";

std::string StraightLine(int instructions, int updates) {
  std::mt19937 random(1);
  std::string donors, body, results, types;
  std::vector<std::string> arrays;
  for (int array = 0; array < kArrays; ++array) {
    arrays.push_back(fmt::format("p{}", array));
    donors += fmt::format("{}({}, {{}})", array == 0 ? "" : ", ", array);
    body += fmt::format("  p{} = {} parameter({})\n", array, kArray, array);
  }
  body += fmt::format("  at = s32[] parameter({})\n  zero = s32[] constant(0)\n", kArrays);
  for (int update = 0; update < updates; ++update) {
    std::string row = fmt::format("s{}", update);
    body += fmt::format("  {} = {} dynamic-slice({}, at, zero), dynamic_slice_sizes={{1,16}}\n", row, kRow,
                        arrays[random() % kArrays]);
    for (int step = 2; step < instructions / updates; ++step) {
      std::string next = fmt::format("e{}_{}", update, step);
      body += fmt::format("  {} = {} negate({})\n", next, kRow, row);
      row = next;
    }
    std::string& array = arrays[random() % kArrays];
    body += fmt::format("  u{} = {} dynamic-update-slice({}, {}, at, zero)\n", update, kArray, array, row);
    array = fmt::format("u{}", update);
  }
  for (const std::string& array : arrays) {
    results += (results.empty() ? "" : ", ") + array;
    types += fmt::format("{}{}", types.empty() ? "" : ", ", kArray);
  }
  return fmt::format("HloModule line, buffer_donor={{ {} }}\n\nENTRY main {{\n{}  ROOT out = ({}) tuple({})\n}}\n", donors,
                     body, types, results);
}

// Half of the instructions make values that are all alive before the other half adds them up, the youngest first.
std::string AllAlive(int instructions) {
  std::string body = fmt::format("  p = {} parameter(0)\n", kRow), last = "p";
  for (int value = 0; value < instructions / 2; ++value) {
    body += fmt::format("  v{} = {} negate({})\n", value, kRow, last);
    last = fmt::format("v{}", value);
  }
  for (int value = instructions / 2 - 2; value >= 0; --value) {
    body += fmt::format("  {}a{} = {} add({}, v{})\n", value == 0 ? "ROOT " : "", value, kRow, last, value);
    last = fmt::format("a{}", value);
  }
  return fmt::format("HloModule alive\n\nENTRY main {{\n{}}}\n", body);
}

std::string RowOfLoops(int loops) {
  std::string state = fmt::format("(s32[], {}, {})", kArray, kArray), computations, body;
  std::string x = "x", y = "y";
  for (int loop = 0; loop < loops; ++loop) {
    computations += fmt::format(
        "c{0} {{\n  cp{0} = {1} parameter(0)\n  ci{0} = s32[] get-tuple-element(cp{0}), index=0\n"
        "  ce{0} = s32[] constant(5)\n  ROOT cl{0} = pred[] compare(ci{0}, ce{0}), direction=LT\n}}\n",
        loop, state);
    computations += fmt::format(
        "b{0} {{\n  bp{0} = {1} parameter(0)\n  bi{0} = s32[] get-tuple-element(bp{0}), index=0\n"
        "  bx{0} = {2} get-tuple-element(bp{0}), index=1\n  by{0} = {2} get-tuple-element(bp{0}), index=2\n"
        "  bz{0} = s32[] constant(0)\n  bo{0} = s32[] constant(1)\n  bn{0} = s32[] add(bi{0}, bo{0})\n"
        "  bs{0} = {3} dynamic-slice(by{0}, bi{0}, bz{0}), dynamic_slice_sizes={{1,16}}\n"
        "  bu{0} = {2} dynamic-update-slice(bx{0}, bs{0}, bi{0}, bz{0})\n"
        "  ROOT br{0} = {1} tuple(bn{0}, by{0}, bu{0})\n}}\n",
        loop, state, kArray, kRow);
    body += fmt::format(
        "  z{0} = s32[] constant(0)\n  i{0} = {1} tuple(z{0}, {2}, {3})\n"
        "  w{0} = {1} while(i{0}), condition=c{0}, body=b{0}\n"
        "  x{0} = {4} get-tuple-element(w{0}), index=1\n  y{0} = {4} get-tuple-element(w{0}), index=2\n",
        loop, state, x, y, kArray);
    x = fmt::format("x{}", loop);
    y = fmt::format("y{}", loop);
  }
  return fmt::format(
      "HloModule loops, buffer_donor={{ (0, {{}}), (1, {{}}) }}\n\n{0}\nENTRY main {{\n  x = {1} parameter(0)\n"
      "  y = {1} parameter(1)\n{2}  ROOT out = ({1}, {1}) tuple({3}, {4})\n}}\n",
      computations, kArray, body, x, y);
}

// Of this process, so that what else the machine does counts less.
double MillisecondsSince(std::clock_t start) {
  return 1e3 * static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
}

bool Time(const std::string& name, const std::string& text) {
  auto module = frontend::ParseHloText(text, name);
  if (!module.ok() || !ir::VerifyModule(*module).ok()) {
    fmt::print("{}: the generated module is wrong\n", name);
    return false;
  }
  std::clock_t start = std::clock();
  auto plan = MakePlan(std::move(*module), {});
  double planned = MillisecondsSince(start);
  if (!plan.ok()) {
    fmt::print("{}: {}\n", name, plan.error().ToString());
    return false;
  }
  start = std::clock();
  Status checked = CheckPlan(*plan);
  fmt::print("{:40} plan {:9.1f} ms   check {:9.1f} ms   {} copies{}\n", name, planned, MillisecondsSince(start),
             plan->copies.size(), checked.ok() ? "" : "   REFUSED");
  return checked.ok();
}

}  // namespace
}  // namespace stead::inplace

int main() {
  using namespace stead::inplace;
  bool all = true;
  for (int thousands : {2, 50, 100}) {
    all &= Time(fmt::format("{},000 instructions, {} updates", thousands, 50 * thousands),
                StraightLine(1000 * thousands, 50 * thousands));
  }
  for (int thousands : {10, 50, 100}) {
    all &= Time(fmt::format("{},000 instructions, half alive at once", thousands), AllAlive(1000 * thousands));
  }
  for (int loops : {200, 400, 1600}) all &= Time(fmt::format("{} loops in a row", loops), RowOfLoops(loops));
  return all ? 0 : 1;
}
