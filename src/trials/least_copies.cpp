// Buying more never makes a right candidate wrong, so it is enough to try the sets of purchases that nothing can be added to
// within the limit. First with a limit just below what the plan costs: if one is right, the plan is beaten, and the limit is
// lowered until none is. Then with the plan's own cost: if none is right, the plan does something that the choices do not cover.
#include "trials/least_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "trials/copy_choices.h"
#include "trials/shared_run.h"

namespace stead::trials {

using ir::Module;

namespace {

constexpr size_t kMostSets = 3000;
constexpr int64_t kMostCandidates = 40'000;
constexpr int64_t kUnknownTripCount = 10;

// What candidates cost: along the dearest path, since of a conditional only one branch runs.
class PathCosts {
 public:
  PathCosts(const Module& module, const CopyChoices& choices) : choices_(choices) {
    for (const ComputationChoices& computation : choices.computations) {
      std::vector<std::vector<size_t>>& inside = inside_.emplace_back();
      for (ir::InstrId id : module.computation(computation.id).instructions) {
        const ir::Instruction& instruction = module.instruction(id);
        bool is_loop = instruction.opcode == ir::Opcode::kWhile;
        if (!is_loop && instruction.opcode != ir::Opcode::kConditional) continue;
        if (!is_loop) inside.emplace_back();
        for (ir::ComputationId called : instruction.called) {
          if (is_loop) inside.emplace_back();
          inside.back().push_back(choices.numbers.at(called));
        }
      }
    }
  }

  int64_t Of(const std::vector<int32_t>& purchases) const {
    std::vector<int64_t> own;
    for (const ComputationChoices& computation : choices_.computations) own.push_back(computation.written_bytes);
    for (int32_t number : purchases) {
      const Purchase& purchase = choices_.purchases[number];
      own[choices_.numbers.at(purchase.computation)] += purchase.cost;
    }
    return From(0, own);
  }

 private:
  int64_t From(size_t computation, const std::vector<int64_t>& own) const {
    int64_t total = own[computation];
    for (const std::vector<size_t>& alternatives : inside_[computation]) {
      int64_t dearest = 0;
      for (size_t alternative : alternatives) dearest = std::max(dearest, From(alternative, own));
      total += dearest;
    }
    return total;
  }

  const CopyChoices& choices_;
  // Per computation: groups of called computations, of each of which one runs.
  std::vector<std::vector<std::vector<size_t>>> inside_;
};

class Search {
 public:
  Search(const Module& module, const CopyChoices& choices)
      : module_(module), choices_(choices), costs_(module, choices) {
    by_cost_.resize(choices.purchases.size());
    std::iota(by_cost_.begin(), by_cost_.end(), 0);
    std::ranges::stable_sort(by_cost_, std::greater<>(),
                             [&](int32_t number) { return choices_.purchases[number].cost; });
  }

  // A right candidate that costs at most `limit`. Sets is_decided() to false when that was too much work.
  std::optional<Candidate> Find(int64_t limit) {
    sets_.clear();
    std::vector<int32_t> chosen;
    ListSets(0, limit, chosen);
    for (const std::vector<int32_t>& set : sets_) {
      if (!is_decided_) return std::nullopt;
      if (std::optional<Candidate> right = FindOrders(set)) return right;
    }
    return std::nullopt;
  }

  bool is_decided() const { return is_decided_; }
  int64_t CostOf(const Candidate& candidate) const { return costs_.Of(candidate.purchases); }
  int64_t LeastCost() const { return costs_.Of({}); }

  // Without what it does not need.
  void Trim(Candidate& candidate) const {
    for (size_t at = 0; at < candidate.purchases.size();) {
      Candidate without = candidate;
      without.purchases.erase(without.purchases.begin() + static_cast<int64_t>(at));
      if (RunCandidate(module_, choices_, without) == Outcome::kRight) {
        candidate = std::move(without);
      } else {
        ++at;
      }
    }
  }

 private:
  bool Fits(std::vector<int32_t> chosen, int32_t added, int64_t limit) const {
    chosen.push_back(added);
    return costs_.Of(chosen) <= limit;
  }

  // Sets that cost at most `limit` and to which nothing can be added.
  void ListSets(size_t next, int64_t limit, std::vector<int32_t>& chosen) {
    if (sets_.size() > kMostSets) is_decided_ = false;
    if (!is_decided_) return;
    if (next == by_cost_.size()) {
      bool is_full = std::ranges::all_of(by_cost_, [&](int32_t number) {
        return std::ranges::find(chosen, number) != chosen.end() || !Fits(chosen, number, limit);
      });
      if (is_full) sets_.push_back(chosen);
      return;
    }
    int32_t number = by_cost_[next];
    if (Fits(chosen, number, limit)) {
      chosen.push_back(number);
      ListSets(next + 1, limit, chosen);
      chosen.pop_back();
    }
    // Left out where it may come not to fit.
    std::vector<int32_t> all_others = chosen;
    all_others.insert(all_others.end(), by_cost_.begin() + static_cast<int64_t>(next) + 1, by_cost_.end());
    if (!Fits(std::move(all_others), number, limit)) ListSets(next + 1, limit, chosen);
  }

  std::optional<Candidate> FindOrders(const std::vector<int32_t>& purchases) {
    Candidate candidate{std::vector<size_t>(choices_.computations.size(), 0), purchases};
    for (;;) {
      if (++tried_ > kMostCandidates) is_decided_ = false;
      if (!is_decided_) return std::nullopt;
      Outcome outcome = RunCandidate(module_, choices_, candidate);
      if (outcome == Outcome::kRight) return candidate;
      if (outcome == Outcome::kTooLong) is_decided_ = false;
      size_t at = 0;
      while (at < candidate.orders.size() && ++candidate.orders[at] == choices_.computations[at].orders.size()) {
        candidate.orders[at++] = 0;
      }
      if (at == candidate.orders.size()) return std::nullopt;
    }
  }

  const Module& module_;
  const CopyChoices& choices_;
  PathCosts costs_;
  std::vector<int32_t> by_cost_;  // purchases, the dearest first
  std::vector<std::vector<int32_t>> sets_;
  int64_t tried_ = 0;
  bool is_decided_ = true;
};

std::string Explanation(const Module& module, const CopyChoices& choices, const Candidate& candidate) {
  std::string text = "bought:\n";
  for (int32_t number : candidate.purchases) text += "  " + Describe(module, choices, choices.purchases[number]) + "\n";
  for (size_t number = 0; number < choices.computations.size(); ++number) {
    if (choices.computations[number].orders.size() < 2) continue;
    text += fmt::format("order of {}:", module.computation(choices.computations[number].id).name);
    for (ir::InstrId id : choices.computations[number].orders[candidate.orders[number]])
      text += " " + module.instruction(id).name;
    text += "\n";
  }
  return text;
}

}  // namespace

LeastCopies FindLeastCopies(const Module& module, int64_t planned_bytes) {
  LeastCopies least;
  std::optional<CopyChoices> choices = CollectCopyChoices(module, kUnknownTripCount);
  if (!choices) return (least.explanation = "undecided: orders"), least;
  Search search(module, *choices);
  std::optional<Candidate> best = search.Find(planned_bytes);
  while (best && search.is_decided() && search.CostOf(*best) > search.LeastCost()) {
    search.Trim(*best);
    std::optional<Candidate> better = search.Find(search.CostOf(*best) - 1);
    if (!better) break;
    best = std::move(better);
  }
  if (!search.is_decided()) return (least.explanation = "undecided: search"), least;
  least.is_decided = true;
  if (!best) return least;
  search.Trim(*best);
  least.bytes = search.CostOf(*best);
  least.explanation = Explanation(module, *choices, *best);
  return least;
}

}  // namespace stead::trials
