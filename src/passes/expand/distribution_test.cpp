#include "passes/expand/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// 4,000 numbers; the language leaves open which.
ir::Module Expanded(std::string_view type, std::string_view low, std::string_view high, std::string_view distribution) {
  ir::Module module = Parse(fmt::format(R"(HloModule m
    ENTRY main {{ a = {0}[] constant({1}) b = {0}[] constant({2})
      first = {0}[40,50] rng(a, b), distribution={3}
      second = {0}[40,50] rng(a, b), distribution={3}
      ROOT both = {0}[80,50] concatenate(first, second), dimensions={{0}} }})",
                                        type, low, high, distribution));
  EXPECT_TRUE(RunPass(module, ExpandRandom));
  EXPECT_EQ(Count(module, Opcode::kRng), 0);
  return module;
}

std::vector<double> Numbers(const ir::Module& module) {
  return interp::ReadAll<double>(interp::Evaluate(module, {}).value());
}

double MeanOf(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

// The root of the mean square of the distance from the mean.
double DeviationOf(const std::vector<double>& numbers) {
  const double mean = MeanOf(numbers);
  double sum = 0;
  for (double number : numbers) sum += (number - mean) * (number - mean);
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

// The mean of 4,000 numbers is off by 4 times its own deviation once in 16,000 times; these numbers are always the same.
TEST(ExpandDistribution, UniformFloatsFillTheirInterval) {
  for (std::string_view type : {"f32", "f64", "f16", "bf16"}) {
    std::vector<double> numbers = Numbers(Expanded(type, "-3", "5", "rng_uniform"));
    const auto [least, most] = std::ranges::minmax(numbers);
    EXPECT_GE(least, -3) << type;
    EXPECT_LT(most, 5) << type;
    EXPECT_NEAR(MeanOf(numbers), 1, 0.15) << type;
    EXPECT_NEAR(DeviationOf(numbers), 8 / std::sqrt(12), 0.1) << type;
  }
}

TEST(ExpandDistribution, UniformIntegersFillTheirInterval) {
  for (std::string_view type : {"s8", "s16", "s32", "s64"}) {
    std::vector<double> numbers = Numbers(Expanded(type, "-3", "5", "rng_uniform"));
    for (int wanted = -3; wanted < 5; ++wanted)
      EXPECT_NEAR(std::ranges::count(numbers, wanted), 500, 90) << type << " " << wanted;
  }
  std::vector<double> bytes = Numbers(Expanded("u8", "250", "255", "rng_uniform"));
  EXPECT_EQ(std::ranges::min(bytes), 250);
  EXPECT_EQ(std::ranges::max(bytes), 254);
}

TEST(ExpandDistribution, NormalNumbersHaveTheirMeanAndDeviation) {
  for (std::string_view type : {"f32", "f64", "f16", "bf16"}) {
    std::vector<double> numbers = Numbers(Expanded(type, "10", "2", "rng_normal"));
    EXPECT_NEAR(MeanOf(numbers), 10, 0.13) << type;
    EXPECT_NEAR(DeviationOf(numbers), 2, 0.1) << type;
    const auto within_one = std::ranges::count_if(numbers, [](double number) { return std::abs(number - 10) < 2; });
    EXPECT_NEAR(static_cast<double>(within_one) / 4000, 0.6827, 0.03) << type;
  }
}

TEST(ExpandDistribution, TwoOfOneKindAreNotTheSame) {
  std::vector<double> numbers = Numbers(Expanded("f64", "0", "1", "rng_uniform"));
  EXPECT_FALSE(std::equal(numbers.begin(), numbers.begin() + 2000, numbers.begin() + 2000));
}

TEST(ExpandDistribution, EveryTurnOfALoopGetsItsOwn) {
  ir::Module module = Parse(R"(HloModule m
    body { s = (s32[], f64[5]) parameter(0) n = s32[] get-tuple-element(s), index=0 old = f64[5] get-tuple-element(s), index=1
      a = f64[] constant(0) b = f64[] constant(1) one = s32[] constant(1)
      new = f64[1] rng(a, b), distribution=rng_uniform
      next = s32[] add(n, one)
      kept = f64[5] dynamic-update-slice(old, new, n) ROOT r = (s32[], f64[5]) tuple(next, kept) }
    condition { s = (s32[], f64[5]) parameter(0) n = s32[] get-tuple-element(s), index=0
      five = s32[] constant(5) ROOT c = pred[] compare(n, five), direction=LT }
    ENTRY main { zero = s32[] constant(0) empty = f64[5] constant({0, 0, 0, 0, 0})
      start = (s32[], f64[5]) tuple(zero, empty)
      end = (s32[], f64[5]) while(start), condition=condition, body=body
      ROOT numbers = f64[5] get-tuple-element(end), index=1 })");
  RunPass(module, ExpandRandom);
  std::vector<double> numbers = Numbers(module);
  std::ranges::sort(numbers);
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

TEST(ExpandDistribution, OtherTypesStay) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { a = f8e5m2[] constant(0) ROOT r = f8e5m2[4] rng(a, a), distribution=rng_uniform })");
  EXPECT_FALSE(RunPass(module, ExpandRandom));
}

}  // namespace
}  // namespace stead::passes
