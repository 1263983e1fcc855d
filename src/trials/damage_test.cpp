// Mutation testing of the plan checker: right plans of random programs are damaged in every way; what computes wrong values on
// shared bytes, or touches memory that it must not, is refused. Damage to the books is always refused.
#include <gtest/gtest.h>

#include <map>

#include "inplace/plan_replay.h"
#include "trials/damage.h"
#include "trials/trial.h"

namespace stead::trials {
namespace {

using inplace::BufferPlan;

constexpr int kAttemptsPerKind = 3;

// What is wrong with running the plan; empty when it gives what the program means.
std::string Fault(const Trial& trial, const BufferPlan& plan) {
  Result<std::vector<ir::Literal>> results = inplace::ReplayPlan(plan, trial.arguments);
  return results.ok() ? Difference(trial.expected, *results) : results.error().ToString();
}

struct Count {
  int made = 0;
  int harmful = 0;
};

void TryDamage(const Trial& trial, const BufferPlan& plan, const Damage& damage, std::mt19937_64& random,
               Count& count) {
  BufferPlan damaged = plan;
  if (!damage.apply(damaged, random)) return;
  ++count.made;
  std::string fault = Fault(trial, damaged);
  if (fault.empty()) return;
  ++count.harmful;
  EXPECT_FALSE(inplace::CheckPlan(damaged).ok()) << "accepted after `" << damage.name << "`: " << fault << "\n"
                                                 << Describe(trial, &damaged);
}

TEST(Damage, PlansThatComputeWrongValuesAreRefused) {
  std::map<std::string, Count> counts;
  const std::vector<uint64_t> seeds = Seeds(1, 1000);
  for (uint64_t seed : seeds) {
    Result<Trial> trial = MakeTrial(seed, {.calls = false});
    ASSERT_TRUE(trial.ok()) << trial.error().ToString();
    Result<BufferPlan> plan = inplace::MakePlan(trial->module, {});
    ASSERT_TRUE(plan.ok()) << plan.error().ToString() << Describe(*trial);
    std::mt19937_64 random(seed);
    for (const Damage& damage : DamageToMemory()) {
      for (int attempt = 0; attempt < kAttemptsPerKind; ++attempt) {
        TryDamage(*trial, *plan, damage, random, counts[damage.name]);
        if (HasFailure()) return;
      }
    }
  }
  if (seeds.size() == 1) return;
  int harmful = 0;
  for (const auto& [name, count] : counts) {
    EXPECT_GT(count.harmful, 0) << "`" << name << "` never changed what " << count.made << " plans compute";
    harmful += count.harmful;
  }
  EXPECT_GT(harmful, 5000);
}

TEST(Damage, PlansWithWrongBooksAreRefused) {
  for (uint64_t seed : Seeds(1, 200)) {
    Result<Trial> trial = MakeTrial(seed, {.calls = false});
    ASSERT_TRUE(trial.ok()) << trial.error().ToString();
    Result<BufferPlan> plan = inplace::MakePlan(trial->module, {});
    ASSERT_TRUE(plan.ok()) << plan.error().ToString() << Describe(*trial);
    // Only a certificate says how often a loop of unknown length copies; the few plans that are not proved have none.
    if (!plan->exact) continue;
    std::mt19937_64 random(seed);
    for (const Damage& damage : DamageToBooks()) {
      BufferPlan damaged = *plan;
      if (!damage.apply(damaged, random)) continue;
      ASSERT_FALSE(inplace::CheckPlan(damaged).ok())
          << "accepted after `" << damage.name << "`" << Describe(*trial, &damaged);
    }
  }
}

}  // namespace
}  // namespace stead::trials
