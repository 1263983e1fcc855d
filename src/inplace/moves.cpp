#include "inplace/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/dataflow.h"
#include "inplace/cost.h"

namespace stead::inplace {

using ir::InstrId;
using ir::Module;

namespace {

// Plans of one module, and instructions that all of them have together.
constexpr int kMostPlans = 16;
constexpr int64_t kMostPlanned = 20'000;
// More results than these are moved at once when no plans are left to try them one by one.
constexpr size_t kFewMisplaced = 8;

// The array leaf, counted over all parameters, that an alias names.
int32_t ParameterLeafOf(const Module& module, const ir::InputOutputAlias& alias) {
  const std::vector<InstrId>& parameters = module.entry_computation().parameters;
  int32_t leaf = analysis::ArrayLeafNumber(module.shape(parameters[alias.parameter]), alias.parameter_index);
  for (int64_t before = 0; before < alias.parameter; ++before)
    leaf += analysis::ArrayLeafCount(module.shape(parameters[before]));
  return leaf;
}

// A result that a must-alias demands elsewhere than where the plan returns it, and the results that lie there instead.
struct Misplaced {
  int32_t demanded = 0;
  std::vector<int32_t> occupants;
};

std::vector<Misplaced> MisplacedResults(const Module& given, const BufferPlan& plan) {
  std::vector<Misplaced> misplaced;
  const ir::Shape& shape = plan.module.shape(plan.module.root(plan.module.entry));
  for (const ir::InputOutputAlias& alias : given.input_output_aliases) {
    Misplaced result{analysis::ArrayLeafNumber(shape, alias.output_index), {}};
    int32_t parameter = ParameterLeafOf(plan.module, alias);
    auto is_there = [&](int32_t leaf) {
      const Buffer& buffer = plan.buffers[plan.results[leaf].buffer];
      return buffer.kind == Buffer::Kind::kParameter && buffer.parameter == parameter;
    };
    if (!alias.must || is_there(result.demanded)) continue;
    for (int32_t leaf = 0; leaf < static_cast<int32_t>(plan.results.size()); ++leaf) {
      if (is_there(leaf)) result.occupants.push_back(leaf);
    }
    misplaced.push_back(std::move(result));
  }
  return misplaced;
}

struct Attempt {
  Moves moves;
  BufferPlan plan;
  std::vector<Misplaced> misplaced;
};

// The moves with one more copy, of each result that is misplaced or in the way of one; the likeliest first. None of more than two.
std::vector<Moves> WithOneMore(const Attempt& attempt) {
  std::vector<Moves> further;
  for (int copies : {1, 2}) {
    for (const Misplaced& result : attempt.misplaced) {
      std::vector<int32_t> leaves = {result.demanded};
      leaves.insert(leaves.end(), result.occupants.begin(), result.occupants.end());
      for (int32_t leaf : leaves) {
        auto moved = attempt.moves.find(leaf);
        if ((moved == attempt.moves.end() ? 0 : moved->second) != copies - 1) continue;
        further.push_back(attempt.moves);
        further.back()[leaf] = copies;
      }
    }
  }
  return further;
}

// One more copy of every misplaced result; of those in the way where these have theirs; of none where all have two.
Moves WithAllOnce(const Attempt& attempt) {
  for (int copies : {1, 2}) {
    for (bool is_occupant : {false, true}) {
      Moves further = attempt.moves;
      for (const Misplaced& result : attempt.misplaced) {
        const std::vector<int32_t> leaves = is_occupant ? result.occupants : std::vector{result.demanded};
        for (int32_t leaf : leaves) further[leaf] = std::max(further[leaf], copies);
      }
      if (further != attempt.moves) return further;
    }
  }
  return attempt.moves;
}

Diagnostic CannotMove(const Attempt& attempt) {
  return Unimplemented(fmt::format("result {} cannot be returned in the memory that its must-alias demands",
                                   attempt.misplaced[0].demanded),
                       {}, "its memory is needed until the end", "say may-alias");
}

class MoveSearch {
 public:
  MoveSearch(const Module& module, bool is_search, const std::function<Result<BufferPlan>(const Moves&)>& plan_with)
      : module_(module), plan_with_(plan_with) {
    if (!is_search) return;
    const int64_t instructions = std::max<int64_t>(1, static_cast<int64_t>(module.instruction_count()));
    plans_left_ = std::clamp<int64_t>(kMostPlanned / instructions, 1, kMostPlans);
  }

  Result<BufferPlan> Run() {
    TRY_STATUS(Try({}));
    const int64_t lower_bound = open_.front().plan.lower_bound_bytes;
    for (;;) {
      auto order = [](const Attempt& attempt) {
        return std::pair(CopiedBytes(attempt.plan), attempt.misplaced.size());
      };
      auto cheapest = std::ranges::min_element(open_, {}, order);
      Attempt attempt = std::move(*cheapest);
      open_.erase(cheapest);
      if (attempt.misplaced.empty()) {
        // What every plan copies is known before anything is moved.
        attempt.plan.lower_bound_bytes = lower_bound;
        attempt.plan.exact = CopiedBytes(attempt.plan) == lower_bound;
        return std::move(attempt.plan);
      }
      const bool is_long = plans_left_ <= 0 && attempt.misplaced.size() > kFewMisplaced;
      for (const Moves& moves : is_long ? std::vector{WithAllOnce(attempt)} : WithOneMore(attempt)) {
        if (seen_.contains(moves)) continue;
        TRY_STATUS(Try(moves));
        if (plans_left_ <= 0) break;
      }
      if (open_.empty()) return CannotMove(attempt);
    }
  }

 private:
  Status Try(const Moves& moves) {
    seen_.insert(moves);
    --plans_left_;
    TRY(BufferPlan plan, plan_with_(moves));
    std::vector<Misplaced> misplaced = MisplacedResults(module_, plan);
    // With no plans to spare, this way is gone on to its end.
    if (plans_left_ <= 0) open_.clear();
    open_.push_back({moves, std::move(plan), std::move(misplaced)});
    return {};
  }

  const Module& module_;
  const std::function<Result<BufferPlan>(const Moves&)>& plan_with_;
  int64_t plans_left_ = 1;
  std::set<Moves> seen_;
  std::vector<Attempt> open_;
};

}  // namespace

Result<BufferPlan> ChooseMoves(const Module& module, bool is_search,
                               const std::function<Result<BufferPlan>(const Moves&)>& plan_with) {
  if (std::ranges::none_of(module.input_output_aliases, &ir::InputOutputAlias::must)) return plan_with({});
  return MoveSearch(module, is_search, plan_with).Run();
}

}  // namespace stead::inplace
