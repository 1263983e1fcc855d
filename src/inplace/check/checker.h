// The plan checker's walk: one object replays the whole plan (check/checker.cpp has the argument, check/control.cpp the loops
// and branches, check/books.cpp what the plan says of itself). Nothing outside check/ sees it; the door is CheckPlan in inplace/plan.h.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/effects.h"
#include "analysis/index_value.h"
#include "inplace/check/memory.h"
#include "inplace/check/values.h"
#include "inplace/plan.h"

namespace stead::inplace::check {

// The contents of a loop's state at the head of any iteration, and the bytes that no longer hold theirs: of the initial values when the
// loop starts, and of the state at the back edge.
struct LoopState {
  std::vector<Leaf> leaves;
  std::vector<analysis::Footprint> missing, missing_next;
};

// The array leaves of a shape, in order.
std::vector<ir::Shape> ArrayLeaves(const ir::Shape& shape);

class Checker {
 public:
  explicit Checker(const BufferPlan& plan) : plan_(plan), module_(plan.module) {}
  Status Run();

 private:
  const BufferPlan& plan_;
  const ir::Module& module_;
  CheckMemory memory_;
  IdVector<BufferId, Place> pointers_, initial_pointers_;
  BlockId unknown_;                        // where pointers point that must be set before use
  std::unordered_set<BufferId> set_anew_;  // targets of entry moves and branch ends
  std::unordered_map<ir::InstrId, std::unordered_set<BufferId>> exchanged_;  // per loop: by it and the loops inside
  std::unordered_set<BufferId> in_slot_;  // pointers of state that the last back edge set to their slots
  Values leaves_;
  IdVector<ir::InstrId, ir::InstrId> last_users_;  // none: the value is never asked for, or by whoever called
  IdVector<ir::InstrId, bool> ran_;                // in the current run of the computation
  // The loops and conditionals whose computations are being replayed, outer first.
  struct Call {
    ir::InstrId caller;
    size_t called = 0;
  };
  std::vector<Call> calls_;
  // Of a pointer that a dynamic-slice sets: the slice, and the bytes of the array that it points into.
  struct Window {
    ir::InstrId slice;
    int64_t bytes = 0;
  };
  std::unordered_map<BufferId, Window> windows_;
  analysis::LoopCounters counters_;
  uint32_t next_content_ = 0;
  int64_t next_permutation_ = 1, next_run_ = 1;

  void MakeBlocks();
  void FindLastUsers();
  void SetLeaves(ir::InstrId id, std::vector<Leaf> leaves);
  void ReleaseLeaves(ir::InstrId id);
  void ReleaseAfter(ir::InstrId id);
  void ReleaseCalled(ir::InstrId caller);
  bool IsAskedForByCaller(ir::InstrId id) const;
  Status CheckBuffers() const;
  Status CheckPlacements() const;
  std::map<ir::ComputationId, std::optional<int64_t>> Executions() const;
  Status CheckRecord(const CopyRecord& record, std::optional<int64_t> executions) const;
  Status CheckCopies() const;
  Status CheckDonations() const;
  Status CheckResults();

  Status Replay(ir::ComputationId computation, const std::vector<Leaf>& parameters);
  Status ReplayCalled(ir::InstrId caller, size_t called, const std::vector<Leaf>& parameters);
  Status Step(ir::InstrId id, const std::vector<Leaf>& parameters);
  Status Forward(ir::InstrId id);
  Status SliceView(ir::InstrId id);
  Status DynamicSliceView(ir::InstrId id);
  ByteRange ReadRange(ir::InstrId operand, size_t leaf, int64_t bytes) const;
  analysis::Effects EffectsOf(ir::InstrId id) const;
  Status Execute(ir::InstrId id, const analysis::Effects& effects);
  Status CheckReads(ir::InstrId id, const analysis::Effects& effects);
  Status CheckWrite(ir::InstrId id, const analysis::Effects& effects, size_t result_leaf);
  const analysis::Tie* TieOf(const ir::Instruction& instruction, const analysis::Effects& effects, size_t operand,
                             size_t operand_leaf, size_t result_leaf) const;
  Status Loop(ir::InstrId id);
  Status LoopRound(ir::InstrId id, LoopState& state);
  void HolesInCaller(ir::InstrId caller, size_t called, const FactTable& before);
  Status LeaveLoop(ir::InstrId id, const LoopState& state);
  analysis::Footprint Missing(const Leaf& leaf) const;
  static bool MissMore(LoopState& state);
  void AddState(ir::InstrId id, const LoopState& state, const std::vector<analysis::Footprint>& missing);
  Status BackEdge(ir::InstrId id, LoopState& state);
  Result<bool> RestorePointers(ir::InstrId id, const IdVector<BufferId, Place>& head);
  // Where the body finds the state: in its parameter's places.
  const std::vector<Slice>& HeadSlices(ir::InstrId loop) const {
    return Slices(module_.computation(module_.instruction(loop).called[1]).parameters.at(0));
  }
  const StatePointer* StatePointerOf(ir::InstrId loop, BufferId variable) const;
  std::optional<size_t> HandedOnLeaf(ir::InstrId loop, size_t leaf, const std::vector<Leaf>& state) const;
  std::map<BufferId, std::vector<ByteRange>> StatePlaces(ir::InstrId id) const;
  std::vector<ByteRange> PlacesOfSource(ir::InstrId id, BufferId pointer,
                                        const std::map<BufferId, std::vector<ByteRange>>& places) const;
  Status AttachPointers(ir::InstrId id, const IdVector<BufferId, Place>& entered, int64_t run);
  Status CheckPointerMoves(ir::InstrId id, const IdVector<BufferId, Place>& before,
                           const IdVector<BufferId, Place>& after);
  Result<Leaf> LeafAfterLoop(ir::InstrId id, size_t leaf, const std::vector<Leaf>& state);
  Status EnterLoop(ir::InstrId id, const LoopPlan& loop);
  std::vector<ir::InstrId> LoopsAndBranchesOf(ir::InstrId id) const;
  std::unordered_set<BufferId> SetInside(ir::InstrId id) const;
  std::vector<std::vector<BufferId>> ExchangeGroups(ir::InstrId id) const;
  bool IsExchange(const std::vector<PointerMove>& moves) const;
  std::vector<PointerMove> SetAnew(const std::vector<PointerMove>& moves) const;
  Status FreshBlocks(ir::InstrId id, const std::vector<BufferId>& variables, int64_t run);
  Status Branches(ir::InstrId id);
  void JoinPointers(const std::vector<IdVector<BufferId, Place>>& ends);

  Result<IdVector<BufferId, Place>> Moved(const std::vector<PointerMove>& moves, ir::InstrId id) const;
  ContentId NewContent() { return ContentId(next_content_++); }
  const std::vector<Slice>& Slices(ir::InstrId id) const { return plan_.placements[id]; }
  Place PlaceOf(const Slice& slice) const {
    Place place = pointers_[slice.buffer];
    place.offset += slice.offset;
    return place;
  }
  ByteRange RangeOf(const Slice& slice, int64_t bytes) const { return {PlaceOf(slice), bytes}; }
  // The reader finds these bytes of the leaf where the plan says.
  Status RequireHeld(ir::InstrId reader, const Leaf& leaf, const analysis::Footprint& bytes = {}) const;
  Diagnostic Refused(ir::InstrId id, std::string why) const {
    return {ErrorCode::kInternal, fmt::format("the plan is wrong at `{}`", module_.instruction(id).name),
            module_.SourceOf(id), std::move(why), "please report this module: the program was not run"};
  }
};

}  // namespace stead::inplace::check
