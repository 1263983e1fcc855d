// Random whole programs: the plan is accepted by the checker, and run on shared bytes it gives what the interpreter gives for
// the program as written; so does the machine code, which also leaves alone what was not given away.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "analysis/effects.h"
#include "driver/compile.h"
#include "inplace/cost.h"
#include "inplace/plan_replay.h"
#include "ir/verify.h"
#include "trials/trial.h"
#ifdef STEAD_HAVE_LLVM
#include "cpu/testing.h"
#endif

namespace stead::trials {
namespace {

using inplace::BufferPlan;

// Every second program is planned as it was written, the others after the passes.
bool IsPlannedAsWritten(uint64_t seed) { return seed % 2 == 0; }

Result<BufferPlan> PlanFor(const Trial& trial, const inplace::PlanOptions& options = {}) {
  if (IsPlannedAsWritten(trial.seed)) return inplace::MakePlan(trial.module, options);
  driver::Options driver_options;
  driver_options.plan = options;
  return driver::Plan(trial.module, driver_options);
}

// What must have run for `id` to be there: itself, or if it is a tuple, a reshape or the like, what it forwards.
std::set<ir::InstrId> Makers(const ir::Module& module, ir::InstrId id) {
  bool is_barrier = ir::HasTrait(module.instruction(id).opcode, ir::kOrders);
  if (is_barrier || !analysis::EffectsOf(module, id).forwards) return {id};
  std::set<ir::InstrId> makers;
  for (ir::InstrId operand : module.instruction(id).operands) makers.merge(Makers(module, operand));
  return makers;
}

// What the program puts before `id` whatever its values are: by a control edge, or because one of the two is a barrier.
std::set<ir::InstrId> DemandedBefore(const ir::Module& module, ir::InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  std::set<ir::InstrId> before;
  for (ir::InstrId operand : instruction.operands) {
    for (ir::InstrId maker : Makers(module, operand)) {
      bool barrier =
          ir::HasTrait(instruction.opcode, ir::kOrders) || ir::HasTrait(module.instruction(maker).opcode, ir::kOrders);
      if (barrier) before.insert(maker);
    }
  }
  for (ir::InstrId predecessor : instruction.control_predecessors) before.merge(Makers(module, predecessor));
  return before;
}

// Barriers and control edges are obeyed. Looks at the entry, where instructions keep their names.
void ExpectDemandedOrder(const Trial& trial, const BufferPlan& plan) {
  std::map<std::string, size_t> place;
  for (ir::InstrId id : plan.module.entry_computation().instructions) {
    place.emplace(plan.module.instruction(id).name, place.size());
  }
  for (ir::InstrId id : trial.module.entry_computation().instructions) {
    auto later = place.find(trial.module.instruction(id).name);
    if (later == place.end() || !Makers(trial.module, id).contains(id)) continue;
    for (ir::InstrId before : DemandedBefore(trial.module, id)) {
      auto earlier = place.find(trial.module.instruction(before).name);
      if (earlier == place.end()) continue;
      ASSERT_LT(earlier->second, later->second) << earlier->first << " runs after " << later->first << "\n"
                                                << Describe(trial, &plan);
    }
  }
}

// The planner makes no plan that the checker refuses, nor one that the search for cheaper ones has to drop for that.
void ExpectNoPlanWasRefused(const Trial& trial, const BufferPlan& plan) {
  for (const inplace::PlanRemark& remark : plan.remarks) {
    ASSERT_NE(remark.code, "P001") << remark.why << "\n" << Describe(trial, &plan);
  }
}

void ExpectPlanIsRight(const Trial& trial, const inplace::PlanOptions& options, int64_t& copied_bytes) {
  Result<BufferPlan> plan = PlanFor(trial, options);
  ASSERT_TRUE(plan.ok()) << plan.error().ToString() << Describe(trial);
  Status verified = ir::VerifyModule(plan->module);
  ASSERT_TRUE(verified.ok()) << verified.error().ToString() << Describe(trial, &*plan);
  Status checked = inplace::CheckPlan(*plan);
  ASSERT_TRUE(checked.ok()) << checked.error().ToString() << Describe(trial, &*plan);
  Result<std::vector<ir::Literal>> results = inplace::ReplayPlan(*plan, trial.arguments);
  ASSERT_TRUE(results.ok()) << results.error().ToString() << Describe(trial, &*plan);
  ASSERT_EQ(Difference(trial.expected, *results), "") << Describe(trial, &*plan);
  ExpectNoPlanWasRefused(trial, *plan);
  if (IsPlannedAsWritten(trial.seed)) ExpectDemandedOrder(trial, *plan);
  copied_bytes += CopiedBytes(*plan);
}

TEST(Agreement, PlansRunOnSharedBytesGiveWhatProgramsMean) {
  int64_t copied_bytes = 0;
  for (uint64_t seed : Seeds(1, 5000)) {
    Result<Trial> trial = MakeTrial(seed, {.calls = !IsPlannedAsWritten(seed)});
    ASSERT_TRUE(trial.ok()) << trial.error().ToString();
    ExpectPlanIsRight(*trial, {}, copied_bytes);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(copied_bytes, 0);
}

// Beyond the seeds above: plans with pointers that were wrong, or that the checker did not see through.
TEST(Agreement, PlansThatOnceWereRefusedAreRight) {
  int64_t copied_bytes = 0;
  for (uint64_t seed : {5584, 5694, 9444, 9682, 10590, 12004, 14444}) {
    Result<Trial> trial = MakeTrial(seed, {.calls = !IsPlannedAsWritten(seed)});
    ASSERT_TRUE(trial.ok()) << trial.error().ToString();
    ExpectPlanIsRight(*trial, {}, copied_bytes);
  }
}

TEST(Agreement, TheAlwaysCopyBaselineGivesTheSameWithMoreCopies) {
  int64_t copied_bytes = 0, baseline_bytes = 0;
  for (uint64_t seed : Seeds(1, 200)) {
    Result<Trial> trial = MakeTrial(seed, {.calls = !IsPlannedAsWritten(seed)});
    ASSERT_TRUE(trial.ok()) << trial.error().ToString();
    ExpectPlanIsRight(*trial, {}, copied_bytes);
    ExpectPlanIsRight(*trial, {.always_copy = true}, baseline_bytes);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(baseline_bytes, copied_bytes);
}

#ifdef STEAD_HAVE_LLVM

// Arguments that the caller keeps are given in half of the programs even where the program would take them.
void ExpectMachineCodeIsRight(const Trial& trial) {
  Result<driver::Compiled> compiled = driver::Compile(trial.module, {});
  ASSERT_TRUE(compiled.ok()) << compiled.error().ToString() << Describe(trial);
  const runtime::Signature& signature = compiled->executable->signature();
  std::vector<runtime::Argument> memory;
  for (size_t number = 0; number < trial.arguments.size(); ++number) {
    bool given_away = signature.donatable[number] && (trial.seed >> 1) % 2 == 0;
    memory.push_back({cpu::ToMemory(trial.arguments[number]), given_away});
  }
  runtime::RunContext context{.threads = &runtime::EagerPool()};
  Result<std::vector<runtime::AllocationRef>> results = compiled->executable->Run(memory, context);
  ASSERT_TRUE(results.ok()) << results.error().ToString() << Describe(trial, &compiled->plan);
  std::vector<ir::Literal> literals;
  for (size_t leaf = 0; leaf < results->size(); ++leaf) {
    literals.push_back(cpu::FromMemory((*results)[leaf], signature.results[leaf]));
  }
  ASSERT_EQ(Difference(trial.expected, literals), "") << Describe(trial, &compiled->plan);
  for (size_t number = 0; number < memory.size(); ++number) {
    if (memory[number].donated) continue;
    ir::Literal after = cpu::FromMemory(memory[number].memory, signature.parameters[number]);
    ASSERT_EQ(Difference({trial.arguments[number]}, {after}), "")
        << "argument " << number << " was overwritten" << Describe(trial, &compiled->plan);
  }
}

TEST(Agreement, MachineCodeGivesWhatProgramsMean) {
  for (uint64_t seed : Seeds(1000001, 5000)) {
    Result<Trial> trial = MakeTrial(seed, {});
    ASSERT_TRUE(trial.ok()) << trial.error().ToString();
    ExpectMachineCodeIsRight(*trial);
    if (HasFatalFailure()) return;
  }
}

#endif

}  // namespace
}  // namespace stead::trials
