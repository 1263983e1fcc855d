// An independent proof of a BufferPlan. It replays the order of every computation on symbolic memory (check/memory.h) and
// refuses the plan at the first read that would not see the value the module names.
//
//   The value of an instruction's leaf is a Content. Forwarding ops (tuple, reshape, barrier, ...) and copies have the content
//   of their operand; a slice placed on its operand's bytes is a Region of the operand's content. Executing an op:
//     reads   each operand leaf must hold its content in the region that analysis/effects says is read;
//     writes  the block must be writable; a result that overlaps an operand of the same op needs a tie that allows it
//             (elementwise, window or declared); an op that changes only a window must be in place, because anything else
//             would be a copy that is not an instruction.
//   Loops. Pointers exchanged at the back edge must be a permutation of distinct buffers of equal size, so one iteration
//   stands for all: the variables concerned get fresh blocks (one of the ranges, unknown which). State may also be a pointer
//   that starts at its initial value and goes on to that of others, or to a slot that moves with it: a block that stands for all of
//   these. If its result is said to be in the slot, or to be an initial value, the known trip count must bring it there. The body is replayed until
//   the facts that survive it are stable; the back edge must re-establish the state's contents. Bytes of an initial value that are gone
//   when the loop starts are missing from the state until an iteration makes it anew: one that reads them is refused. Branches are replayed from one
//   state each and joined: only what holds in all of them holds afterwards.
//   Results must be whole and lie in pairwise distinct memory that may leave the program. What the plan says of itself, copies
//   and their certificate included, must be so (check/books.cpp).
//
//   Shares nothing with the planner but analysis/effects and trip counts. Cost: instructions x rounds of loops (at most a few), and the values
//   that live across each loop or branch.
//   Rejects some plans that are right (pointers that only happen to be equal); never accepts one that reads a wrong value.
#include "inplace/check/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace stead::inplace::check {

using analysis::Effects;
using analysis::Footprint;
using analysis::Tie;
using analysis::TieKind;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

std::vector<ir::Shape> ArrayLeaves(const ir::Shape& shape) {
  std::vector<ir::Shape> leaves;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    if (leaf.is_array()) leaves.push_back(leaf);
  });
  return leaves;
}

namespace {

// Number of the array leaf at `index` within `shape`.
size_t LeafNumber(const ir::Shape& shape, const ir::ShapeIndex& index) {
  size_t number = 0, found = 0;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex& leaf_index, const ir::Shape& leaf) {
    if (leaf_index == index) found = number;
    if (leaf.is_array()) ++number;
  });
  return found;
}

size_t LeavesBefore(const ir::Shape& tuple, int64_t element) {
  size_t count = 0;
  for (int64_t before = 0; before < element; ++before) count += ArrayLeaves(tuple.elements[before]).size();
  return count;
}

}  // namespace

void Checker::MakeBlocks() {
  BlockId arena = memory_.AddBlock({true, false, {}, 0});
  unknown_ = memory_.AddBlock({false, false, {}, 0});
  for (const auto& [id, loop] : plan_.loops) {
    for (const PointerMove& move : loop.entry) set_anew_.insert(move.target);
  }
  for (const auto& [id, branch] : plan_.branches) {
    for (const auto& moves : branch.ends) {
      for (const PointerMove& move : SetAnew(moves)) set_anew_.insert(move.target);
    }
  }
  pointers_.resize(plan_.buffers.size());
  for (size_t number = 0; number < plan_.buffers.size(); ++number) {
    BufferId id(number);
    const Buffer& buffer = plan_.buffers[id];
    switch (buffer.kind) {
      case Buffer::Kind::kScratch: pointers_[id] = {arena, buffer.scratch_offset}; break;
      case Buffer::Kind::kParameter:
        pointers_[id] = {memory_.AddBlock({buffer.donated, buffer.donated, {}, 0}), 0};
        break;
      case Buffer::Kind::kConstant: pointers_[id] = {memory_.AddBlock({false, false, {}, 0}), 0}; break;
      case Buffer::Kind::kPointer: pointers_[id] = {unknown_, 0}; break;
      case Buffer::Kind::kOwned: pointers_[id] = {memory_.AddBlock({true, true, {}, 0}), 0}; break;
    }
  }
  for (size_t number = 0; number < plan_.buffers.size(); ++number) {
    const Buffer& buffer = plan_.buffers[BufferId(number)];
    if (buffer.host.valid()) pointers_[BufferId(number)] = {pointers_[buffer.host].block, buffer.scratch_offset};
  }
  initial_pointers_ = pointers_;
}

// In the order of each computation.
void Checker::FindLastUsers() {
  last_users_.resize(module_.instruction_count());
  ran_.resize(module_.instruction_count(), false);
  for (ir::ComputationId computation : module_.ComputationsPostOrder()) {
    for (InstrId id : module_.computation(computation).instructions) {
      for (InstrId operand : module_.instruction(id).operands) last_users_[operand] = id;
    }
  }
}

void Checker::SetLeaves(InstrId id, std::vector<Leaf> leaves) {
  for (ContentId content : leaves_.Set(id, std::move(leaves))) memory_.Forget(content);
}

void Checker::ReleaseLeaves(InstrId id) {
  for (ContentId content : leaves_.Release(id)) memory_.Forget(content);
}

// What a computation starts from and what it ends with are the business of whoever called it.
bool Checker::IsAskedForByCaller(InstrId id) const {
  const Instruction& instruction = module_.instruction(id);
  bool is_called = instruction.computation != module_.entry;
  return module_.root(instruction.computation) == id || (is_called && instruction.opcode == Opcode::kParameter);
}

// Nobody asks for these values again after this step.
void Checker::ReleaseAfter(InstrId id) {
  for (InstrId operand : module_.instruction(id).operands) {
    if (last_users_[operand] == id && !IsAskedForByCaller(operand)) ReleaseLeaves(operand);
  }
  if (!last_users_[id].valid() && !IsAskedForByCaller(id)) ReleaseLeaves(id);
}

// The loop or conditional is done with the computations that it called.
void Checker::ReleaseCalled(InstrId caller) {
  for (ir::ComputationId called : module_.instruction(caller).called) {
    for (InstrId parameter : module_.computation(called).parameters) ReleaseLeaves(parameter);
    ReleaseLeaves(module_.root(called));
  }
}

// Every placed leaf lies inside its buffer.
Status Checker::CheckPlacements() const {
  for (size_t number = 0; number < plan_.placements.size(); ++number) {
    InstrId id(number);
    const Instruction& instruction = module_.instruction(id);
    if (instruction.erased || Slices(id).empty()) continue;
    std::vector<ir::Shape> shapes = ArrayLeaves(instruction.shape);
    if (shapes.size() != Slices(id).size()) return Refused(id, "not every leaf has a place");
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      const Slice& slice = Slices(id)[leaf];
      if (slice.offset < 0 || slice.offset + shapes[leaf].byte_size() > plan_.buffers[slice.buffer].bytes) {
        return Refused(id, fmt::format("leaf {} does not fit its buffer", leaf));
      }
    }
  }
  return {};
}

Status Checker::RequireHeld(InstrId reader, const Leaf& leaf, const Footprint& bytes) const {
  // A slice view is read where its operand's content must still be.
  Footprint read = leaf.part.whole ? bytes : leaf.part;
  if (memory_.Holds(leaf.content, PlaceOf(leaf.base), read)) return {};
  // What was overwritten before a loop or branch began is known in terms of the caller's values.
  for (auto call = calls_.rbegin(); call != calls_.rend() && !read.whole; ++call) {
    read = counters_.ByIteration(InCaller(module_, call->caller, call->called, read));
    if (memory_.Holds(leaf.content, PlaceOf(leaf.base), read)) return {};
  }
  return Refused(reader, "it reads a value that is no longer where the plan says");
}

Status Checker::Forward(InstrId id) {
  const Instruction& instruction = module_.instruction(id);
  std::vector<Leaf> leaves;
  std::vector<Slice> places;
  auto append = [&](InstrId operand, size_t first, size_t count) {
    for (size_t leaf = first; leaf < first + count; ++leaf) {
      leaves.push_back(leaves_.at(operand)[leaf]);
      places.push_back(Slices(operand)[leaf]);
    }
  };
  if (instruction.opcode == Opcode::kGetTupleElement) {
    InstrId tuple = instruction.operands[0];
    int64_t element = instruction.As<ir::TupleElementAttributes>().index;
    append(tuple, LeavesBefore(module_.shape(tuple), element), ArrayLeaves(instruction.shape).size());
  } else {
    size_t forwarded = instruction.opcode == Opcode::kTuple ? instruction.operands.size() : 1;
    for (size_t operand = 0; operand < forwarded; ++operand) {
      InstrId from = instruction.operands[operand];
      append(from, 0, leaves_.at(from).size());
    }
  }
  if (places.size() != Slices(id).size()) return Refused(id, "not every leaf has a place");
  for (size_t leaf = 0; leaf < places.size(); ++leaf) {
    const Slice& own = Slices(id)[leaf];
    if (!(PlaceOf(own) == PlaceOf(places[leaf]))) {
      return Refused(id, "it forwards its operand, but is placed elsewhere: a copy that is not an instruction");
    }
  }
  SetLeaves(id, std::move(leaves));
  return {};
}

// A slice whose bytes are a part of its operand's.
Status Checker::SliceView(InstrId id) {
  const Instruction& instruction = module_.instruction(id);
  InstrId operand = instruction.operands[0];
  const ir::Shape& from = module_.shape(operand);
  const auto& attributes = instruction.As<ir::SliceAttributes>();
  const Leaf& whole = leaves_.at(operand)[0];
  if (!from.is_row_major()) return Refused(id, "a view of a transposed layout");
  std::vector<int64_t> strides = ir::RowMajorStrides(from.dimensions);
  int64_t offset = 0;
  bool inner_is_whole = true;
  for (int64_t dim = from.rank() - 1; dim >= 0; --dim) {
    int64_t extent = instruction.shape.dimensions[dim];
    if (extent != 1 && (attributes.strides[dim] != 1 || !inner_is_whole))
      return Refused(id, "its bytes are not contiguous");
    if (extent != from.dimensions[dim]) inner_is_whole = false;
    offset += attributes.starts[dim] * strides[dim] * ir::ElementBytes(from.element_type);
  }
  Place expected = PlaceOf(Slices(operand)[0]);
  expected.offset += offset;
  if (!(PlaceOf(Slices(id)[0]) == expected)) return Refused(id, "the view does not start where the slice starts");
  Leaf view = whole;
  view.place = Slices(id)[0];
  // A part of a view reads no more than the view itself.
  if (whole.part.whole) view.part = EffectsOf(id).reads[0].bytes;
  SetLeaves(id, {std::move(view)});
  return {};
}

// A dynamic-slice whose pointer goes somewhere into its operand's bytes: reading it may read any that the slice may take.
Status Checker::DynamicSliceView(InstrId id) {
  const Instruction& instruction = module_.instruction(id);
  InstrId operand = instruction.operands[0];
  const ir::Shape& from = module_.shape(operand);
  const Slice& own = Slices(id)[0];
  if (plan_.buffers[own.buffer].kind != Buffer::Kind::kPointer || own.offset != 0 || set_anew_.contains(own.buffer))
    return Refused(id, "the window has no pointer of its own");
  auto [window, fresh] = windows_.try_emplace(own.buffer, Window{id, from.byte_size()});
  if (!fresh && window->second.slice != id) return Refused(id, "two windows share a pointer");
  if (!from.is_row_major()) return Refused(id, "a view of a transposed layout");
  bool inner_is_whole = true;
  for (int64_t dim = from.rank() - 1; dim >= 0; --dim) {
    int64_t extent = instruction.shape.dimensions[dim];
    if (extent != 1 && !inner_is_whole) return Refused(id, "its bytes are not contiguous");
    if (extent != from.dimensions[dim]) inner_is_whole = false;
  }
  if (!(PlaceOf(plan_.windows.at(id)) == PlaceOf(Slices(operand)[0])))
    return Refused(id, "the window is not taken from where its operand lies");
  for (size_t start = 1; start < instruction.operands.size(); ++start)
    TRY_STATUS(RequireHeld(id, leaves_.at(instruction.operands[start])[0]));
  Leaf view = leaves_.at(operand)[0];
  if (view.part.whole) {
    view.part = EffectsOf(id).reads[0].bytes;
    view.base = plan_.windows.at(id);
  }
  view.place = own;
  SetLeaves(id, {std::move(view)});
  return {};
}

// Where a read of an operand's leaf may touch bytes: at its place, or anywhere in the array that its pointer goes into.
ByteRange Checker::ReadRange(InstrId operand, size_t leaf, int64_t bytes) const {
  auto window = windows_.find(Slices(operand)[leaf].buffer);
  if (window == windows_.end()) return RangeOf(Slices(operand)[leaf], bytes);
  return RangeOf(leaves_.at(operand)[leaf].base, window->second.bytes);
}

Status Checker::CheckReads(InstrId id, const Effects& effects) {
  const Instruction& instruction = module_.instruction(id);
  for (size_t operand = 0; operand < instruction.operands.size(); ++operand) {
    if (!effects.reads[operand].reads) continue;
    InstrId from = instruction.operands[operand];
    std::vector<ir::Shape> shapes = ArrayLeaves(module_.shape(from));
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      TRY_STATUS(RequireHeld(id, leaves_.at(from)[leaf], effects.reads[operand].bytes));
    }
  }
  return {};
}

const Tie* Checker::TieOf(const Instruction& instruction, const Effects& effects, size_t operand, size_t operand_leaf,
                          size_t result_leaf) const {
  for (const Tie& tie : effects.ties) {
    if (tie.operand != static_cast<int64_t>(operand)) continue;
    if (LeafNumber(module_.shape(instruction.operands[operand]), tie.operand_index) != operand_leaf) continue;
    if (LeafNumber(instruction.shape, tie.result_index) == result_leaf) return &tie;
  }
  return nullptr;
}

Status Checker::CheckWrite(InstrId id, const Effects& effects, size_t result_leaf) {
  const Instruction& instruction = module_.instruction(id);
  ir::Shape shape = ArrayLeaves(instruction.shape)[result_leaf];
  ByteRange range = RangeOf(Slices(id)[result_leaf], shape.byte_size());
  for (const ByteRange& real : memory_.Underlying(range)) {
    if (!memory_.block(real.place.block).writable)
      return Refused(id, "it writes memory that is the caller's or constant");
  }
  const Tie* window = nullptr;
  for (size_t operand = 0; operand < instruction.operands.size(); ++operand) {
    InstrId from = instruction.operands[operand];
    std::vector<ir::Shape> shapes = ArrayLeaves(module_.shape(from));
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      ByteRange operand_range = ReadRange(from, leaf, shapes[leaf].byte_size());
      const Tie* tie = TieOf(instruction, effects, operand, leaf, result_leaf);
      bool same = operand_range.place == range.place && operand_range.bytes == range.bytes;
      // In the first iteration the operand may still lie apart, which ops that go element by element do not mind.
      bool follows = tie != nullptr && tie->kind == TieKind::kElementwise && operand_range.bytes == range.bytes &&
                     operand_range.place.offset == 0 && memory_.block(operand_range.place.block).follows == range.place;
      bool keeps_bytes = tie != nullptr && KeepsBytes(tie->kind);
      if (keeps_bytes && !same)
        return Refused(id, "it changes its operand in part but is placed elsewhere: a hidden copy");
      if (!memory_.MayOverlap(operand_range, range)) continue;
      if (tie == nullptr && !effects.reads[operand].reads) continue;
      // What it reads here is not what it changes of the same bytes.
      bool reads_elsewhere = std::ranges::any_of(effects.ties, [&](const Tie& other) {
        return other.kind == TieKind::kWindow && LeafNumber(instruction.shape, other.result_index) == result_leaf &&
               Disjoint(effects.reads[operand].bytes, other.written);
      });
      if (tie == nullptr && reads_elsewhere && (same || memory_.AreSameOrApart(operand_range, range))) continue;
      if (tie == nullptr || !(same || follows))
        return Refused(id, fmt::format("it overwrites operand {} while reading it", operand));
      if (keeps_bytes) window = tie;
    }
  }
  if (window != nullptr) {
    InstrId from = instruction.operands[static_cast<size_t>(window->operand)];
    size_t leaf = LeafNumber(module_.shape(from), window->operand_index);
    const Leaf& old_value = leaves_.at(from)[leaf];
    const Fact* fact = old_value.part.whole ? memory_.Find(old_value.content, range.place) : nullptr;
    if (fact == nullptr || !fact->holes.empty())
      return Refused(id, "the bytes that it keeps are no longer those of its operand");
    memory_.OverwritePart(range, window->written);
  } else {
    memory_.Overwrite(range);
  }
  return {};
}

// Windows that a loop's counter places are known by its iteration.
Effects Checker::EffectsOf(InstrId id) const {
  Effects effects = analysis::EffectsOf(module_, id);
  for (analysis::OperandRead& read : effects.reads) read.bytes = counters_.ByIteration(read.bytes);
  for (Tie& tie : effects.ties) tie.written = counters_.ByIteration(tie.written);
  return effects;
}

Status Checker::Execute(InstrId id, const Effects& effects) {
  const Instruction& instruction = module_.instruction(id);
  if (effects.reads.size() != instruction.operands.size()) return Refused(id, "its effects do not cover its operands");
  TRY_STATUS(CheckReads(id, effects));
  std::vector<ir::Shape> shapes = ArrayLeaves(instruction.shape);
  if (Slices(id).size() != shapes.size()) return Refused(id, "it has no place");
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    for (size_t other = 0; other < leaf; ++other) {
      if (memory_.MayOverlap(RangeOf(Slices(id)[leaf], shapes[leaf].byte_size()),
                             RangeOf(Slices(id)[other], shapes[other].byte_size()))) {
        return Refused(id, "two of its results share memory");
      }
    }
    TRY_STATUS(CheckWrite(id, effects, leaf));
  }
  std::vector<Leaf> leaves;
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    // A copy is the same content elsewhere, unless it takes a part (a slice view) and so makes that part a value of its own.
    const Leaf* source = instruction.opcode == Opcode::kCopy ? &leaves_.at(instruction.operands[0])[leaf] : nullptr;
    bool same_content =
        source != nullptr && source->part.whole && module_.shape(instruction.operands[0]) == instruction.shape;
    ContentId content = same_content ? source->content : NewContent();
    memory_.Add(content, RangeOf(Slices(id)[leaf], shapes[leaf].byte_size()));
    leaves.push_back({content, {}, Slices(id)[leaf], Slices(id)[leaf]});
  }
  SetLeaves(id, std::move(leaves));
  return {};
}

Status Checker::Step(InstrId id, const std::vector<Leaf>& parameters) {
  const Instruction& instruction = module_.instruction(id);
  switch (instruction.opcode) {
    case Opcode::kParameter: {
      // Entry parameters get their contents in Run; a loop body's or branch's one parameter is the state or operand.
      if (leaves_.contains(id) && instruction.computation == module_.entry) return {};
      SetLeaves(id, parameters);
      for (size_t leaf = 0; leaf < parameters.size(); ++leaf) {
        if (!(PlaceOf(Slices(id)[leaf]) == PlaceOf(parameters[leaf].place))) {
          return Refused(id, "the parameter is not placed where its value lies");
        }
      }
      return {};
    }
    case Opcode::kConstant:
      if (plan_.buffers[Slices(id)[0].buffer].kind == Buffer::Kind::kConstant) {
        if (plan_.buffers[Slices(id)[0].buffer].constant != id) return Refused(id, "it is placed on another constant");
        if (!(PlaceOf(Slices(id)[0]) == initial_pointers_[Slices(id)[0].buffer]))
          return Refused(id, "the pointer to the constant has moved");
        Leaf leaf{NewContent(), {}, Slices(id)[0], Slices(id)[0]};
        memory_.Add(leaf.content, RangeOf(leaf.base, instruction.shape.byte_size()));
        SetLeaves(id, {leaf});
        return {};
      }
      return Execute(id, EffectsOf(id));
    case Opcode::kWhile:
    case Opcode::kConditional:
      TRY_STATUS(instruction.opcode == Opcode::kWhile ? Loop(id) : Branches(id));
      ReleaseCalled(id);
      return {};
    case Opcode::kSlice: return plan_.IsView(id) ? SliceView(id) : Execute(id, EffectsOf(id));
    case Opcode::kDynamicSlice: return plan_.IsView(id) ? DynamicSliceView(id) : Execute(id, EffectsOf(id));
    default: break;
  }
  if (ArrayLeaves(instruction.shape).empty()) {
    SetLeaves(id, {});
    return {};
  }
  const Effects effects = EffectsOf(id);
  return effects.forwards ? Forward(id) : Execute(id, effects);
}

Status Checker::Replay(ir::ComputationId computation, const std::vector<Leaf>& parameters) {
  const std::vector<InstrId>& order = module_.computation(computation).instructions;
  for (InstrId id : order) ran_[id] = false;
  for (InstrId id : order) {
    const Instruction& instruction = module_.instruction(id);
    for (const std::vector<InstrId>* before : {&instruction.operands, &instruction.control_predecessors}) {
      for (InstrId earlier : *before) {
        if (!ran_[earlier]) return Refused(id, fmt::format("it runs before `{}`", module_.instruction(earlier).name));
      }
    }
    TRY_STATUS(Step(id, parameters));
    ran_[id] = true;
    ReleaseAfter(id);
  }
  return {};
}

Status Checker::ReplayCalled(InstrId caller, size_t called, const std::vector<Leaf>& parameters) {
  calls_.push_back({caller, called});
  TRY_STATUS(Replay(module_.instruction(caller).called[called], parameters));
  calls_.pop_back();
  return {};
}

Status Checker::CheckResults() {
  InstrId root = module_.root(module_.entry);
  std::vector<ir::Shape> shapes = ArrayLeaves(module_.shape(root));
  if (plan_.results.size() != shapes.size()) return Refused(root, "not every result has a place");
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    ByteRange range = RangeOf(plan_.results[leaf], shapes[leaf].byte_size());
    if (!(range.place == PlaceOf(Slices(root)[leaf])))
      return Refused(root, "a result is not where the program left it");
    TRY_STATUS(RequireHeld(root, leaves_.at(root)[leaf]));
    for (const ByteRange& real : memory_.Underlying(range)) {
      const Block& block = memory_.block(real.place.block);
      if (!block.returnable || real.place.offset != 0) {
        return Refused(root, fmt::format("result {} lies in memory that cannot be handed to the caller", leaf));
      }
    }
    for (size_t other = 0; other < leaf; ++other) {
      ByteRange second = RangeOf(plan_.results[other], shapes[other].byte_size());
      // Two empty results may share; everything else must be distinct allocations.
      if (range.place == second.place || memory_.MayOverlap(range, second))
        return Refused(root, "two results share memory");
    }
  }
  return {};
}

Status Checker::Run() {
  TRY_STATUS(CheckBuffers());
  TRY_STATUS(CheckPlacements());
  TRY_STATUS(CheckCopies());
  TRY_STATUS(CheckDonations());
  MakeBlocks();
  FindLastUsers();
  for (const auto& [id, loop] : plan_.loops) counters_.Add(module_, id);
  int64_t number = 0;
  for (InstrId parameter : module_.entry_computation().parameters) {
    std::vector<Leaf> leaves;
    std::vector<ir::Shape> shapes = ArrayLeaves(module_.shape(parameter));
    if (Slices(parameter).size() != shapes.size()) return Refused(parameter, "the parameter has no place");
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf, ++number) {
      const Slice& slice = Slices(parameter)[leaf];
      const Buffer& buffer = plan_.buffers[slice.buffer];
      if (buffer.kind != Buffer::Kind::kParameter || buffer.parameter != number || slice.offset != 0) {
        return Refused(parameter, "the parameter is not in the caller's buffer");
      }
      leaves.push_back({NewContent(), {}, slice, slice});
      memory_.Add(leaves.back().content, RangeOf(slice, shapes[leaf].byte_size()));
    }
    SetLeaves(parameter, std::move(leaves));
  }
  TRY_STATUS(Replay(module_.entry, {}));
  return CheckResults();
}

}  // namespace stead::inplace::check

namespace stead::inplace {

Status CheckPlan(const BufferPlan& plan) { return check::Checker(plan).Run(); }

}  // namespace stead::inplace
