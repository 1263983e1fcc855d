#include "trials/damage.h"

#include <algorithm>

#include "inplace/cost.h"

namespace stead::trials {

using inplace::Buffer;
using inplace::BufferId;
using inplace::BufferPlan;
using inplace::PointerMove;
using inplace::Slice;
using ir::InstrId;
using Random = std::mt19937_64;

namespace {

size_t Below(Random& random, size_t limit) { return static_cast<size_t>(random() % limit); }

template <typename Item>
Item* AnyOf(std::vector<Item>& items, Random& random) {
  return items.empty() ? nullptr : &items[Below(random, items.size())];
}

BufferId AnyBuffer(const BufferPlan& plan, Random& random) { return BufferId(Below(random, plan.buffers.size())); }

std::vector<std::vector<PointerMove>*> AllMoves(BufferPlan& plan) {
  std::vector<std::vector<PointerMove>*> all;
  for (auto& [id, loop] : plan.loops) {
    all.push_back(&loop.entry);
    all.push_back(&loop.back_edge);
  }
  for (auto& [id, branches] : plan.branches) {
    for (std::vector<PointerMove>& end : branches.ends) all.push_back(&end);
  }
  std::erase_if(all, [](const std::vector<PointerMove>* moves) { return moves->empty(); });
  return all;
}

std::vector<PointerMove>* AnyMoves(BufferPlan& plan, Random& random) {
  std::vector<std::vector<PointerMove>*> all = AllMoves(plan);
  return all.empty() ? nullptr : all[Below(random, all.size())];
}

// Whatever lies in `from` now lies in `to`.
void Redirect(BufferPlan& plan, BufferId from, const Slice& to) {
  auto redirect = [&](Slice& slice) {
    if (slice.buffer == from) slice = {to.buffer, slice.offset + to.offset};
  };
  for (std::vector<Slice>& slices : plan.placements) std::ranges::for_each(slices, redirect);
  std::ranges::for_each(plan.results, redirect);
  for (std::vector<PointerMove>* moves : AllMoves(plan)) {
    for (PointerMove& move : *moves) {
      if (move.target == from) move.target = to.buffer;
      if (move.source == from) move.source = to.buffer;
    }
  }
}

// --- memory and order ---

// The copy is taken out: its users work on the original.
bool DropCopy(BufferPlan& plan, Random& random) {
  if (plan.copies.empty()) return false;
  size_t number = Below(random, plan.copies.size());
  InstrId copy = plan.copies[number].copy, operand = plan.module.operand(copy, 0);
  if (plan.placements[copy].empty() || plan.module.shape(copy) != plan.module.shape(operand)) return false;
  if (plan.module.root(plan.module.instruction(copy).computation) == copy) return false;
  Slice place = plan.placements[copy][0];
  plan.lower_bound_bytes -= inplace::CopiedBytes(plan);
  plan.copies.erase(plan.copies.begin() + static_cast<std::ptrdiff_t>(number));
  plan.lower_bound_bytes += inplace::CopiedBytes(plan);
  Redirect(plan, place.buffer, plan.placements[operand][0]);
  plan.module.ReplaceAllUses(copy, operand);
  plan.module.Erase(copy);
  return true;
}

struct Order {
  ir::ComputationId computation;
  std::vector<InstrId> steps;
};

// Of a computation with at least two steps, if there is one.
Order AnyOrder(BufferPlan& plan, Random& random) {
  std::vector<ir::ComputationId> planned;
  for (ir::ComputationId id : plan.module.ComputationsPostOrder()) {
    const std::vector<InstrId>& instructions = plan.module.computation(id).instructions;
    bool is_planned =
        std::ranges::any_of(instructions, [&](InstrId member) { return !plan.placements[member].empty(); });
    if (is_planned && instructions.size() > 1) planned.push_back(id);
  }
  if (planned.empty()) return {};
  ir::ComputationId computation = planned[Below(random, planned.size())];
  return {computation, plan.module.computation(computation).instructions};
}

// Two steps change places; mostly near ones, over a dependence, a barrier or a control edge now and then.
bool SwapSteps(BufferPlan& plan, Random& random) {
  auto [computation, order] = AnyOrder(plan, random);
  if (order.empty()) return false;
  size_t first = Below(random, order.size()), second = std::min(first + 1 + Below(random, 4), order.size() - 1);
  if (first == second) return false;
  std::swap(order[first], order[second]);
  plan.module.Reorder(computation, order);
  return true;
}

// A reader after the writer of what it reads, with everything that uses it: a legal order of the program, but not of the plan.
bool DelayStep(BufferPlan& plan, Random& random) {
  auto [computation, order] = AnyOrder(plan, random);
  if (order.empty()) return false;
  size_t at = Below(random, order.size());
  size_t last = at;
  auto depends = [&](InstrId later) {
    const ir::Instruction& instruction = plan.module.instruction(later);
    return std::ranges::count(instruction.operands, order[last]) +
               std::ranges::count(instruction.control_predecessors, order[last]) >
           0;
  };
  for (; last + 1 < order.size() && !depends(order[last + 1]); ++last) std::swap(order[last], order[last + 1]);
  if (last == at) return false;
  plan.module.Reorder(computation, order);
  return true;
}

bool DropControlEdgeAndSwap(BufferPlan& plan, Random& random) {
  std::vector<InstrId> held;
  for (size_t number = 0; number < plan.module.instruction_count(); ++number) {
    const ir::Instruction& instruction = plan.module.instruction(InstrId(number));
    if (!instruction.erased && !instruction.control_predecessors.empty()) held.push_back(InstrId(number));
  }
  InstrId* later = AnyOf(held, random);
  if (later == nullptr) return false;
  ir::ComputationId computation = plan.module.instruction(*later).computation;
  std::vector<InstrId> order = plan.module.computation(computation).instructions;
  auto first = std::ranges::find(order, plan.module.instruction(*later).control_predecessors[0]);
  auto second = std::ranges::find(order, *later);
  if (first == order.end() || second == order.end()) return false;
  std::iter_swap(first, second);
  plan.module.SetControlPredecessors(*later, {});
  plan.module.Reorder(computation, order);
  return true;
}

bool ShareBuffer(BufferPlan& plan, Random& random) {
  BufferId from = AnyBuffer(plan, random), to = AnyBuffer(plan, random);
  if (from == to || plan.buffers[from].bytes > plan.buffers[to].bytes) return false;
  if (plan.buffers[from].kind == Buffer::Kind::kParameter || plan.buffers[from].kind == Buffer::Kind::kConstant)
    return false;
  Redirect(plan, from, {to, 0});
  return true;
}

// The bytes of the memory that a scratch buffer lies in.
int64_t RoomFor(const BufferPlan& plan, BufferId scratch) {
  BufferId host = plan.buffers[scratch].host;
  return host.valid() ? plan.buffers[host].bytes : plan.arena_bytes;
}

bool ShareScratch(BufferPlan& plan, Random& random) {
  BufferId one = AnyBuffer(plan, random), other = AnyBuffer(plan, random);
  if (one == other || plan.buffers[one].kind != Buffer::Kind::kScratch ||
      plan.buffers[other].kind != Buffer::Kind::kScratch)
    return false;
  if (plan.buffers[one].scratch_offset == plan.buffers[other].scratch_offset) return false;
  plan.buffers[one].scratch_offset = plan.buffers[other].scratch_offset;
  plan.buffers[one].host = plan.buffers[other].host;
  return plan.buffers[one].scratch_offset + plan.buffers[one].bytes <= RoomFor(plan, one);
}

bool ShiftScratch(BufferPlan& plan, Random& random) {
  BufferId one = AnyBuffer(plan, random);
  if (plan.buffers[one].kind != Buffer::Kind::kScratch) return false;
  constexpr int64_t kSteps[] = {-64, -4, 4, 64};
  int64_t next = plan.buffers[one].scratch_offset + kSteps[Below(random, std::size(kSteps))];
  if (next < 0 || next + plan.buffers[one].bytes > RoomFor(plan, one)) return false;
  plan.buffers[one].scratch_offset = next;
  return true;
}

bool MovePlace(BufferPlan& plan, Random& random) {
  std::vector<Slice>& slices = plan.placements[InstrId(Below(random, plan.placements.size()))];
  Slice* slice = AnyOf(slices, random);
  if (slice == nullptr) return false;
  Slice next{AnyBuffer(plan, random), 0};
  if (random() % 3 == 0) next = {slice->buffer, slice->offset + 4 * static_cast<int64_t>(1 + Below(random, 16))};
  if (next.buffer == slice->buffer && next.offset == slice->offset) return false;
  *slice = next;
  return true;
}

bool SwapResults(BufferPlan& plan, Random& random) {
  if (plan.results.size() < 2) return false;
  size_t first = Below(random, plan.results.size()), second = Below(random, plan.results.size());
  if (first == second) return false;
  std::swap(plan.results[first], plan.results[second]);
  if (random() % 2 == 0) {
    std::vector<Slice>& root = plan.placements[plan.module.root(plan.module.entry)];
    std::swap(root[first], root[second]);
  }
  return true;
}

// A result is handed out in a donated buffer, or in any other, that it is not in.
bool PairWrongly(BufferPlan& plan, Random& random) {
  Slice* result = AnyOf(plan.results, random);
  BufferId buffer = AnyBuffer(plan, random);
  if (result == nullptr || result->buffer == buffer) return false;
  *result = {buffer, 0};
  return true;
}

// The caller's array is taken for a donated one, and something is built in it.
bool ClaimDonation(BufferPlan& plan, Random& random) {
  BufferId parameter = AnyBuffer(plan, random), other = AnyBuffer(plan, random);
  if (plan.buffers[parameter].kind != Buffer::Kind::kParameter || plan.buffers[parameter].donated) return false;
  plan.buffers[parameter].donated = true;
  bool is_own = plan.buffers[other].kind == Buffer::Kind::kOwned || plan.buffers[other].kind == Buffer::Kind::kScratch;
  if (is_own && plan.buffers[other].bytes == plan.buffers[parameter].bytes) Redirect(plan, other, {parameter, 0});
  return true;
}

bool ExchangeConstants(BufferPlan& plan, Random& random) {
  BufferId one = AnyBuffer(plan, random), other = AnyBuffer(plan, random);
  if (one == other || plan.buffers[one].kind != Buffer::Kind::kConstant ||
      plan.buffers[other].kind != Buffer::Kind::kConstant)
    return false;
  std::swap(plan.buffers[one].constant, plan.buffers[other].constant);
  return true;
}

bool DropMove(BufferPlan& plan, Random& random) {
  std::vector<PointerMove>* moves = AnyMoves(plan, random);
  if (moves == nullptr) return false;
  moves->erase(moves->begin() + static_cast<std::ptrdiff_t>(Below(random, moves->size())));
  return true;
}

bool ExchangeMoves(BufferPlan& plan, Random& random) {
  std::vector<PointerMove>* moves = AnyMoves(plan, random);
  if (moves == nullptr || moves->size() < 2) return false;
  PointerMove &one = *AnyOf(*moves, random), &other = *AnyOf(*moves, random);
  if (one.source == other.source) return false;
  std::swap(one.source, other.source);
  return true;
}

bool RedirectMove(BufferPlan& plan, Random& random) {
  std::vector<PointerMove>* moves = AnyMoves(plan, random);
  if (moves == nullptr) return false;
  PointerMove& move = *AnyOf(*moves, random);
  BufferId buffer = AnyBuffer(plan, random);
  if (move.source == buffer) return false;
  move.source = buffer;
  return true;
}

// Pointers change places although the program's values do not.
bool AddMove(BufferPlan& plan, Random& random) {
  BufferId one = AnyBuffer(plan, random), other = AnyBuffer(plan, random);
  if (one == other || plan.buffers[one].bytes != plan.buffers[other].bytes) return false;
  std::vector<std::vector<PointerMove>*> all;
  for (auto& [id, loop] : plan.loops) all.push_back(&loop.back_edge);
  for (auto& [id, branches] : plan.branches) {
    for (std::vector<PointerMove>& end : branches.ends) all.push_back(&end);
  }
  if (all.empty()) return false;
  std::vector<PointerMove>& moves = *all[Below(random, all.size())];
  moves.push_back({one, other, 0});
  moves.push_back({other, one, 0});
  return true;
}

// --- books ---

inplace::CopyRecord* AnyRecord(BufferPlan& plan, Random& random) { return AnyOf(plan.copies, random); }

bool WrongReason(BufferPlan& plan, Random& random) {
  inplace::CopyRecord* record = AnyRecord(plan, random);
  if (record == nullptr) return false;
  auto next = static_cast<ir::CopyReason>(Below(random, 13));
  if (next == record->reason) return false;
  record->reason = next;
  return true;
}

bool WrongBytes(BufferPlan& plan, Random& random) {
  inplace::CopyRecord* record = AnyRecord(plan, random);
  if (record == nullptr) return false;
  record->bytes /= 2;
  return true;
}

bool WrongExecutions(BufferPlan& plan, Random& random) {
  inplace::CopyRecord* record = AnyRecord(plan, random);
  if (record == nullptr) return false;
  record->executions += 1;
  return true;
}

bool DropRecord(BufferPlan& plan, Random& random) {
  if (plan.copies.empty()) return false;
  plan.copies.erase(plan.copies.begin() + static_cast<std::ptrdiff_t>(Below(random, plan.copies.size())));
  return true;
}

bool RepeatRecord(BufferPlan& plan, Random& random) {
  inplace::CopyRecord* record = AnyRecord(plan, random);
  if (record == nullptr) return false;
  plan.copies.push_back(inplace::CopyRecord(*record));
  return true;
}

bool RaiseBound(BufferPlan& plan, Random&) {
  // Of a plan that is not proved to be the best, any smaller number of bytes may be the bound.
  if (!plan.exact) return false;
  plan.lower_bound_bytes += 4;
  return true;
}

bool LowerBound(BufferPlan& plan, Random&) {
  if (plan.lower_bound_bytes == 0 || !plan.exact) return false;
  plan.lower_bound_bytes -= 4;
  return true;
}

bool WrongDonation(BufferPlan& plan, Random& random) {
  if (plan.donations.empty()) return false;
  inplace::Donation& donation = *AnyOf(plan.donations, random);
  (random() % 2 == 0 ? donation.result_leaf : donation.parameter_leaf) += 1;
  return true;
}

constexpr Damage kMemory[] = {{"drop a copy", DropCopy},
                              {"swap steps", SwapSteps},
                              {"delay a step", DelayStep},
                              {"drop a control edge and swap", DropControlEdgeAndSwap},
                              {"share a buffer", ShareBuffer},
                              {"share scratch", ShareScratch},
                              {"shift scratch", ShiftScratch},
                              {"move a place", MovePlace},
                              {"swap results", SwapResults},
                              {"pair a result wrongly", PairWrongly},
                              {"claim a donation", ClaimDonation},
                              {"exchange constants", ExchangeConstants},
                              {"drop a pointer move", DropMove},
                              {"exchange pointer moves", ExchangeMoves},
                              {"redirect a pointer move", RedirectMove},
                              {"add pointer moves", AddMove}};

constexpr Damage kBooks[] = {{"wrong reason", WrongReason},         {"wrong bytes", WrongBytes},
                             {"wrong executions", WrongExecutions}, {"drop a record", DropRecord},
                             {"repeat a record", RepeatRecord},     {"raise the bound", RaiseBound},
                             {"lower the bound", LowerBound},       {"wrong donation", WrongDonation}};

}  // namespace

std::span<const Damage> DamageToMemory() { return kMemory; }
std::span<const Damage> DamageToBooks() { return kBooks; }

}  // namespace stead::trials
