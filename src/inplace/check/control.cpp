// Loops and branches: pointers that move, and facts that hold whichever way the program went.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/trip_count.h"
#include "inplace/check/checker.h"

namespace stead::inplace::check {

// Loops that run longer are not followed step by step.
constexpr int64_t kMostFollowedSteps = 1000;

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

Result<IdVector<BufferId, Place>> Checker::Moved(const std::vector<PointerMove>& moves, InstrId id) const {
  IdVector<BufferId, Place> pointers = pointers_;
  std::unordered_set<BufferId> targets;
  for (const PointerMove& move : moves) {
    if (!targets.insert(move.target).second) return Refused(id, "a pointer is set twice at once");
    if (move.source_offset < 0 ||
        plan_.buffers[move.source].bytes - move.source_offset < plan_.buffers[move.target].bytes) {
      return Refused(id, "a pointer is set to memory that is too small for it");
    }
    pointers[move.target] = pointers_[move.source];
    pointers[move.target].offset += move.source_offset;
  }
  return pointers;
}

// The moves permute the pointers of buffers of equal size.
bool Checker::IsExchange(const std::vector<PointerMove>& moves) const {
  std::vector<BufferId> targets, sources;
  for (const PointerMove& move : moves) {
    if (move.source_offset != 0 || plan_.buffers[move.source].bytes != plan_.buffers[move.target].bytes) return false;
    targets.push_back(move.target);
    sources.push_back(move.source);
  }
  return std::ranges::is_permutation(targets, sources);
}

// The moves that set pointers to other memory than that which the others exchange.
std::vector<PointerMove> Checker::SetAnew(const std::vector<PointerMove>& moves) const {
  std::vector<PointerMove> pointers, others;
  for (const PointerMove& move : moves) {
    bool is_pointer = plan_.buffers[move.target].kind == Buffer::Kind::kPointer;
    (is_pointer ? pointers : others).push_back(move);
  }
  return IsExchange(others) ? pointers : moves;
}

// The loop or conditional and all that it holds.
std::vector<InstrId> Checker::LoopsAndBranchesOf(InstrId id) const {
  std::vector<InstrId> found{id};
  for (size_t at = 0; at < found.size(); ++at) {
    for (ir::ComputationId called : module_.instruction(found[at]).called) {
      for (InstrId inner : module_.computation(called).instructions) {
        Opcode opcode = module_.instruction(inner).opcode;
        if (opcode == Opcode::kWhile || opcode == Opcode::kConditional) found.push_back(inner);
      }
    }
  }
  return found;
}

// The variables that loops and branches inside set to other memory than that which they exchange.
std::unordered_set<BufferId> Checker::SetInside(InstrId id) const {
  std::unordered_set<BufferId> targets;
  auto add = [&](const std::vector<PointerMove>& moves) {
    for (const PointerMove& move : moves) targets.insert(move.target);
  };
  for (InstrId inner : LoopsAndBranchesOf(id)) {
    auto loop = plan_.loops.find(inner);
    if (inner != id && loop != plan_.loops.end()) add(loop->second.entry);
    auto branches = plan_.branches.find(inner);
    if (branches == plan_.branches.end()) continue;
    for (const std::vector<PointerMove>& end : branches->second.ends) add(SetAnew(end));
  }
  return targets;
}

// Groups of variables whose pointers the loop, and the loops and branches inside it, exchange. Each exchange permutes the pointers of one
// group, so at the head of every iteration a group's variables hold the group's memory in some order.
std::vector<std::vector<BufferId>> Checker::ExchangeGroups(InstrId id) const {
  std::map<BufferId, BufferId> leaders;
  auto leader_of = [&](BufferId variable) {
    leaders.try_emplace(variable, variable);
    while (leaders[variable] != variable) variable = leaders[variable];
    return variable;
  };
  for (InstrId current : LoopsAndBranchesOf(id)) {
    auto join = [&](const std::vector<PointerMove>& moves) {
      for (const PointerMove& move : moves) {
        // What sets its variables anew leaves nothing to know about them; pointers of state belong to no exchange.
        if (current != id && (set_anew_.contains(move.target) || set_anew_.contains(move.source))) continue;
        if (StatePointerOf(id, move.target) != nullptr) continue;
        if (move.source != move.target) leaders[leader_of(move.source)] = leader_of(move.target);
      }
    };
    if (auto loop = plan_.loops.find(current); loop != plan_.loops.end()) join(loop->second.back_edge);
    if (auto branches = plan_.branches.find(current); branches != plan_.branches.end()) {
      for (const std::vector<PointerMove>& end : branches->second.ends) join(end);
    }
  }
  std::map<BufferId, std::vector<BufferId>> groups;
  for (const auto& [variable, leader] : std::map(leaders)) groups[leader_of(variable)].push_back(variable);
  std::vector<std::vector<BufferId>> result;
  for (auto& [leader, group] : groups) result.push_back(std::move(group));
  return result;
}

// Gives the variables, whose pointers may be in any order, fresh blocks. `run`: number of this run of the loop.
Status Checker::FreshBlocks(InstrId id, const std::vector<BufferId>& variables, int64_t run) {
  std::vector<ByteRange> underlying;
  for (BufferId variable : variables) {
    ByteRange range{pointers_[variable], plan_.buffers[variable].bytes};
    for (const ByteRange& other : underlying) {
      if (memory_.MayOverlap(range, other)) return Refused(id, "the back edge exchanges buffers that overlap");
    }
    underlying.push_back(range);
  }
  bool writable = true, returnable = true;
  for (const ByteRange& range : underlying) {
    for (const ByteRange& real : memory_.Underlying(range)) {
      writable = writable && memory_.block(real.place.block).writable;
      returnable = returnable && memory_.block(real.place.block).returnable;
    }
  }
  int64_t permutation = next_permutation_++;
  underlying = memory_.BehindOrder(std::move(underlying));
  for (BufferId variable : variables) {
    Block block{writable, returnable, underlying, permutation};
    block.first = {{pointers_[variable], plan_.buffers[variable].bytes}, run};
    pointers_[variable] = {memory_.AddBlock(std::move(block)), 0};
  }
  return {};
}

// Sets the loop's pointers and gives the exchanged ones fresh blocks; what they hold moves with them.
Status Checker::EnterLoop(InstrId id, const LoopPlan& loop) {
  TRY(pointers_, Moved(loop.entry, id));
  const IdVector<BufferId, Place> entered = pointers_;
  const std::unordered_set<BufferId> set_inside = SetInside(id);
  std::vector<BufferId> targets, sources;
  for (const PointerMove& move : loop.back_edge) {
    if (move.source == move.target || StatePointerOf(id, move.target) != nullptr) continue;
    if (move.source_offset != 0) return Refused(id, "a back edge moves a pointer into the middle of a buffer");
    // An exchange keeps the group's memory; what is set to something else in between would leave the group.
    if (set_inside.contains(move.source) || set_inside.contains(move.target))
      return Refused(id, "a back edge exchanges a pointer that is set anew inside the loop");
    if (plan_.buffers[move.source].bytes != plan_.buffers[move.target].bytes) {
      return Refused(id, "a back edge exchanges buffers of different sizes");
    }
    targets.push_back(move.target);
    sources.push_back(move.source);
  }
  if (!std::ranges::is_permutation(targets, sources))
    return Refused(id, "the back edge is not an exchange of pointers");
  const int64_t run = next_run_++;
  for (const std::vector<BufferId>& group : ExchangeGroups(id)) {
    TRY_STATUS(FreshBlocks(id, group, run));
    exchanged_[id].insert(group.begin(), group.end());
  }
  return AttachPointers(id, entered, run);
}

const StatePointer* Checker::StatePointerOf(InstrId loop, BufferId variable) const {
  const std::vector<StatePointer>& pointers = plan_.loops.at(loop).pointers;
  auto found = std::ranges::find(pointers, variable, &StatePointer::pointer);
  return found == pointers.end() ? nullptr : &*found;
}

// The leaf in whose place at the head of the iteration the next content of `leaf` lies; of several, the one whose content it is, if that
// is known.
std::optional<size_t> Checker::HandedOnLeaf(InstrId loop, size_t leaf, const std::vector<Leaf>& state) const {
  InstrId root = module_.root(module_.instruction(loop).called[1]);
  const Slice& next = Slices(root)[leaf];
  const std::vector<Slice>& heads = HeadSlices(loop);
  std::optional<size_t> first;
  for (size_t other = 0; other < heads.size(); ++other) {
    if (heads[other].buffer != next.buffer || heads[other].offset != next.offset) continue;
    if (leaves_.at(root)[leaf].content == state[other].content) return other;
    if (!first) first = other;
  }
  return first;
}

// Where each pointer of the state may go besides its slot: where it starts, where those start that it is moved to, and other places
// that stay where they are.
std::map<BufferId, std::vector<ByteRange>> Checker::StatePlaces(InstrId id) const {
  const LoopPlan& loop = plan_.loops.at(id);
  std::map<BufferId, std::vector<ByteRange>> places;
  for (const StatePointer& state : loop.pointers)
    places[state.pointer] = {{pointers_[state.pointer], plan_.buffers[state.pointer].bytes}};
  auto add = [](std::vector<ByteRange>& known, const ByteRange& range) {
    auto is_same = [&](const ByteRange& other) { return other.place == range.place; };
    if (std::ranges::any_of(known, is_same)) return false;
    known.push_back(range);
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const PointerMove& move : loop.back_edge) {
      if (StatePointerOf(id, move.target) == nullptr) continue;
      bool is_slot =
          exchanged_.at(id).contains(move.source) ||
          std::ranges::find(loop.pointers, std::optional(move.source), &StatePointer::slot) != loop.pointers.end();
      std::vector<ByteRange> further;
      if (StatePointerOf(id, move.source) != nullptr) {
        further = places[move.source];
      } else if (!is_slot && !(pointers_[move.source].block == unknown_)) {
        Place place = pointers_[move.source];
        place.offset += move.source_offset;
        further = {{place, plan_.buffers[move.target].bytes}};
      }
      for (const ByteRange& range : further) changed = add(places[move.target], range) || changed;
    }
  }
  return places;
}

// Gives the state's pointers blocks that stand for all places where they may be at the head of an iteration: where they were when the
// loop was `entered`, and later. One that starts apart from its slot, and goes nowhere but there, is in the slot or apart from it at
// any time.
Status Checker::AttachPointers(InstrId id, const IdVector<BufferId, Place>& entered, int64_t run) {
  // By reference, so that the loop has an entry.
  std::unordered_set<BufferId>& exchanged = exchanged_[id];
  const std::map<BufferId, std::vector<ByteRange>> places = StatePlaces(id);
  for (const auto& [pointer, slot] : plan_.loops.at(id).pointers) {
    const int64_t bytes = plan_.buffers[pointer].bytes;
    if (plan_.buffers[pointer].kind != Buffer::Kind::kPointer)
      return Refused(id, "state that is not in its slot is not a pointer either");
    Block block{true, true, places.at(pointer), 0, std::nullopt};
    if (slot) {
      if (plan_.buffers[*slot].bytes != bytes) return Refused(id, "a slot is too small for its state");
      ByteRange own{pointers_[*slot], bytes}, own_at_start{entered[*slot], bytes};
      const ByteRange initial{entered[pointer], bytes};
      bool follows = initial.place.offset == 0 && memory_.block(initial.place.block).follows == entered[*slot];
      bool is_apart = block.underlying.size() == 1
                          ? !memory_.MayOverlap(initial, own_at_start)
                          : std::ranges::none_of(block.underlying, [&](const ByteRange& range) {
                              return memory_.MayOverlap(range, own);
                            });
      if (follows && block.underlying.size() == 1) {
        // Where the initial value is in the slot, it moves on with it.
        block.underlying = memory_.block(initial.place.block).underlying;
        std::erase_if(block.underlying, [&](const ByteRange& range) { return range.place == entered[*slot]; });
        is_apart = true;
      }
      if (is_apart) block.follows = own.place;
      block.underlying.push_back(own);
      if (!follows) block.later.push_back(own);
    }
    if (!slot || !block.later.empty()) {
      block.first = {{entered[pointer], bytes}, run};
      const std::vector<ByteRange> others = PlacesOfSource(id, pointer, places);
      block.later.insert(block.later.end(), others.begin(), others.end());
    }
    for (const ByteRange& range : block.underlying) {
      for (const ByteRange& real : memory_.Underlying(range)) {
        block.writable = block.writable && memory_.block(real.place.block).writable;
        block.returnable = block.returnable && memory_.block(real.place.block).returnable;
      }
    }
    pointers_[pointer] = {memory_.AddBlock(std::move(block)), 0};
    exchanged.insert(pointer);
  }
  return {};
}

// Where the back edge takes the pointer from, slots apart: from where another one may be, or from a place that stays where it is.
std::vector<ByteRange> Checker::PlacesOfSource(InstrId id, BufferId pointer,
                                               const std::map<BufferId, std::vector<ByteRange>>& places) const {
  const std::vector<PointerMove>& moves = plan_.loops.at(id).back_edge;
  auto move = std::ranges::find(moves, pointer, &PointerMove::target);
  if (move == moves.end()) return places.at(pointer);
  if (StatePointerOf(id, move->source) != nullptr) return places.at(move->source);
  if (exchanged_.at(id).contains(move->source) || pointers_[move->source].block == unknown_) return {};
  Place place = pointers_[move->source];
  place.offset += move->source_offset;
  return {{place, plan_.buffers[pointer].bytes}};
}

// After the back edge each pointer is where its block says that it may be at the head of an iteration.
Status Checker::CheckPointerMoves(InstrId id, const IdVector<BufferId, Place>& before,
                                  const IdVector<BufferId, Place>& after) {
  const LoopPlan& loop = plan_.loops.at(id);
  for (const auto& [pointer, slot] : loop.pointers) {
    in_slot_.erase(pointer);
    if (slot && after[pointer] == after[*slot]) {
      in_slot_.insert(pointer);
      continue;
    }
    auto move = std::ranges::find(loop.back_edge, pointer, &PointerMove::target);
    const StatePointer* source = StatePointerOf(id, move == loop.back_edge.end() ? pointer : move->source);
    if (source != nullptr && after[pointer] == before[source->pointer]) {
      bool moves_with_slot = !source->slot || (slot && after[*slot] == before[*source->slot]);
      if (!moves_with_slot) return Refused(id, "a pointer leaves the slot that its state is in");
      continue;
    }
    const Block& block = memory_.block(before[pointer].block);
    const std::vector<ByteRange>& known = block.first ? block.later : block.underlying;
    auto is_there = [&](const ByteRange& range) { return range.place == after[pointer]; };
    if (std::ranges::none_of(known, is_there)) return Refused(id, "a pointer goes where it was not known to go");
  }
  return {};
}

Status Checker::Loop(InstrId id) {
  const Instruction& instruction = module_.instruction(id);
  InstrId init = instruction.operands[0];
  auto found = plan_.loops.find(id);
  if (found == plan_.loops.end()) return Refused(id, "the loop has no plan");
  std::vector<ir::Shape> shapes = ArrayLeaves(instruction.shape);
  LoopState state;
  for (const Leaf& initial : leaves_.at(init)) state.missing.push_back(Missing(initial));
  TRY(auto entered, Moved(found->second.entry, id));
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    const Slice& slot = HeadSlices(id)[leaf];
    Place place = entered[slot.buffer];
    place.offset += slot.offset;
    if (!(place == PlaceOf(Slices(init)[leaf]))) {
      return Refused(id, fmt::format("state {} does not start where its initial value lies", leaf));
    }
  }
  TRY_STATUS(EnterLoop(id, found->second));

  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    state.leaves.push_back({NewContent(), {}, HeadSlices(id)[leaf], HeadSlices(id)[leaf]});
  }
  // Facts that a round destroys do not hold at the head of the next iteration: repeat until none is lost.
  FactTable outside = memory_.facts();
  for (;;) {
    AddState(id, state, state.missing);
    IdVector<BufferId, Place> head = pointers_;
    const FactTable before = memory_.facts();
    TRY_STATUS(LoopRound(id, state));
    HolesInCaller(id, 1, before);
    TRY(bool pointers_stable, RestorePointers(id, head));
    const bool state_stable = !MissMore(state);
    const FactTable after = memory_.facts();
    memory_.RestoreFacts(std::move(outside));
    const bool stable = memory_.KeepCommon(after);
    outside = memory_.facts();
    if (stable && pointers_stable && state_stable) break;
  }
  return LeaveLoop(id, state);
}

// What the called computation added to the holes, in terms of the caller: its own values are no longer known there, and a loop's
// body ran any number of times.
void Checker::HolesInCaller(InstrId caller, size_t called, const FactTable& before) {
  auto in_caller = [&](Fact& fact) {
    if (fact.holes.whole || fact.holes.is_known()) return true;
    const std::vector<Fact>& others = before.Of(fact.content);
    auto earlier =
        std::ranges::find_if(others, [&](const Fact& other) { return other.range.place == fact.range.place; });
    analysis::Footprint holes = earlier == others.end() ? analysis::Footprint::Nothing() : earlier->holes;
    for (const analysis::StridedRun& run : fact.holes.runs) {
      if (std::ranges::find(holes.runs, run) != holes.runs.end()) continue;
      holes.Include(InCaller(module_, caller, called, analysis::Footprint::Of(run)));
    }
    fact.holes = std::move(holes);
    return true;
  };
  FactTable facts = memory_.facts();
  for (ContentId content : facts.Contents()) facts.Update(content, in_caller);
  memory_.RestoreFacts(std::move(facts));
}

// The results are the state as the last test of the condition leaves it.
Status Checker::LeaveLoop(InstrId id, const LoopState& state) {
  const Instruction& instruction = module_.instruction(id);
  std::vector<ir::Shape> shapes = ArrayLeaves(instruction.shape);
  std::vector<Leaf> results;
  const bool runs = analysis::TripCount(module_, id).value_or(0) > 0;
  const std::vector<analysis::Footprint>& missing = runs ? state.missing_next : state.missing;
  AddState(id, state, missing);
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    TRY(Leaf result, LeafAfterLoop(id, leaf, state.leaves));
    if (result.content == state.leaves[leaf].content)
      memory_.Add(result.content, RangeOf(Slices(id)[leaf], shapes[leaf].byte_size()), missing[leaf]);
    results.push_back(std::move(result));
  }
  IdVector<BufferId, Place> head = pointers_;
  TRY_STATUS(ReplayCalled(id, 0, state.leaves));
  // Pointers that only the condition sets anew are unknown from here on.
  TRY([[maybe_unused]] bool same_pointers, RestorePointers(id, head));
  SetLeaves(id, std::move(results));
  return {};
}

// The state leaf where the plan says that it is after the loop: where it is at the head of an iteration; or in the slot, if the last
// iterations bring it there; or it is one of the initial values, if all that they do is to move pointers.
Result<Leaf> Checker::LeafAfterLoop(InstrId id, size_t leaf, const std::vector<Leaf>& state) {
  const Slice& place = Slices(id)[leaf];
  const Slice& head = HeadSlices(id)[leaf];
  if (place.buffer == head.buffer && place.offset == head.offset) return Leaf{state[leaf].content, {}, place, place};
  const StatePointer* pointer = StatePointerOf(id, head.buffer);
  const std::optional<int64_t> trips = analysis::TripCount(module_, id);
  if (pointer == nullptr || !trips) return Refused(id, "its result is not where its state is");
  size_t from = leaf;
  for (int64_t step = 0; step < std::min(*trips, kMostFollowedSteps); ++step) {
    const StatePointer* moved = StatePointerOf(id, HeadSlices(id)[from].buffer);
    std::optional<size_t> handed_on = HandedOnLeaf(id, from, state);
    bool arrives = moved != nullptr && in_slot_.contains(moved->pointer);
    if (arrives && pointer->slot && place.buffer == *pointer->slot && place.offset == 0)
      return Leaf{state[leaf].content, {}, place, place};
    if (arrives || !handed_on) return Refused(id, "its result is not in the slot that it is said to be in");
    from = *handed_on;
  }
  if (*trips > kMostFollowedSteps) return Refused(id, "its result is not followed through so many iterations");
  Leaf initial = leaves_.at(module_.instruction(id).operands[0])[from];
  if (!(PlaceOf(initial.place) == PlaceOf(place)))
    return Refused(id, "its result is not the initial value that it is said to be");
  initial.place = place;
  return initial;
}

// The bytes of the leaf that no longer hold its content.
analysis::Footprint Checker::Missing(const Leaf& leaf) const {
  const analysis::Footprint part = leaf.part.whole ? analysis::Footprint{} : leaf.part;
  if (memory_.Holds(leaf.content, PlaceOf(leaf.base), part)) return analysis::Footprint::Nothing();
  const Fact* fact = leaf.part.whole ? memory_.Find(leaf.content, PlaceOf(leaf.base)) : nullptr;
  return fact == nullptr ? analysis::Footprint{} : fact->holes;
}

// The state lies at the head of an iteration, except for the missing bytes.
void Checker::AddState(InstrId id, const LoopState& state, const std::vector<analysis::Footprint>& missing) {
  const std::vector<ir::Shape> shapes = ArrayLeaves(module_.shape(id));
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    const Leaf& head = state.leaves[leaf];
    memory_.Add(head.content, RangeOf(head.base, shapes[leaf].byte_size()), missing[leaf]);
  }
}

// What is missing at the back edge is missing at the head of the next iteration: one that reads it is refused. RETURNS whether that is news.
bool Checker::MissMore(LoopState& state) {
  bool is_news = false;
  for (size_t leaf = 0; leaf < state.leaves.size(); ++leaf) {
    if (Covers(state.missing[leaf], state.missing_next[leaf])) continue;
    is_news = true;
    // Known in terms of one iteration, it may be anywhere in the next.
    const bool is_plain = state.missing_next[leaf].is_known() && state.missing[leaf].empty();
    state.missing[leaf] = is_plain ? state.missing_next[leaf] : analysis::Footprint{};
  }
  return is_news;
}

Status Checker::LoopRound(InstrId id, LoopState& state) {
  const Instruction& instruction = module_.instruction(id);
  TRY_STATUS(ReplayCalled(id, 0, state.leaves));
  InstrId test = module_.root(instruction.called[0]);
  TRY_STATUS(RequireHeld(test, leaves_.at(test)[0]));
  TRY_STATUS(ReplayCalled(id, 1, state.leaves));
  return BackEdge(id, state);
}

// Sets the pointers to what they are at the head of the next iteration. Those that inner loops and branches set anew each
// time are unknown there; any other that changed would make the iterations differ. True when nothing new was learned.
Result<bool> Checker::RestorePointers(InstrId id, const IdVector<BufferId, Place>& head) {
  bool stable = true;
  IdVector<BufferId, Place> next = head;
  for (size_t number = 0; number < head.size(); ++number) {
    BufferId variable(number);
    if (pointers_[variable] == head[variable]) continue;
    if (exchanged_[id].contains(variable)) continue;
    if (!set_anew_.contains(variable)) return Refused(id, "an inner loop leaves other pointers than it found");
    if (head[variable].block == unknown_) continue;
    next[variable] = {unknown_, 0};
    stable = false;
  }
  pointers_ = std::move(next);
  return stable;
}

Status Checker::BackEdge(InstrId id, LoopState& loop_state) {
  InstrId root = module_.root(module_.instruction(id).called[1]);
  IdVector<BufferId, Place> before = pointers_;
  TRY(auto after, Moved(plan_.loops.at(id).back_edge, id));
  const std::vector<ir::Shape> shapes = ArrayLeaves(module_.shape(root));
  const std::vector<Leaf>& state = loop_state.leaves;
  loop_state.missing_next.clear();
  for (size_t leaf = 0; leaf < state.size(); ++leaf) {
    loop_state.missing_next.push_back(Missing(leaves_.at(root)[leaf]));
    const Slice& next = Slices(root)[leaf];
    Place from = before[next.buffer];
    from.offset += next.offset;
    Place to = after[state[leaf].base.buffer];
    to.offset += state[leaf].base.offset;
    if (!(from == to)) return Refused(root, fmt::format("state {} is not handed to the next iteration", leaf));
    // Two states in one block would both be overwritten by whoever writes either. Two that stay where they are stay as
    // distinct as they are; of others the iteration has counted with what may be.
    auto stays = [&](size_t which) { return PlaceOf(Slices(root)[which]) == PlaceOf(state[which].base); };
    for (size_t other = 0; other < leaf; ++other) {
      if (stays(leaf) && stays(other)) continue;
      const int64_t bytes = shapes[leaf].byte_size(), other_bytes = shapes[other].byte_size();
      if (memory_.MayOverlap(RangeOf(state[leaf].base, bytes), RangeOf(state[other].base, other_bytes))) continue;
      if (memory_.MayOverlap(RangeOf(next, bytes), RangeOf(Slices(root)[other], other_bytes)))
        return Refused(root, "two states end in one buffer");
    }
  }
  return CheckPointerMoves(id, before, after);
}

// Pointers after a conditional. A variable that differs between branches may be at any of the places; two that lie apart in
// every branch lie apart afterwards.
void Checker::JoinPointers(const std::vector<IdVector<BufferId, Place>>& ends) {
  auto range_in = [&](const IdVector<BufferId, Place>& end, BufferId variable) {
    return ByteRange{end[variable], plan_.buffers[variable].bytes};
  };
  pointers_ = ends.front();
  std::vector<std::pair<int64_t, std::vector<BufferId>>> groups;  // permutation number, members
  for (size_t number = 0; number < plan_.buffers.size(); ++number) {
    BufferId variable(number);
    Block block{true, true, {}, 0};
    for (const auto& end : ends) {
      ByteRange range = range_in(end, variable);
      bool known =
          std::ranges::any_of(block.underlying, [&](const ByteRange& place) { return place.place == range.place; });
      if (!known) block.underlying.push_back(range);
      for (const ByteRange& real : memory_.Underlying(range)) {
        block.writable = block.writable && memory_.block(real.place.block).writable;
        block.returnable = block.returnable && memory_.block(real.place.block).returnable;
      }
    }
    if (block.underlying.size() == 1) continue;
    auto lies_apart = [&](BufferId other) {
      return std::ranges::all_of(
          ends, [&](const auto& end) { return !memory_.MayOverlap(range_in(end, variable), range_in(end, other)); });
    };
    auto group =
        std::ranges::find_if(groups, [&](const auto& known) { return std::ranges::all_of(known.second, lies_apart); });
    if (group == groups.end()) group = groups.insert(groups.end(), {next_permutation_++, {}});
    group->second.push_back(variable);
    block.permutation = group->first;
    pointers_[variable] = {memory_.AddBlock(std::move(block)), 0};
  }
}

Status Checker::Branches(InstrId id) {
  const Instruction& instruction = module_.instruction(id);
  auto found = plan_.branches.find(id);
  if (found == plan_.branches.end() || found->second.ends.size() != instruction.called.size()) {
    return Refused(id, "the branches have no plan");
  }
  InstrId predicate = instruction.operands[0];
  TRY_STATUS(RequireHeld(id, leaves_.at(predicate)[0]));
  std::vector<ir::Shape> shapes = ArrayLeaves(instruction.shape);
  std::vector<ContentId> results;
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) results.push_back(NewContent());

  // The bytes of each result that are not there after some branch: whoever reads them is refused.
  std::vector<analysis::Footprint> missing(shapes.size(), analysis::Footprint::Nothing());
  const FactTable before = memory_.facts();
  const IdVector<BufferId, Place> entry_pointers = pointers_;
  std::vector<FactTable> ends;
  std::vector<IdVector<BufferId, Place>> end_pointers;
  for (size_t branch = 0; branch < instruction.called.size(); ++branch) {
    memory_.RestoreFacts(before);
    pointers_ = entry_pointers;
    TRY_STATUS(ReplayCalled(id, branch, leaves_.at(instruction.operands[branch + 1])));
    InstrId root = module_.root(instruction.called[branch]);
    TRY(auto moved, Moved(found->second.ends[branch], id));
    std::vector<analysis::Footprint> missing_here;
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      missing_here.push_back(Missing(leaves_.at(root)[leaf]));
      Place result = moved[Slices(id)[leaf].buffer];
      result.offset += Slices(id)[leaf].offset;
      if (!(result == PlaceOf(Slices(root)[leaf])))
        return Refused(root, fmt::format("result {} is not handed over", leaf));
    }
    pointers_ = std::move(moved);
    HolesInCaller(id, branch, before);
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      const analysis::Footprint holes = InCaller(module_, id, branch, missing_here[leaf]);
      memory_.Add(results[leaf], RangeOf(Slices(id)[leaf], shapes[leaf].byte_size()), holes);
      missing[leaf].Include(holes);
    }
    ends.push_back(memory_.facts());
    end_pointers.push_back(pointers_);
  }
  memory_.RestoreFacts(ends.front());
  for (const FactTable& end : ends) memory_.KeepCommon(end);
  JoinPointers(end_pointers);
  std::vector<Leaf> leaves;
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    memory_.Add(results[leaf], RangeOf(Slices(id)[leaf], shapes[leaf].byte_size()), missing[leaf]);
    leaves.push_back({results[leaf], {}, Slices(id)[leaf], Slices(id)[leaf]});
  }
  SetLeaves(id, std::move(leaves));
  return {};
}

}  // namespace stead::inplace::check
