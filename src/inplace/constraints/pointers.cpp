// Pointers instead of copies.
//
//   y = while(x), body (a, b): ROOT (b, a)            x: arrays that the caller keeps
//   z = conditional(p, (u), (u)):   true: ROOT u      false: ROOT negate(u)            u is needed afterwards
//
// A state leaf or a branch result is usually a buffer of its own, which whoever comes next may overwrite; then what is handed on
// must be the program's, and no one else's. But where it is only read, its pointer may as well lead to an array that stays what it
// is: to x, or to u. Nothing is copied; whoever overwrites x or u comes after the readers of y and z (Dataflow::shared_uses).
//
// State. A pointer leaf starts at its initial value, which stays where it is during the loop. The body does not overwrite through it.
// At the back edge it goes where the next content is:
//   - to that of another pointer leaf, or of state that the loop does not touch: the pointers are moved;
//   - to a constant;
//   - to a new content: it lies in a slot that goes with the pointer, so that at any time the content is where the leaf started, or in
//     the slot. Slots are exchanged at the back edge like those of all state (memory/loops.h).
// What receives the content of a pointer leaf is one too. After the loop, when its trip count is known, the content is an initial
// value, or a new one, which may be overwritten like any other; else it may be either.
//
// A leaf whose content is not handed on may start in an array that another leaf overwrites: the first iteration reads before it writes
// (DataflowContext::parameter_guests).
//
// Branch results. The pointer goes to what the branch hands on, or to what it makes, which may lie in what it was given. If all branches
// hand on one value, the result is that value.
#include "inplace/constraints/pointers.h"

#include <algorithm>

#include "analysis/trip_count.h"

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::Dataflow;
using analysis::Definition;
using analysis::DefinitionId;
using analysis::PointerResult;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

// Loops that run longer are not followed step by step.
constexpr int64_t kMostPointerSteps = 1000;

bool IsConstantArray(const Module& module, const Dataflow& dataflow, DefinitionId content) {
  const Instruction& made = module.instruction(dataflow.definition(content).instruction);
  return made.opcode == Opcode::kConstant && !IsImmediate(made);
}

class LoopPointers {
 public:
  LoopPointers(const Module& module, InstrId loop, ScopeContext& context)
      : module_(module),
        loop_(loop),
        context_(context),
        body_id_(module.instruction(loop).called[1]),
        body_(module, body_id_, context),
        count_(ArrayLeafCount(module.shape(loop))),
        trips_(analysis::TripCount(module, loop)) {}

  void Run() {
    std::vector<bool>& pointers = context_.pointer_state[loop_];
    for (int32_t leaf = 0; leaf < count_; ++leaf)
      pointers.push_back(IsSlot(leaf) && context_.pointer_choices.contains(ResultLeaf{loop_, leaf}));
    Close(pointers);
    CopyWhatIsHandedOnTwice();
    std::vector<PointerResult> results(static_cast<size_t>(count_));
    bool has_pointers = false;
    for (int32_t leaf = 0; leaf < count_; ++leaf) {
      bool is_follower = IsFollower(context_, loop_, leaf) && trips_.value_or(0) < 1;
      if (!is_follower && !IsPointerState(context_, loop_, leaf)) continue;
      has_pointers = true;
      results[static_cast<size_t>(leaf)] = is_follower ? FollowerResult(leaf) : Result(leaf);
    }
    if (!has_pointers) return;
    context_.pointer_results[loop_] = std::move(results);
  }

  // `outer`: of the scope that holds the loop.
  void FindGuests(const Dataflow& outer) {
    auto initial = [&](int32_t leaf) { return outer.value(module_.operand(loop_, 0), leaf).definition; };
    for (int32_t guest = 0; guest < count_; ++guest) {
      if (!IsPointerState(context_, loop_, guest) || IsHandedOn(guest)) continue;
      for (int32_t host = 0; host < count_; ++host) {
        if (!IsSlot(host) || IsPointerState(context_, loop_, host)) continue;
        if (outer.MayShareBytes(initial(guest), initial(host)))
          context_.parameter_guests[body_id_].push_back({guest, host});
      }
    }
  }

 private:
  // The leaf has a buffer of its own, unless it is chosen to be a pointer.
  bool IsSlot(int32_t leaf) const {
    return !context_.untouched_state.at(loop_)[static_cast<size_t>(leaf)] && !IsFollower(context_, loop_, leaf);
  }

  std::optional<int32_t> Source(int32_t leaf) const { return HandedOnLeaf(module_, body_, context_, loop_, leaf); }

  // What receives the content of a pointer is one.
  void Close(std::vector<bool>& pointers) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (int32_t leaf = 0; leaf < count_; ++leaf) {
        if (pointers[static_cast<size_t>(leaf)] || !IsSlot(leaf)) continue;
        const analysis::Resolved& next = body_.value(module_.root(body_id_), leaf);
        const Definition& made = body_.definition(next.definition);
        bool is_state = module_.instruction(made.instruction).opcode == Opcode::kParameter;
        if (!is_state || !pointers[static_cast<size_t>(made.leaf)]) continue;
        pointers[static_cast<size_t>(leaf)] = true;
        changed = true;
      }
    }
  }

  // One slot goes to one leaf.
  void CopyWhatIsHandedOnTwice() {
    std::vector<bool>& copied = context_.copied_state[loop_];
    copied.assign(static_cast<size_t>(count_), false);
    for (bool changed = true; changed;) {
      changed = false;
      const std::vector<bool> has_slot = PointersWithSlots(module_, body_, context_, loop_);
      std::set<int32_t> taken;
      for (int32_t leaf = 0; leaf < count_; ++leaf) {
        std::optional<int32_t> source = IsPointerState(context_, loop_, leaf) ? Source(leaf) : std::nullopt;
        if (!source || !has_slot[static_cast<size_t>(*source)] || taken.insert(*source).second) continue;
        copied[static_cast<size_t>(leaf)] = changed = true;
      }
    }
  }

  bool IsHandedOn(int32_t leaf) const {
    DefinitionId content = body_.value(module_.computation(body_id_).parameters.at(0), leaf).definition;
    return body_.LastUse(content) >= body_.node_count();
  }

  bool IsFixed(int32_t leaf) const {
    return IsConstantArray(module_, body_, body_.value(module_.root(body_id_), leaf).definition);
  }

  PointerResult FollowerResult(int32_t leaf) const {
    PointerResult result{.is_pointer = true};
    result.operands.push_back({0, leaf});
    result.results.push_back(context_.leaders.at(loop_)[static_cast<size_t>(leaf)]);
    return result;
  }

  PointerResult Result(int32_t leaf) const {
    std::optional<PointerResult> known;
    if (trips_ && *trips_ <= kMostPointerSteps) known = ResultAfter(*trips_, leaf);
    if (known) return *known;
    PointerResult result{.is_pointer = true};
    std::vector<bool> seen(static_cast<size_t>(count_), false);
    for (std::optional<int32_t> next = leaf; next && !seen[static_cast<size_t>(*next)]; next = Source(*next)) {
      seen[static_cast<size_t>(*next)] = true;
      result.operands.push_back({0, *next});
      result.is_fixed = result.is_fixed || IsFixed(*next);
    }
    return result;
  }

  // None when the pointer ends in a constant.
  std::optional<PointerResult> ResultAfter(int64_t trips, int32_t leaf) const {
    PointerResult result;
    for (int64_t step = 0; step < trips; ++step) {
      std::optional<int32_t> source = Source(leaf);
      if (!source) return IsFixed(leaf) ? std::nullopt : std::optional(result);
      leaf = *source;
    }
    result.same = PointerResult::OperandLeaf{0, leaf};
    return result;
  }

  const Module& module_;
  InstrId loop_;
  ScopeContext& context_;
  ComputationId body_id_;
  Dataflow body_;
  int32_t count_;
  std::optional<int64_t> trips_;
};

// The first content of the buffer that this one may be built in, by updates.
DefinitionId OldestContent(const Module& module, const Dataflow& inner, const ScopeContext& context,
                           DefinitionId content) {
  for (;;) {
    const Definition& made = inner.definition(content);
    const std::vector<PreservingTie> ties = PreservingTies(module, inner, made.node, context);
    auto tie = std::ranges::find(ties, made.leaf, &PreservingTie::result_leaf);
    if (tie == ties.end()) return content;
    content = inner.value(module.operand(made.instruction, static_cast<size_t>(tie->operand)), tie->leaf).definition;
  }
}

// What one branch gives to a result that is chosen to be a pointer.
void AddBranch(const Module& module, InstrId conditional, size_t branch, const Dataflow& inner,
               const ScopeContext& context, int32_t leaf, PointerResult& result) {
  InstrId root = module.root(module.instruction(conditional).called[branch]);
  DefinitionId content = inner.value(root, leaf).definition;
  if (IsConstantArray(module, inner, content)) {
    result.is_operand = false;
    result.is_fixed = true;
    return;
  }
  const DefinitionId oldest = OldestContent(module, inner, context, content);
  auto add_operand = [&](DefinitionId place) {
    const Definition& made = inner.definition(OldestContent(module, inner, context, place));
    const Instruction& maker = module.instruction(made.instruction);
    if (maker.opcode == Opcode::kParameter) result.operands.push_back({static_cast<int32_t>(branch) + 1, made.leaf});
    return maker.opcode == Opcode::kParameter;
  };
  bool is_in_operand = add_operand(oldest);
  result.is_operand = result.is_operand && is_in_operand && oldest == content;
  // A pointer from inside: it leads where that leads.
  for (DefinitionId host : inner.hosts(oldest)) {
    add_operand(host);
    result.is_fixed = result.is_fixed || IsConstantArray(module, inner, host);
  }
  result.is_fixed = result.is_fixed || inner.is_fixed(oldest);
  for (int32_t other = 0; other < ArrayLeafCount(module.shape(root)); ++other) {
    bool is_earlier = other < leaf || !context.pointer_choices.contains(ResultLeaf{conditional, other});
    DefinitionId returned = OldestContent(module, inner, context, inner.value(root, other).definition);
    if (other != leaf && is_earlier && inner.MayShareBytes(returned, oldest)) result.results.push_back(other);
  }
}

void FindBranchPointers(const Module& module, InstrId conditional, ScopeContext& context) {
  const PointerChoices& choices = context.pointer_choices;
  auto first = choices.lower_bound(ResultLeaf{conditional, 0});
  if (first == choices.end() || first->caller != conditional) return;
  std::vector<PointerResult>& results = context.pointer_results[conditional];
  results.assign(static_cast<size_t>(ArrayLeafCount(module.shape(conditional))), {});
  const std::vector<ComputationId>& branches = module.instruction(conditional).called;
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    Dataflow inner(module, branches[branch], context);
    for (auto choice = first; choice != choices.end() && choice->caller == conditional; ++choice) {
      PointerResult& result = results[static_cast<size_t>(choice->leaf)];
      if (branch == 0) result.is_pointer = result.is_operand = true;
      AddBranch(module, conditional, branch, inner, context, choice->leaf, result);
    }
  }
}

}  // namespace

bool IsPointerResult(const ScopeContext& context, InstrId caller, int32_t leaf) {
  auto results = context.pointer_results.find(caller);
  if (results == context.pointer_results.end()) return false;
  const PointerResult& result = results->second[static_cast<size_t>(leaf)];
  return result.is_pointer || result.same.has_value();
}

std::optional<int32_t> HandedOnLeaf(const Module& module, const Dataflow& body, const ScopeContext& context,
                                    InstrId loop, int32_t leaf) {
  const analysis::Resolved& next = body.value(module.root(module.instruction(loop).called[1]), leaf);
  const Definition& made = body.definition(next.definition);
  if (module.instruction(made.instruction).opcode != Opcode::kParameter || !next.box.whole) return std::nullopt;
  auto copied = context.copied_state.find(loop);
  if (copied != context.copied_state.end() && copied->second[static_cast<size_t>(leaf)]) return std::nullopt;
  bool is_untouched = context.untouched_state.at(loop)[static_cast<size_t>(made.leaf)];
  return is_untouched || IsPointerState(context, loop, made.leaf) ? std::optional(made.leaf) : std::nullopt;
}

std::vector<bool> PointersWithSlots(const Module& module, const Dataflow& body, const ScopeContext& context,
                                    InstrId loop) {
  int32_t count = ArrayLeafCount(module.shape(loop));
  std::vector<bool> has_slot(static_cast<size_t>(count), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t leaf = 0; leaf < count; ++leaf) {
      if (has_slot[static_cast<size_t>(leaf)] || !IsPointerState(context, loop, leaf)) continue;
      std::optional<int32_t> source = HandedOnLeaf(module, body, context, loop, leaf);
      DefinitionId content = body.value(module.root(module.instruction(loop).called[1]), leaf).definition;
      bool needs_slot = source ? has_slot[static_cast<size_t>(*source)] : !IsConstantArray(module, body, content);
      if (!needs_slot) continue;
      has_slot[static_cast<size_t>(leaf)] = true;
      changed = true;
    }
  }
  return has_slot;
}

void FindPointers(const Module& module, const Scope& scope, ScopeContext& context) {
  if (context.pointer_choices.empty()) return;
  std::vector<InstrId> loops;
  for (InstrId id : module.computation(scope.computation).instructions) {
    Opcode opcode = module.instruction(id).opcode;
    if (opcode == Opcode::kConditional) FindBranchPointers(module, id, context);
    if (opcode != Opcode::kWhile) continue;
    LoopPointers(module, id, context).Run();
    loops.push_back(id);
  }
  Dataflow outer(module, scope.computation, context);
  for (InstrId loop : loops) LoopPointers(module, loop, context).FindGuests(outer);
}

}  // namespace stead::inplace
