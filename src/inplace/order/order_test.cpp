// The order that is chosen needs no more memory than any other one that the program allows.
#include "inplace/order/order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "frontend/hlo_text/parser.h"
#include "inplace/plan.h"

namespace stead::inplace {
namespace {

// A step of a program over arrays of different sizes: it spreads a scalar to an array, or contracts two arrays to a scalar.
struct Made {
  int64_t elements = 1;
  std::vector<int> operands;  // numbers of earlier steps; none: the parameter
};

struct StepProgram {
  std::vector<Made> steps;
  std::vector<int> last;  // the root

  std::string Text() const {
    auto name = [](int step) { return step < 0 ? std::string("p") : fmt::format("v{}", step); };
    std::string body = "  p = f32[] parameter(0)\n";
    for (size_t step = 0; step < steps.size(); ++step) {
      const Made& made = steps[step];
      if (made.elements > 1) {
        int from = made.operands.empty() ? -1 : made.operands[0];
        body += fmt::format("  v{} = f32[{}] broadcast({}), dimensions={{}}\n", step, made.elements, name(from));
      } else {
        body += fmt::format("  v{} = f32[] dot(v{}, v{}), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}\n",
                            step, made.operands[0], made.operands[1]);
      }
    }
    std::string types, values;
    for (int step : last) {
      types += (types.empty() ? "" : ", ") +
               fmt::format("f32[{}]", steps[step].elements > 1 ? fmt::to_string(steps[step].elements) : "");
      values += (values.empty() ? "v" : ", v") + fmt::to_string(step);
    }
    return fmt::format("HloModule m\nENTRY e {{\n{}  ROOT r = ({}) tuple({})\n}}\n", body, types, values);
  }

  // The most elements that live at once; results live to the end, the parameter does not count.
  int64_t Peak(const std::vector<int>& order) const {
    std::vector<int> users(steps.size(), 0);
    for (const Made& made : steps) {
      for (size_t number = 0; number < made.operands.size(); ++number)
        users[made.operands[number]] += number == 0 || made.operands[number] != made.operands[0];
    }
    for (int step : last) users[step] += 1000;
    int64_t live = 0, peak = 0;
    for (int step : order) {
      live += steps[step].elements;
      peak = std::max(peak, live);
      const std::vector<int>& operands = steps[step].operands;
      for (size_t number = 0; number < operands.size(); ++number) {
        if (number == 1 && operands[1] == operands[0]) continue;
        if (--users[operands[number]] == 0) live -= steps[operands[number]].elements;
      }
    }
    return peak;
  }

  int64_t LowestPeak() const {
    std::vector<int> order(steps.size());
    for (size_t step = 0; step < order.size(); ++step) order[step] = static_cast<int>(step);
    int64_t lowest = std::numeric_limits<int64_t>::max();
    do {
      bool legal = true;
      std::vector<bool> done(steps.size(), false);
      for (int step : order) {
        for (int operand : steps[step].operands) legal = legal && done[operand];
        done[step] = true;
      }
      if (legal) lowest = std::min(lowest, Peak(order));
    } while (std::ranges::next_permutation(order).found);
    return lowest;
  }
};

StepProgram RandomStepProgram(unsigned seed) {
  std::mt19937 random(seed);
  StepProgram program;
  std::vector<int> scalars, arrays;
  auto pick = [&](const std::vector<int>& from) { return from[random() % from.size()]; };
  for (int step = 0; step < 8; ++step) {
    std::vector<std::pair<int, int>> pairs;
    for (int left : arrays) {
      for (int right : arrays) {
        if (program.steps[left].elements == program.steps[right].elements) pairs.emplace_back(left, right);
      }
    }
    if (!pairs.empty() && random() % 2 == 0) {
      auto [left, right] = pairs[random() % pairs.size()];
      program.steps.push_back({1, {left, right}});
      scalars.push_back(step);
    } else {
      Made made{static_cast<int64_t>(64 << (random() % 4)), {}};
      if (!scalars.empty() && random() % 2 == 0) made.operands = {pick(scalars)};
      program.steps.push_back(made);
      arrays.push_back(step);
    }
  }
  std::vector<bool> used(program.steps.size(), false);
  for (const Made& made : program.steps) {
    for (int operand : made.operands) used[operand] = true;
  }
  for (size_t step = 0; step < used.size(); ++step) {
    if (!used[step]) program.last.push_back(static_cast<int>(step));
  }
  return program;
}

TEST(Order, NeedsNoMoreMemoryThanAnyOther) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    StepProgram program = RandomStepProgram(seed);
    auto module = frontend::ParseHloText(program.Text(), "test.hlo");
    ASSERT_TRUE(module.ok()) << module.error().ToString() << program.Text();
    auto plan = MakePlan(std::move(*module), {});
    ASSERT_TRUE(plan.ok()) << plan.error().ToString();
    std::vector<int> order;
    for (ir::InstrId id : plan->module.entry_computation().instructions) {
      const std::string& name = plan->module.instruction(id).name;
      if (name[0] == 'v') order.push_back(std::stoi(name.substr(1)));
    }
    ASSERT_EQ(order.size(), program.steps.size());
    EXPECT_EQ(program.Peak(order), program.LowestPeak()) << "seed " << seed << "\n" << program.Text();
  }
}

// Results that are built in donated arrays need no memory, so each gradient is used up before the next one is made.
TEST(Order, UpdatesDonatedArraysOneAfterTheOther) {
  constexpr char kText[] = R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias),
    {2}: (2, {}, may-alias), {3}: (3, {}, may-alias) }
ENTRY e {
  w = f32[64,64] parameter(0)
  m = f32[64,64] parameter(1)
  v = f32[64,64] parameter(2)
  n = f32[64,64] parameter(3)
  x = f32[64] parameter(4)
  y = f32[64] parameter(5)
  g = f32[64,64] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={}
  h = f32[64,64] dot(y, x), lhs_contracting_dims={}, rhs_contracting_dims={}
  new_w = f32[64,64] subtract(w, g)
  new_m = f32[64,64] add(m, g)
  new_v = f32[64,64] subtract(v, h)
  new_n = f32[64,64] add(n, h)
  ROOT r = (f32[64,64], f32[64,64], f32[64,64], f32[64,64]) tuple(new_w, new_m, new_v, new_n)
})";
  Result<ir::Module> module = frontend::ParseHloText(kText, "order.hlo");
  ASSERT_TRUE(module.ok()) << module.error().ToString();
  Result<BufferPlan> plan = MakePlan(*std::move(module), {});
  ASSERT_TRUE(plan.ok()) << plan.error().ToString();
  EXPECT_EQ(plan->arena_bytes, 64 * 64 * 4);
}

}  // namespace
}  // namespace stead::inplace
