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
// granted. Two leaves of one branch that are the same value are not granted either: each would be overwritten through the
// other. Different branches may own the same value, since only one of them runs.
#include "inplace/constraints/branches.h"

#include <algorithm>
#include <unordered_set>

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

namespace {

// Per node: it must come after `start`.
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

std::vector<int32_t> ConditionalNodes(const Module& module, const Dataflow& dataflow) {
  std::vector<int32_t> nodes;
  for (int32_t node = 0; node < dataflow.node_count(); ++node) {
    if (module.instruction(dataflow.instruction(node)).opcode == Opcode::kConditional) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

void GrantBranchOperands(const Module& module, const Scope& scope, ScopeContext& context) {
  Dataflow dataflow(module, scope.computation, context);
  for (int32_t node : ConditionalNodes(module, dataflow)) {
    InstrId id = dataflow.instruction(node);
    const Instruction& conditional = module.instruction(id);
    std::vector<bool> after = NodesAfter(module, dataflow, node);
    auto is_spent = [&](DefinitionId definition, int32_t operand) {
      int in_branch = 0;
      for (const DefinitionUse& use : dataflow.uses(definition)) {
        if (use.node == dataflow.node_count()) return false;
        if (use.node != node && after[use.node]) return false;
        in_branch += use.node == node && use.operand == operand;
      }
      auto is_later = [&](const analysis::SharedUse& shared) {
        return shared.use.node != node && after[static_cast<size_t>(shared.use.node)];
      };
      if (std::ranges::any_of(dataflow.shared_uses(definition), is_later)) return false;
      return in_branch == 1;
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
                                 const std::vector<bool>& owned) {
  std::vector<bool> consumed;
  for (size_t leaf = 0; leaf < owned.size(); ++leaf) {
    DefinitionId content = branch.value(parameter, static_cast<int32_t>(leaf)).definition;
    bool is_result = branch.LastUse(content) >= branch.node_count();
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

void SummariseBranches(const Module& module, const Scope& scope, ScopeContext& context) {
  Dataflow outer(module, scope.computation, context);
  for (int32_t node : ConditionalNodes(module, outer)) {
    InstrId id = outer.instruction(node);
    const Instruction& conditional = module.instruction(id);
    BranchUse& use = context.branches.at(id);
    use.consumed.clear();
    use.homes.assign(ArrayLeafCount(conditional.shape), std::nullopt);
    std::unordered_set<DefinitionId> taken;
    for (size_t branch = 0; branch < conditional.called.size(); ++branch) {
      Dataflow dataflow(module, conditional.called[branch], context);
      Families families(module, dataflow, context);
      InstrId parameter = module.computation(conditional.called[branch]).parameters.at(0);
      InstrId root = module.root(conditional.called[branch]);
      use.consumed.push_back(ConsumedLeaves(dataflow, families, parameter, use.owned[branch]));
      for (size_t result = 0; result < use.homes.size(); ++result) {
        const analysis::Definition& head =
            dataflow.definition(families.Head(dataflow.value(root, static_cast<int32_t>(result)).definition));
        if (head.instruction != parameter || use.homes[result]) continue;
        OperandLeaf home{static_cast<int32_t>(branch) + 1, head.leaf};
        DefinitionId content = outer.value(conditional.operands[branch + 1], head.leaf).definition;
        if (taken.insert(content).second) use.homes[result] = home;
      }
    }
    FindOwnHomes(conditional, outer, use);
  }
}

}  // namespace stead::inplace
