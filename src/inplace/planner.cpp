// MakePlan: order first, copies by proof.
//
//   1. Scopes: the entry, loop bodies and conditions, branches; inner ones are planned first.
//   2. In each, results are made distinct buffers (results.h); then the order problem is built (arcs.h) and solved exactly
//      (hitting.h). What must be bought becomes `copy` instructions (rewrite.h), each with its record (records.h), or costs
//      nothing because a loop may borrow (borrowing.h). The problem of the rewritten scope has a solution without purchases,
//      which is checked by building it again.
//   3. An order is chosen among those left (preference.h, order.h) and becomes the module's schedule; for branches once their
//      siblings are planned.
//   4. With all orders fixed, every value gets a place (assignment.h, donation.h, loops.h, packing.h).
//
//   5. A plan that is not proved to be the cheapest is made again with other choices between scopes (regions.h).
//
// Exact per scope: no plan copies fewer bytes there. Inner first is optimal whenever loops run at least once, because a copy inside
// a loop never costs less than the copy of its initial value outside. What we gave up: some choices that only pay across scopes (which
// of equally cheap copies inside spares one outside). The lower bound (constraints/lower_bound.h) counts only what is forced
// whichever way the scopes inside are planned, so a plan that might be beaten in that way does not claim to be exact.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "analysis/dataflow.h"
#include "inplace/constraints/arcs.h"
#include "inplace/constraints/borrowing.h"
#include "inplace/constraints/branches.h"
#include "inplace/constraints/demands.h"
#include "inplace/constraints/footprints.h"
#include "inplace/constraints/leaders.h"
#include "inplace/constraints/lower_bound.h"
#include "inplace/constraints/pointers.h"
#include "inplace/constraints/results.h"
#include "inplace/constraints/scope.h"
#include "inplace/memory/assignment.h"
#include "inplace/memory/donation_report.h"
#include "inplace/memory/kernel_report.h"
#include "inplace/moves.h"
#include "inplace/order/chaos.h"
#include "inplace/order/hitting.h"
#include "inplace/order/order.h"
#include "inplace/order/preference.h"
#include "inplace/plan.h"
#include "inplace/records.h"
#include "inplace/regions.h"
#include "inplace/rewrite.h"

namespace stead::inplace {

using analysis::Dataflow;
using ir::InstrId;
using ir::Module;
using ir::Opcode;

namespace {

// Purchases in one scope, one after the other, before a choice of pointers is given up. A few are normal.
constexpr int kMostRounds = 20;

class Planner {
 public:
  // `moved`: result leaves of the entry that are copied to where the module demands them, or to make room there.
  Planner(Module module, const PlanOptions& options, const PointerChoices& pointers, std::map<int32_t, int> moved = {})
      : options_(options), moved_(std::move(moved)) {
    plan_.module = std::move(module);
    context_.pointer_choices = pointers;
  }

  Result<BufferPlan> Run() {
    TRY(scopes_, CollectScopes(plan_.module, options_));
    lower_bound_.emplace(plan_.module, scopes_, context_);
    for (size_t number = 0; number < scopes_.size(); ++number) scope_numbers_[scopes_[number].computation] = number;
    for (const Scope& scope : scopes_) RecordWrittenCopies(scope);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      FindPointers(plan_.module, *scope, context_);
      if (scope->kind != Scope::Kind::kLoopBody) continue;
      context_.counters.Add(plan_.module, scope->caller);
      context_.untouched_state[scope->caller] = UntouchedState(plan_.module, scope->computation, context_);
      if (!options_.always_copy) FindLeaders(plan_.module, scope->caller, context_);
    }
    // Only pointers may lead to arrays of which a part is overwritten.
    for (const Scope& scope : scopes_) {
      if (!context_.pointer_choices.empty()) FindResultReads(plan_.module, scope, context_);
    }
    const ScopeContext all_granted = WithAllGranted(plan_.module, scopes_, context_);
    // What loops and branches read, as far as that is known before they are planned.
    context_.inner_reads = all_granted.inner_reads;
    for (const Scope& scope : scopes_) GrantBranchOperands(plan_.module, scope, all_granted, context_);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) TRY_STATUS(PlanScope(*scope));
    plan_.module.is_scheduled = true;
    plan_.lower_bound_bytes = lower_bound_->Total();
    plan_.exact = CopiedBytes(plan_) == plan_.lower_bound_bytes;
    AssignBuffers(plan_, scopes_, context_, options_);
    ReportDonations(plan_, context_);
    ReportKernels(plan_);
    return std::move(plan_);
  }

 private:
  void RecordWrittenCopies(const Scope& scope) {
    for (InstrId id : plan_.module.computation(scope.computation).instructions) {
      if (plan_.module.instruction(id).opcode != Opcode::kCopy) continue;
      plan_.copies.push_back(DescribeWrittenCopy(plan_.module, scope, id));
      lower_bound_->AddCopy(scope, plan_.copies.back().bytes);
    }
  }

  Status PlanScope(const Scope& scope) {
    Module& module = plan_.module;
    SummariseBranches(module, scope, context_);
    SummariseLoops(module, scope, context_);
    OrderBranches(scope);
    if (!options_.always_copy) FindBorrowing(module, scope, context_);
    std::optional<Dataflow> known(std::in_place, module, scope.computation, context_);
    const uint64_t known_revision = module.revision();
    for (CopyRecord& record : SettleResults(module, scope, *known, context_, moved_)) {
      // Not proved: how few results can make room for those with a demanded place.
      bool is_forced = scope.kind == Scope::Kind::kEntry && record.reason != ir::CopyReason::kDemandedPlace;
      if (is_forced) lower_bound_->AddCopy(scope, record.bytes);
      plan_.copies.push_back(std::move(record));
    }
    if (options_.always_copy) BuyEveryCopy(scope);
    for (int round = 0;; ++round) {
      const bool first = round == 0;
      // Pointers may lead to the copy that is made because of them.
      if (round > kMostRounds && !context_.pointer_choices.empty())
        return Unimplemented("copies do not part what pointers lead to");
      if (round > 0 || module.revision() != known_revision) known.emplace(module, scope.computation, context_);
      const Dataflow& dataflow = *known;
      ConflictGraph graph = BuildConflictGraph(module, scope, dataflow, context_);
      if (scope.kind == Scope::Kind::kEntry && !options_.always_copy)
        AddDemands(module, dataflow, context_, moved_at_end_, graph);
      ShuffleConflicts(graph, options_.chaos_seed);
      HittingSolution solution = SolveHitting(graph.problem, options_.search_budget);
      if (solution.impossible) return ImpossibleOrder(dataflow, *solution.impossible);
      if (first && scope.kind == Scope::Kind::kEntry) lower_bound_->AddCopy(scope, SetAsideBytes(module, dataflow));
      if (first) lower_bound_->AddConflicts(scope, dataflow, graph, solution, options_.search_budget);
      if (solution.bought.empty()) {
        lower_bound_->NoteForcedParameters(scope, dataflow, first);
        // Which operand a branch's result is handed over in depends on the other branches.
        if (scope.kind != Scope::Kind::kBranch) Order(scope, dataflow, graph);
        return {};
      }
      if (MoveAtEnd(graph, solution)) continue;
      SpareState(module, scope, dataflow, context_, graph, solution);
      Buy(scope, dataflow, graph, solution);
    }
  }

  // Results whose demands are not met by saving what others read are moved when all is done, and demand nothing before: whether a copy on
  // the way would do is for ChooseMoves to find. RETURNS whether there are new ones.
  bool MoveAtEnd(const ConflictGraph& graph, const HittingSolution& solution) {
    auto kind = [&](int32_t number) { return graph.elements[static_cast<size_t>(number)].kind; };
    bool is_new = false;
    for (size_t number = 0; number < graph.causes.size(); ++number) {
      const bool is_demand = graph.causes[number].demand != ArcCause::Demand::kNone;
      const std::vector<int32_t>& breakers = graph.problem.arcs[number].breakers;
      const bool is_given_up = std::ranges::any_of(breakers, [&](int32_t element) {
        const bool is_bought = std::ranges::binary_search(solution.bought, element);
        return is_bought && kind(element) != Element::Kind::kSave &&
               (is_demand || kind(element) == Element::Kind::kMove);
      });
      for (int32_t element : breakers) {
        if (!is_given_up || kind(element) != Element::Kind::kMove) continue;
        is_new = moved_at_end_.insert(graph.elements[static_cast<size_t>(element)].leaf).second || is_new;
      }
    }
    return is_new;
  }

  void Buy(const Scope& scope, const Dataflow& dataflow, const ConflictGraph& graph, const HittingSolution& solution) {
    HittingSolution copies = solution;
    std::erase_if(copies.bought, [&](int32_t number) { return BorrowInstead(dataflow, graph.elements[number]); });
    std::vector<CopyRecord> records = DescribePurchases(plan_.module, scope, dataflow, graph, copies);
    for (size_t number = 0; number < records.size(); ++number) {
      const Element& element = graph.elements[copies.bought[number]];
      Bought bought = InsertElement(plan_.module, dataflow, element, records[number].reason);
      if (bought.view.valid()) context_.views.insert(bought.view);
      records[number].copy = bought.copy;
      plan_.copies.push_back(std::move(records[number]));
    }
    EraseUnusedForwards(plan_.module, scope.computation);
  }

  // Has the loop borrow its initial value, if that is what the element says.
  bool BorrowInstead(const Dataflow& dataflow, const Element& element) {
    if (element.kind != Element::Kind::kBorrow) return false;
    Borrow(plan_.module, dataflow.instruction(element.node), element.leaf, context_);
    return true;
  }

  // The baseline: a copy before every op that keeps its operand's bytes.
  void BuyEveryCopy(const Scope& scope) {
    Dataflow dataflow(plan_.module, scope.computation, context_);
    for (int32_t node = 0; node < dataflow.node_count(); ++node) {
      InstrId id = dataflow.instruction(node);
      Opcode opcode = plan_.module.instruction(id).opcode;
      if (opcode == Opcode::kWhile || opcode == Opcode::kConditional) continue;
      for (const PreservingTie& tie : PreservingTies(plan_.module, dataflow, node, context_)) {
        analysis::DefinitionId definition = dataflow.value(plan_.module.operand(id, tie.operand), tie.leaf).definition;
        int64_t bytes = dataflow.definition(definition).bytes;
        Element element{Element::Kind::kCopy, node, tie.operand, tie.leaf, definition, {}, bytes};
        CopyRecord record;
        record.reason = ir::CopyReason::kOldValueRead;
        record.value = dataflow.definition(definition).instruction;
        record.writer = id;
        record.bytes = bytes;
        record.executions = scope.executions;
        record.fix = "always-copy baseline: plan without it";
        record.copy = InsertElement(plan_.module, dataflow, element, record.reason).copy;
        plan_.copies.push_back(std::move(record));
      }
    }
    EraseUnusedForwards(plan_.module, scope.computation);
  }

  // Orders the branches of the scope's conditionals, which are planned.
  void OrderBranches(const Scope& scope) {
    for (InstrId id : plan_.module.computation(scope.computation).instructions) {
      if (plan_.module.instruction(id).opcode != Opcode::kConditional) continue;
      for (ir::ComputationId computation : plan_.module.instruction(id).called) {
        const Scope& branch = scopes_[scope_numbers_.at(computation)];
        Dataflow dataflow(plan_.module, computation, context_);
        Order(branch, dataflow, BuildConflictGraph(plan_.module, branch, dataflow, context_));
      }
    }
  }

  void Order(const Scope& scope, const Dataflow& dataflow, const ConflictGraph& graph) {
    std::vector<OrderEdge> edges = graph.problem.edges;
    for (const Arc& arc : graph.problem.arcs) edges.push_back({arc.before, arc.after});
    Preference preference = PreferReaders(plan_.module, scope, dataflow, context_, edges);
    edges.insert(edges.end(), preference.edges.begin(), preference.edges.end());
    const ChosenOrder chosen =
        ChooseOrder(plan_.module, dataflow, context_, edges, preference.placed, options_.chaos_seed);
    context_.peaks[scope.computation] = chosen.peak;
    std::vector<InstrId> order;
    for (int32_t node : chosen.nodes) order.push_back(dataflow.instruction(node));
    plan_.module.Reorder(scope.computation, std::move(order));
  }

  Diagnostic ImpossibleOrder(const Dataflow& dataflow, const OrderCycle& cycle) const {
    std::string names;
    InstrId first;
    for (int32_t node : cycle.nodes) {
      if (node >= dataflow.node_count()) continue;
      if (!first.valid()) first = dataflow.instruction(node);
      names +=
          fmt::format("{}`{}`", names.empty() ? "" : ", ", plan_.module.instruction(dataflow.instruction(node)).name);
    }
    return InvalidArgument(fmt::format("no order exists: {} must each run before the next", names),
                           first.valid() ? plan_.module.SourceOf(first) : SourcePlace{},
                           "data, control and effect edges form a cycle");
  }

  PlanOptions options_;
  std::map<int32_t, int> moved_;
  std::set<int32_t> moved_at_end_;  // results whose demanded place the order need not heed
  BufferPlan plan_;
  ScopeContext context_;
  std::vector<Scope> scopes_;
  std::unordered_map<ir::ComputationId, size_t> scope_numbers_;
  std::optional<LowerBound> lower_bound_;
};

}  // namespace

Result<BufferPlan> MakePlan(Module module, const PlanOptions& options) {
  if (options.always_copy) return Planner(std::move(module), options, {}).Run();
  auto plan_with = [&](const PointerChoices& pointers, bool is_first) {
    return ChooseMoves(module, is_first,
                       [&](const Moves& moves) { return Planner(module, options, pointers, moves).Run(); });
  };
  TRY(BufferPlan first, plan_with({}, true));
  return ChoosePointers(std::move(first), [&](const PointerChoices& pointers) { return plan_with(pointers, false); });
}

}  // namespace stead::inplace
