// A search by steepest choice: all leaves of all loops and conditionals at once, then those of one at a time, or those that a loop hands
// on to one another, then single leaves, are made pointers, or buffers again, as long as that copies less. What it costs is bounded by the instructions that are planned again:
// a module that is large is planned a few times at most, and one that is proved not even once. Only plans that the checker proves are
// taken: one that it refuses is a fault of the house, which is said in a remark (P001) and in which no program comes to harm.
#include "inplace/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "analysis/dataflow.h"
#include "inplace/cost.h"

namespace stead::inplace {

using ir::InstrId;
using ir::Module;
using ir::Opcode;

namespace {

constexpr int64_t kMostPlannedInstructions = 30'000;

// Leaves of a loop's state that are handed on to one another.
std::vector<PointerChoices> HandedOnGroups(const Module& module, InstrId loop) {
  const ir::ComputationId body = module.instruction(loop).called[1];
  const analysis::Dataflow dataflow(module, body, {});
  const int32_t count = analysis::ArrayLeafCount(module.shape(loop));
  std::vector<int32_t> group_of(static_cast<size_t>(count));
  std::iota(group_of.begin(), group_of.end(), 0);
  for (int32_t leaf = 0; leaf < count; ++leaf) {
    const analysis::Definition& next = dataflow.definition(dataflow.value(module.root(body), leaf).definition);
    if (module.instruction(next.instruction).opcode != Opcode::kParameter) continue;
    const int32_t joined = group_of[static_cast<size_t>(next.leaf)];
    std::ranges::replace(group_of, joined, group_of[static_cast<size_t>(leaf)]);
  }
  std::map<int32_t, PointerChoices> groups;
  for (int32_t leaf = 0; leaf < count; ++leaf) groups[group_of[static_cast<size_t>(leaf)]].insert({loop, leaf});
  std::vector<PointerChoices> several;
  for (auto& [first, group] : groups) {
    if (group.size() > 1 && group.size() < static_cast<size_t>(count)) several.push_back(std::move(group));
  }
  return several;
}

// Leaves that are tried together.
std::vector<PointerChoices> Groups(const Module& module, ir::ComputationId computation) {
  std::vector<PointerChoices> groups;
  for (InstrId id : module.computation(computation).instructions) {
    Opcode opcode = module.instruction(id).opcode;
    if (opcode != Opcode::kWhile && opcode != Opcode::kConditional) continue;
    PointerChoices& group = groups.emplace_back();
    for (int32_t leaf = 0; leaf < analysis::ArrayLeafCount(module.shape(id)); ++leaf) group.insert({id, leaf});
    if (opcode == Opcode::kWhile) {
      std::vector<PointerChoices> parts = HandedOnGroups(module, id);
      groups.insert(groups.end(), parts.begin(), parts.end());
    }
    for (ir::ComputationId called : module.instruction(id).called) {
      std::vector<PointerChoices> inside = Groups(module, called);
      groups.insert(groups.end(), inside.begin(), inside.end());
    }
  }
  return groups;
}

std::vector<PointerChoices> Steps(const Module& module) {
  std::vector<PointerChoices> steps = Groups(module, module.entry);
  PointerChoices all;
  for (const PointerChoices& group : steps) all.insert(group.begin(), group.end());
  for (const ResultLeaf& leaf : all) steps.push_back({leaf});
  if (!all.empty()) steps.insert(steps.begin(), std::move(all));
  return steps;
}

// With all of the step's leaves; without them, where all are in already.
PointerChoices Changed(const PointerChoices& choices, const PointerChoices& step) {
  PointerChoices changed = choices;
  changed.insert(step.begin(), step.end());
  if (changed != choices) return changed;
  for (const ResultLeaf& leaf : step) changed.erase(leaf);
  return changed;
}

// Says that a plan which copies less was made, and refused.
PlanRemark RefusedPlan(const Module& module, int64_t spared_bytes, const Diagnostic& refusal) {
  PlanRemark remark;
  remark.code = "P001";
  remark.value = module.root(module.entry);
  remark.bytes = spared_bytes;
  remark.what = fmt::format("a plan that copies {} bytes less was not proved", spared_bytes);
  remark.why = fmt::format("{}: {}", refusal.what, refusal.why);
  remark.fix = "please report this module: the program runs by the plan that was proved";
  return remark;
}

class Search {
 public:
  Search(BufferPlan first, const PlanWithPointers& plan_with)
      : plan_with_(plan_with),
        lower_bound_(first.lower_bound_bytes),
        size_(static_cast<int64_t>(first.module.instruction_count())),
        steps_(Steps(first.module)),
        best_(std::move(first)),
        least_(CopiedBytes(best_)) {}

  BufferPlan Run() {
    for (size_t unchanged = 0, at = 0; unchanged < steps_.size() && !best_.exact; ++unchanged, ++at) {
      if (Try(Changed(choices_, steps_[at % steps_.size()]), least_ - 1)) unchanged = 0;
    }
    // Pointers that spare nothing.
    const PointerChoices chosen = choices_;
    for (const ResultLeaf& leaf : chosen) {
      PointerChoices without = choices_;
      without.erase(leaf);
      Try(std::move(without), least_);
    }
    if (refused_) best_.remarks.push_back(std::move(*refused_));
    return std::move(best_);
  }

 private:
  // Takes the choices if they cost at most `limit`. RETURNS whether they did.
  bool Try(PointerChoices choices, int64_t limit) {
    planned_ += size_;
    if (planned_ > kMostPlannedInstructions || !tried_.insert(choices).second) return false;
    Result<BufferPlan> plan = plan_with_(choices);
    if (!plan.ok()) return false;
    int64_t copied_bytes = CopiedBytes(*plan);
    if (copied_bytes > limit) return false;
    plan->lower_bound_bytes = lower_bound_;
    plan->exact = copied_bytes == lower_bound_;
    if (Status checked = CheckPlan(*plan); !checked.ok()) {
      refused_ = RefusedPlan(best_.module, least_ - copied_bytes, checked.error());
      return false;
    }
    best_ = std::move(plan).value();
    least_ = copied_bytes;
    choices_ = std::move(choices);
    return true;
  }

  const PlanWithPointers& plan_with_;
  int64_t lower_bound_, size_;
  std::vector<PointerChoices> steps_;
  BufferPlan best_;
  int64_t least_ = 0, planned_ = 0;
  PointerChoices choices_;
  std::set<PointerChoices> tried_ = {{}};
  std::optional<PlanRemark> refused_;  // the last one
};

}  // namespace

BufferPlan ChoosePointers(BufferPlan first, const PlanWithPointers& plan_with) {
  if (first.exact) return first;
  return Search(std::move(first), plan_with).Run();
}

}  // namespace stead::inplace
