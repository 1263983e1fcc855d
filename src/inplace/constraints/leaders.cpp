// Loop state that the body hands on twice, kept once.
//
//   body (now, before) -> (next, next)
//
// A copy of `next` in each iteration would give both leaves memory of their own. But whoever only reads `before` may as well
// read it where `now` lies: from the second iteration on the two are one array, and in the first `before` is read from its
// initial value. So `before` is a pointer that starts there and then goes where `now` goes; the op that overwrites `now` comes
// after the readers of `before`.
//
// A leaf may follow another if
//   - the body makes the next content of both at once,
//   - the body does not overwrite a part of it, nor hand it on,
//   - the loop runs at least once, so that its two results are one; or its result is to be a pointer (pointers.h).
#include "inplace/constraints/leaders.h"

#include <algorithm>

#include "analysis/trip_count.h"

namespace stead::inplace {

using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::InstrId;
using ir::Module;
using ir::Opcode;

namespace {

// The body reads the content and does nothing else with it.
bool IsOnlyRead(const Module& module, const Dataflow& body, DefinitionId content, const ScopeContext& context) {
  return std::ranges::none_of(body.uses(content), [&](const DefinitionUse& use) {
    if (use.node == body.node_count()) return true;
    InstrId user = body.instruction(use.node);
    // What is not the body's to overwrite is not a branch's either.
    if (module.instruction(user).opcode == Opcode::kConditional) return false;
    return std::ranges::any_of(PreservingTies(module, body, use.node, context), [&](const PreservingTie& tie) {
      return tie.operand == use.operand && tie.leaf == use.leaf;
    });
  });
}

}  // namespace

void FindLeaders(const Module& module, InstrId loop, ScopeContext& context) {
  const bool runs = analysis::TripCount(module, loop).value_or(0) >= 1;
  if (!runs && context.pointer_choices.empty()) return;
  const std::vector<bool>& untouched = context.untouched_state.at(loop);
  ir::ComputationId body = module.instruction(loop).called[1];
  Dataflow dataflow(module, body, context);
  InstrId parameter = module.computation(body).parameters.at(0);
  auto next = [&](size_t leaf) { return dataflow.value(module.root(body), static_cast<int32_t>(leaf)); };
  auto may_follow = [&](size_t leaf) {
    DefinitionId content = dataflow.value(parameter, static_cast<int32_t>(leaf)).definition;
    bool is_chosen = context.pointer_choices.contains(ResultLeaf{loop, static_cast<int32_t>(leaf)});
    return (runs || is_chosen) && IsOnlyRead(module, dataflow, content, context);
  };
  std::vector<int32_t> leaders(untouched.size(), -1);
  std::unordered_map<DefinitionId, size_t> leader_of;
  for (size_t leaf = 0; leaf < untouched.size(); ++leaf) {
    analysis::Resolved made = next(leaf);
    bool is_made_here = dataflow.definition(made.definition).instruction != parameter;
    if (untouched[leaf] || !is_made_here || !made.box.whole || !made.same_places) continue;
    auto [leader, is_first] = leader_of.try_emplace(made.definition, leaf);
    if (is_first) continue;
    if (may_follow(leaf)) {
      leaders[leaf] = static_cast<int32_t>(leader->second);
    } else if (may_follow(leader->second)) {
      std::ranges::replace(leaders, static_cast<int32_t>(leader->second), static_cast<int32_t>(leaf));
      leaders[leader->second] = static_cast<int32_t>(leaf);
      leader->second = leaf;
    }
  }
  if (std::ranges::all_of(leaders, [](int32_t leader) { return leader < 0; })) return;
  for (ir::ComputationId called : module.instruction(loop).called) context.parameter_leaders[called] = leaders;
  context.leaders[loop] = std::move(leaders);
}

}  // namespace stead::inplace
