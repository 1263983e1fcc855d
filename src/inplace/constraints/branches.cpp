// Branches that own what nobody else needs.
//
//   new = conditional(p, (x), (x)):   true: ROOT dynamic-update-slice(x, ...)     false: ROOT x
//
// If x is not used after the conditional, both branches may treat it as theirs: one updates it in place, the other hands it
// on, and the result is x's buffer either way: no copy. The conditional is then an op that overwrites x, and other readers of
// x come first, like before any update (arcs.cpp). If x is needed afterwards, a branch that wants to change it or hand it out
// must copy it; that copy is only made when the branch runs, which is why it is made there and not before the conditional.
//
// Granting looks at order alone: some use of x, other than the conditional's, is at the end or must come after it: not
// granted, unless it reads only bytes that no branch writes (footprints.h) and every branch hands over its result in x's buffer, or
// x's buffer in no result; or unless what it reads can be set aside for less than a copy of x. Two leaves of one branch that are the same value are not granted either: each would be overwritten through the
// other. Different branches may own the same value, since only one of them runs.
#include "inplace/constraints/branches.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "inplace/constraints/arcs.h"
#include "inplace/constraints/footprints.h"
#include "inplace/constraints/pointers.h"
#include "inplace/memory/byte_layout.h"
#include "inplace/memory/donation.h"

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

std::vector<bool> NodesAfter(const Module& module, const Dataflow& dataflow, int32_t start) {
  std::vector<bool> after(dataflow.node_count(), false);
  after[start] = true;
  for (int32_t node = start + 1; node < dataflow.node_count(); ++node) {
    const Instruction& instruction = module.instruction(dataflow.instruction(node));
    auto is_after = [&](InstrId before) { return after[dataflow.node(before)]; };
    after[node] = std::ranges::any_of(instruction.operands, is_after) ||
                  std::ranges::any_of(instruction.control_predecessors, is_after);
  }
  return after;
}

namespace {

// No branch writes what the later use reads of the content.
bool MissesNothing(const Dataflow& dataflow, int32_t conditional, const BranchUse& most, DefinitionId content,
                   const DefinitionUse& later) {
  if (later.bytes.whole) return false;
  return std::ranges::all_of(dataflow.uses(content), [&](const DefinitionUse& use) {
    if (use.node != conditional || use.operand == 0) return true;
    return Disjoint(later.bytes, most.written[use.operand - 1][use.leaf]);
  });
}

bool IsHandedOut(const Module& module, const Dataflow& dataflow, InstrId conditional, DefinitionId content) {
  for (int32_t leaf = 0; leaf < ArrayLeafCount(module.shape(conditional)); ++leaf) {
    if (dataflow.value(conditional, leaf).definition == content) return true;
  }
  return false;
}

// A result that is this operand whichever branch runs stays where it is. A branch may overwrite what nobody reads of it later, if
// somebody reads the rest, and if each branch is given it once: then it is no less the other branches' own.
bool MayChangeBehindResult(const Dataflow& dataflow, int32_t conditional, const std::vector<bool>& after,
                           DefinitionId content) {
  bool is_read = false;
  std::set<int32_t> given_to;
  for (const DefinitionUse& use : dataflow.uses(content)) {
    if (use.node == conditional && use.operand > 0 && !given_to.insert(use.operand).second) return false;
    is_read = is_read ||
              (use.node < dataflow.node_count() && use.node != conditional && after[static_cast<size_t>(use.node)]);
  }
  return is_read;
}

}  // namespace

ScopeContext WithAllGranted(const Module& module, const std::vector<Scope>& scopes, const ScopeContext& context) {
  ScopeContext granted = context;
  for (const Scope& scope : scopes) {
    if (scope.kind != Scope::Kind::kBranch) continue;
    std::vector<std::vector<bool>>& owned = granted.branches[scope.caller].owned;
    InstrId parameter = module.computation(scope.computation).parameters.at(0);
    owned.resize(std::max(owned.size(), static_cast<size_t>(scope.branch) + 1));
    owned[scope.branch].assign(ArrayLeafCount(module.shape(parameter)), true);
  }
  if (granted.branches.empty()) return granted;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    SummariseBranches(module, *scope, granted);
    SummariseLoops(module, *scope, granted);
  }
  return granted;
}

void GrantBranchOperands(const Module& module, const Scope& scope, const ScopeContext& all_granted,
                         ScopeContext& context) {
  const std::vector<InstrId> conditionals = ConditionalsIn(module, scope.computation);
  if (conditionals.empty()) return;
  const Dataflow dataflow(module, scope.computation, context);
  for (InstrId id : conditionals) {
    const int32_t node = dataflow.node(id);
    const Instruction& conditional = module.instruction(id);
    std::vector<bool> after = NodesAfter(module, dataflow, node);
    const BranchUse& most = all_granted.branches.at(id);
    auto is_spent = [&](DefinitionId definition, int32_t operand) {
      if (IsHandedOut(module, dataflow, id, definition) && !MayChangeBehindResult(dataflow, node, after, definition))
        return false;
      int in_branch = 0;
      int64_t saved_bytes = 0;
      for (const DefinitionUse& use : dataflow.uses(definition)) {
        if (use.node == dataflow.node_count()) return false;
        in_branch += use.node == node && use.operand == operand;
        if (use.node == node || !after[use.node] || MissesNothing(dataflow, node, most, definition, use)) continue;
        std::optional<analysis::Region> box = SavedBox(module, dataflow, use);
        if (!box) return false;
        saved_bytes += BoxBytes(module.shape(module.operand(dataflow.instruction(use.node), use.operand)), *box);
      }
      auto is_later = [&](const analysis::SharedUse& shared) {
        // What its own pointers lead to, each branch keeps until its end.
        if (!dataflow.MayShareBytesWithout(node, shared.definition, definition)) return false;
        if (shared.use.node == node) return shared.use.operand == operand;
        if (shared.use.node == dataflow.node_count()) return true;
        return after[static_cast<size_t>(shared.use.node)] &&
               !MissesNothing(dataflow, node, most, definition, shared.use);
      };
      if (std::ranges::any_of(dataflow.shared_uses(definition), is_later)) return false;
      return in_branch == 1 && saved_bytes < dataflow.definition(definition).bytes;
    };
    BranchUse& use = context.branches[id];
    use.owned.resize(conditional.called.size());
    for (size_t branch = 0; branch < conditional.called.size(); ++branch) {
      InstrId operand = conditional.operands[branch + 1];
      for (int32_t leaf = 0; leaf < ArrayLeafCount(module.shape(operand)); ++leaf) {
        const analysis::Resolved& value = dataflow.value(operand, leaf);
        use.owned[branch].push_back(value.box.whole && is_spent(value.definition, static_cast<int32_t>(branch) + 1) &&
                                    IsWritable(module, scope, dataflow, context, value.definition));
      }
    }
  }
}

namespace {

// Which owned leaves the planned branch overwrites or hands on.
std::vector<bool> ConsumedLeaves(const Dataflow& branch, const Families& families, InstrId parameter,
                                 const std::vector<bool>& owned, InstrId conditional, const ScopeContext& context) {
  std::vector<bool> consumed;
  for (size_t leaf = 0; leaf < owned.size(); ++leaf) {
    DefinitionId content = branch.value(parameter, static_cast<int32_t>(leaf)).definition;
    bool is_result = std::ranges::any_of(branch.uses(content), [&](const DefinitionUse& use) {
      return use.node == branch.node_count() && !IsPointerResult(context, conditional, use.leaf);
    });
    consumed.push_back(owned[leaf] && (is_result || families.Writer(content) <= branch.node_count()));
  }
  return consumed;
}

}  // namespace

namespace {

void FindOwnHomes(const Instruction& conditional, const Dataflow& outer, BranchUse& use) {
  use.own_homes.assign(conditional.called.size(), {});
  for (size_t branch = 0; branch < conditional.called.size(); ++branch) {
    use.own_homes[branch].resize(use.homes.size());
    for (size_t result = 0; result < use.homes.size(); ++result) {
      if (!use.homes[result]) continue;
      auto [operand, home_leaf] = *use.homes[result];
      DefinitionId content = outer.value(conditional.operands[operand], home_leaf).definition;
      for (int32_t leaf = 0; leaf < static_cast<int32_t>(use.owned[branch].size()); ++leaf) {
        bool is_home = outer.value(conditional.operands[branch + 1], leaf).definition == content;
        if (is_home && use.owned[branch][leaf]) use.own_homes[branch][result] = leaf;
      }
    }
  }
}

}  // namespace

namespace {

// The planned branches of one conditional, seen from outside.
class BranchSummary {
 public:
  BranchSummary(const Module& module, const Dataflow& outer, InstrId conditional, ScopeContext& context)
      : module_(module),
        outer_(outer),
        id_(conditional),
        conditional_(module.instruction(conditional)),
        context_(context),
        use_(context.branches.at(conditional)) {}

  void Run() {
    use_.consumed.clear();
    use_.written.clear();
    use_.homes.assign(ArrayLeafCount(conditional_.shape), std::nullopt);
    std::vector<std::vector<analysis::Footprint>> reads(1);
    for (size_t branch = 0; branch < conditional_.called.size(); ++branch) {
      Dataflow dataflow(module_, conditional_.called[branch], context_);
      Families families(module_, dataflow, context_);
      InstrId parameter = module_.computation(conditional_.called[branch]).parameters.at(0);
      use_.consumed.push_back(ConsumedLeaves(dataflow, families, parameter, use_.owned[branch], id_, context_));
      ParameterFootprints found = FootprintsOf(module_, dataflow, families, id_, branch, context_);
      use_.written.push_back(std::move(found.written));
      reads.push_back(std::move(found.read));
      FindHomes(branch, dataflow, families);
    }
    context_.inner_reads[id_] = std::move(reads);
    FindOwnHomes(conditional_, outer_, use_);
    ForgetWhereBuffersMove();
  }

 private:
  DefinitionId OperandContent(OperandLeaf place) const {
    return outer_.value(conditional_.operands[place.operand], place.leaf).definition;
  }

  void FindHomes(size_t branch, const Dataflow& dataflow, const Families& families) {
    InstrId parameter = module_.computation(conditional_.called[branch]).parameters.at(0);
    InstrId root = module_.root(conditional_.called[branch]);
    std::vector<DefinitionId>& contents = returned_.emplace_back(use_.homes.size());
    for (size_t result = 0; result < use_.homes.size(); ++result) {
      DefinitionId content = dataflow.value(root, static_cast<int32_t>(result)).definition;
      const analysis::Definition& head = dataflow.definition(families.Head(content));
      if (head.instruction != parameter) continue;
      OperandLeaf home{static_cast<int32_t>(branch) + 1, head.leaf};
      if (IsPointerResult(context_, id_, static_cast<int32_t>(result))) {
        if (families.Head(content) != content && !LeadsTo(result, home)) moved_.insert(OperandContent(home));
        continue;
      }
      contents[result] = OperandContent(home);
      if (!use_.homes[result] && taken_.insert(contents[result]).second) use_.homes[result] = home;
    }
  }

  // Whoever uses the pointer is known to use the operand's buffer.
  bool LeadsTo(size_t result, OperandLeaf operand) const {
    return std::ranges::any_of(context_.pointer_results.at(id_)[result].operands, [&](const auto& place) {
      return place.operand == operand.operand && place.leaf == operand.leaf;
    });
  }

  // The content's buffer is that of the same result whichever branch runs, or of none.
  bool StaysInPlace(DefinitionId content) const {
    if (moved_.contains(content)) return false;
    for (size_t result = 0; result < use_.homes.size(); ++result) {
      auto is_here = [&](const std::vector<DefinitionId>& contents) { return contents[result] == content; };
      if (std::ranges::none_of(returned_, is_here)) continue;
      bool is_home = use_.homes[result] && OperandContent(*use_.homes[result]) == content;
      if (!is_home || !std::ranges::all_of(returned_, is_here)) return false;
    }
    return true;
  }

  // Where branches end with buffers that change places, nothing of the operand is there for a later reader.
  void ForgetWhereBuffersMove() {
    use_.updated = use_.written;
    for (size_t branch = 0; branch < use_.written.size(); ++branch) {
      for (size_t leaf = 0; leaf < use_.written[branch].size(); ++leaf) {
        OperandLeaf place{static_cast<int32_t>(branch) + 1, static_cast<int32_t>(leaf)};
        if (!StaysInPlace(OperandContent(place))) use_.written[branch][leaf] = {};
      }
    }
  }

  const Module& module_;
  const Dataflow& outer_;
  InstrId id_;
  const Instruction& conditional_;
  ScopeContext& context_;
  BranchUse& use_;
  std::unordered_set<DefinitionId> taken_;
  std::unordered_set<DefinitionId> moved_;  // operands whose updates a pointer leads to
  std::vector<std::vector<DefinitionId>>
      returned_;  // per branch and result: the operand content in whose buffer it lies
};

}  // namespace

void SummariseBranches(const Module& module, const Scope& scope, ScopeContext& context) {
  const std::vector<InstrId> conditionals = ConditionalsIn(module, scope.computation);
  if (conditionals.empty()) return;
  const Dataflow outer(module, scope.computation, context);
  for (InstrId id : conditionals) BranchSummary(module, outer, id, context).Run();
}

}  // namespace stead::inplace
