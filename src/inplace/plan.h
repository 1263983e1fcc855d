// BufferPlan: the frozen decision where every value lives, in which order the program runs, and which copies remain, why.
//   Made by MakePlan (planner), proved by CheckPlan (check/, which shares nothing with the planner but
//   analysis/effects), printed by explain, lowered by cpu/. Nothing after it decides anything about memory.
//
// Buffers are pointer variables. A value lives at (buffer, byte offset). Straight-line code never changes a pointer; a loop
// may exchange pointers at its back edge (`LoopPlan`), so that loop state moves without moving bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "ir/module.h"

namespace stead::inplace {

using BufferId = Id<struct BufferTag>;

struct Buffer {
  enum class Kind : uint8_t {
    kParameter,  // the caller's; writable only when donated
    kConstant,   // read-only bytes of a constant instruction
    kOwned,      // an allocation of its own per run; may leave the program as a result
    kScratch,    // bytes from scratch_offset on of the run's arena, or of `host`
    kPointer,    // no memory: a loop sets it to where its state lies, a dynamic-slice to where its window starts
  };
  Kind kind = Kind::kScratch;
  int64_t bytes = 0;
  int64_t parameter = -1;      // kParameter: leaf number (entry parameters flattened in order)
  bool donated = false;        // kParameter
  ir::InstrId constant;        // kConstant
  int64_t scratch_offset = 0;  // kScratch; aligned as AlignmentOf(bytes) in packing.h says
  BufferId host;  // kScratch: the owned or donated buffer that it lies in while that holds nothing; none: the arena
};

// Where one array leaf of a value lives. Contiguous, row major (in the shape's layout).
struct Slice {
  BufferId buffer;
  int64_t offset = 0;  // bytes
};

// Parallel pointer assignment: target := source + source_offset.
struct PointerMove {
  BufferId target;
  BufferId source;
  int64_t source_offset = 0;
};

// State that is found through a pointer: where it started, or in the slot that goes with the pointer, if any does.
struct StatePointer {
  BufferId pointer;
  std::optional<BufferId> slot;
};

struct LoopPlan {
  std::vector<PointerMove> entry;      // before the first test of the condition
  std::vector<PointerMove> back_edge;  // after each run of the body, all at once
  std::vector<StatePointer> pointers;
};

struct BranchPlan {
  std::vector<std::vector<PointerMove>> ends;  // per branch, after it ran, all at once
};

// One point of the chain of orders that forces a copy.
struct WitnessStep {
  ir::InstrId instruction;  // none: the end of the program (its results, the caller's own reads)
  std::string reason;       // why this step comes before the next one: "reads `x`", "barrier", "data", ...
};

// A copy that stays: the three points (value, overwrite, reads), the cost and the proof.
struct CopyRecord {
  ir::InstrId copy;  // the copy instruction in BufferPlan::module
  ir::CopyReason reason;
  ir::InstrId value;   // what is copied
  ir::InstrId writer;  // the op that would overwrite it; none when the reason needs no writer
  std::vector<ir::InstrId> readers;
  std::vector<WitnessStep> witness;  // a cycle: each step must precede the next, the last the first
  int64_t bytes = 0;
  int64_t executions = 1;  // product of the trip counts around it
  std::string fix;
};

// Something the user should know that is not a copy: a dropped may-alias, an undeclared custom-call alias, a donor not used.
struct PlanRemark {
  std::string code;  // "D001", "C12", ...
  ir::InstrId value;
  int64_t bytes = 0;
  ir::InstrId writer;
  std::string what;  // one line
  std::string why;
  std::string fix;
};

// A result leaf that is returned in a donated parameter leaf's buffer.
struct Donation {
  int64_t result_leaf = 0;
  int64_t parameter_leaf = 0;
};

struct BufferPlan {
  ir::Module module;  // final: scheduled, copies inserted, aliases as used
  IdVector<BufferId, Buffer> buffers;
  // Per instruction of every planned computation (entry, loop bodies and conditions, branches): one slice per array leaf
  // of its shape, in leaf order (tokens get none). Empty for instructions inside fusions and reducers.
  IdVector<ir::InstrId, std::vector<Slice>> placements;
  std::unordered_map<ir::InstrId, LoopPlan> loops;
  std::unordered_map<ir::InstrId, BranchPlan> branches;
  // Dynamic-slices that move no bytes: the slice's own pointer is set to where the window starts in the operand, whose elements
  // start here. The window is one run of bytes; start k moves it by RowMajorStrides(operand)[k] elements, clamped as always.
  std::unordered_map<ir::InstrId, Slice> windows;
  std::vector<Slice> results;  // per result leaf of the entry
  std::vector<Donation> donations;
  std::vector<CopyRecord> copies;  // every copy instruction of the module
  std::vector<PlanRemark> remarks;
  int64_t arena_bytes = 0;
  int64_t peak_bytes = 0;         // parameters + constants + owned + arena at the worst moment
  int64_t lower_bound_bytes = 0;  // no plan in the model copies fewer bytes x executions (cost.h)
  bool exact = true;              // lower bound reached

  // True when the instruction does nothing at run time: its leaves are placed on its operand's bytes.
  bool IsView(ir::InstrId id) const;
};

struct PlanOptions {
  bool always_copy = false;        // baseline oracle: no tie is used unless it must be
  int64_t search_budget = 200000;  // nodes of the branch and bound
  int64_t unknown_trip_count = 10;
  uint64_t chaos_seed = 0;  // for tests: other choices among equals (chaos.h)
};

// REQUIRES: verified module; tuples only at loops, barriers, multi-result ops and the root; calls inlined.
Result<BufferPlan> MakePlan(ir::Module module, const PlanOptions& options);

// An independent proof that every read of the plan sees the value that the module names; the first failed read otherwise.
Status CheckPlan(const BufferPlan& plan);

}  // namespace stead::inplace
