// The computations that are planned: the entry, loop bodies and conditions, branches. What may be overwritten in each.
//   A scope is planned on its own, inner scopes first: a loop is then an op that overwrites the state it changes, and a
//   conditional an op that reads its operands.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "analysis/dataflow.h"
#include "base/result.h"
#include "inplace/cost.h"
#include "inplace/plan.h"
#include "ir/module.h"

namespace stead::inplace {

struct Scope {
  enum class Kind : uint8_t { kEntry, kLoopBody, kLoopCondition, kBranch };
  Kind kind = Kind::kEntry;
  ir::ComputationId computation;
  ir::InstrId caller;      // the while or conditional; none for the entry
  int32_t branch = 0;      // kBranch: number of the branch
  int64_t executions = 1;  // per run of the module: the product of the trip counts around it
};

// A leaf of one of an instruction's operands.
struct OperandLeaf {
  int32_t operand = 0;
  int32_t leaf = 0;
  friend bool operator==(const OperandLeaf&, const OperandLeaf&) = default;
};

// What the branches of a conditional do with their operands (branches.h). Branch b's operand is number b + 1.
struct BranchUse {
  std::vector<std::vector<bool>> owned;     // per branch and leaf: the branch may overwrite it or hand it on
  std::vector<std::vector<bool>> consumed;  // ... and does
  std::vector<std::vector<analysis::Footprint>> written;  // the bytes of it that a reader after the conditional misses
  std::vector<std::vector<analysis::Footprint>>
      updated;                                    // the bytes of it that the branch updates, buffers' moves apart
  std::vector<std::optional<OperandLeaf>> homes;  // per result leaf: the operand leaf in whose buffer it is handed over
  // Per branch and result leaf: the leaf of the branch's own operand that is the same buffer as the home.
  std::vector<std::vector<std::optional<int32_t>>> own_homes;
};

// Per state leaf of a loop: whether it may start from an array that stays as it is, and whether it does (borrowing.h).
struct LoopBorrowing {
  std::vector<bool> possible, used;
};

// The bytes of the initial value that a loop's iterations overwrite.
struct LoopWrite {
  analysis::Footprint bytes;
  bool moved = false;  // whole only because the buffer changes places with another
};

// A leaf of the result of a while or conditional.
struct ResultLeaf {
  ir::InstrId caller;
  int32_t leaf = 0;
  friend auto operator<=>(const ResultLeaf&, const ResultLeaf&) = default;
};
using PointerChoices = std::set<ResultLeaf>;

// What planning one scope needs to know of the scopes around and inside it.
struct ScopeContext : analysis::DataflowContext {
  // Leaves that are to be pointers if they can (pointers.h).
  PointerChoices pointer_choices;
  std::unordered_map<ir::InstrId, BranchUse> branches;
  std::unordered_map<ir::InstrId, LoopBorrowing> borrowing;
  // Per loop and state leaf: it is a pointer.
  std::unordered_map<ir::InstrId, std::vector<bool>> pointer_state;
  // Per loop and state leaf that is a pointer: its next content is copied, because its slot goes to another leaf.
  std::unordered_map<ir::InstrId, std::vector<bool>> copied_state;
  // Per planned loop body and branch, and leaf of its parameter: overwritten in every plan that copies no more (lower_bound.h).
  std::unordered_map<ir::ComputationId, std::vector<bool>> forced_parameters;
  // Per computation whose order is chosen: the most bytes of its own that are live at once.
  std::unordered_map<ir::ComputationId, int64_t> peaks;
  // Per loop and state leaf (footprints.h). Whole when missing.
  std::unordered_map<ir::InstrId, std::vector<LoopWrite>> loop_writes;
};

// Every planned computation, callers before callees. A computation called from two places is cloned for the second.
// RETURNS Unimplemented for a `call` that was not inlined.
Result<std::vector<Scope>> CollectScopes(ir::Module& module, const PlanOptions& options);

// In the order of the computation's list.
std::vector<ir::InstrId> ConditionalsIn(const ir::Module& module, ir::ComputationId computation);

// A constant of one element is stored wherever it is wanted, like the result of any op; larger ones are read-only memory.
bool IsImmediate(const ir::Instruction& instruction);

// False for what belongs to someone else: constant arrays, undonated parameters, state a loop does not change, branch operands, and
// pointers that may lead to any of these.
bool IsWritable(const ir::Module& module, const Scope& scope, const analysis::Dataflow& dataflow,
                const ScopeContext& context, analysis::DefinitionId definition);

// The state leaf is a pointer (pointers.h).
bool IsPointerState(const ScopeContext& context, ir::InstrId loop, int32_t leaf);

// The state leaf lies in another leaf's memory once the loop's body has run (leaders.h).
bool IsFollower(const ScopeContext& context, ir::InstrId loop, int32_t leaf);

// Which state leaves a loop hands on untouched: leaf k of the body's result is leaf k of its parameter.
std::vector<bool> UntouchedState(const ir::Module& module, ir::ComputationId body, const ScopeContext& context);

// An op that overwrites an operand leaf and keeps what it does not overwrite: a window update, a declared custom call, a loop, a conditional.
struct PreservingTie {
  int32_t operand = 0;
  int32_t leaf = 0;         // array leaf of the operand
  int32_t result_leaf = 0;  // array leaf of the result that takes the operand's buffer; -1: none does
  analysis::Footprint written;
  bool is_forced = true;                       // it does so whichever way the computations that it calls are planned
  std::optional<analysis::Footprint> updated;  // of a branch: as in BranchUse
};
std::vector<PreservingTie> PreservingTies(const ir::Module& module, const analysis::Dataflow& dataflow, int32_t node,
                                          const ScopeContext& context);

}  // namespace stead::inplace
