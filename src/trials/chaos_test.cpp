// Chaos: where the planner takes the first among equals, it takes another. As many bytes are copied (if both plans are of those
// that are proved to copy the least), none copies less than another one's lower bound, the checker accepts the plan, and it computes
// the same.
#include <gtest/gtest.h>

#include "inplace/cost.h"
#include "inplace/plan_replay.h"
#include "trials/trial.h"

namespace stead::trials {
namespace {

TEST(Chaos, OtherChoicesAmongEqualsChangeNoResultAndNoCost) {
  int compared = 0, planned = 0;
  for (uint64_t seed : Seeds(1, 300)) {
    Result<Trial> trial = MakeTrial(seed, {.calls = false});
    ASSERT_TRUE(trial.ok()) << trial.error().ToString();
    Result<inplace::BufferPlan> first = inplace::MakePlan(trial->module, {});
    ASSERT_TRUE(first.ok()) << first.error().ToString() << Describe(*trial);
    for (uint64_t chaos_seed : {1, 2, 3, 4}) {
      Result<inplace::BufferPlan> plan = inplace::MakePlan(trial->module, {.chaos_seed = chaos_seed});
      ASSERT_TRUE(plan.ok()) << plan.error().ToString() << Describe(*trial);
      SCOPED_TRACE(testing::Message() << "chaos seed " << chaos_seed);
      ++planned;
      if (first->exact && plan->exact) {
        ++compared;
        ASSERT_EQ(CopiedBytes(*plan), CopiedBytes(*first)) << Describe(*trial, &*plan) << "\nwithout chaos:\n"
                                                           << Describe(*trial, &*first);
      }
      ASSERT_GE(CopiedBytes(*plan), first->lower_bound_bytes) << Describe(*trial, &*plan);
      ASSERT_GE(CopiedBytes(*first), plan->lower_bound_bytes) << Describe(*trial, &*plan);
      Status checked = inplace::CheckPlan(*plan);
      ASSERT_TRUE(checked.ok()) << checked.error().ToString() << Describe(*trial, &*plan);
      Result<std::vector<ir::Literal>> results = inplace::ReplayPlan(*plan, trial->arguments);
      ASSERT_TRUE(results.ok()) << results.error().ToString() << Describe(*trial, &*plan);
      ASSERT_EQ(Difference(trial->expected, *results), "") << Describe(*trial, &*plan);
    }
  }
  // Not all of what a must-alias demands is proved, nor much of what loops and branches do with arrays that nobody needs.
  EXPECT_GT(compared, planned / 3);
}

}  // namespace
}  // namespace stead::trials
