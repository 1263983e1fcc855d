// The computations that are planned: the entry, loop bodies and conditions, branches. What may be overwritten in each.
//   A scope is planned on its own, inner scopes first: a loop is then an op that overwrites the state it changes, and a
//   conditional an op that reads its operands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/dataflow.h"
#include "base/result.h"
#include "inplace/plan.h"
#include "ir/module.h"

namespace stead::inplace {

struct Scope {
  enum class Kind : uint8_t { kEntry, kLoopBody, kLoopCondition, kBranch };
  Kind kind = Kind::kEntry;
  ir::ComputationId computation;
  ir::InstrId caller;      // the while or conditional; none for the entry
  int64_t executions = 1;  // per run of the module: the product of the trip counts around it
};

// Every planned computation, callers before callees. A computation called from two places is cloned for the second.
// RETURNS Unimplemented for a `call` that was not inlined.
Result<std::vector<Scope>> CollectScopes(ir::Module& module, const PlanOptions& options);

// False for what belongs to someone else: constants, undonated parameters, state a loop does not change, branch operands.
bool IsWritable(const ir::Module& module, const Scope& scope, const analysis::Dataflow& dataflow,
                const analysis::DataflowContext& context, analysis::DefinitionId definition);

// Which state leaves a loop hands on untouched: leaf k of the body's result is leaf k of its parameter.
std::vector<bool> UntouchedState(const ir::Module& module, ir::ComputationId body,
                                 const analysis::DataflowContext& context);

// An op that overwrites an operand leaf and keeps what it does not overwrite: a window update, a declared custom call, a loop.
struct PreservingTie {
  int32_t operand = 0;
  int32_t leaf = 0;         // array leaf of the operand
  int32_t result_leaf = 0;  // array leaf of the result that takes the operand's buffer
  analysis::Region written;
};
std::vector<PreservingTie> PreservingTies(const ir::Module& module, const analysis::Dataflow& dataflow, int32_t node,
                                          const analysis::DataflowContext& context);

// left x right, or the largest number when that is too large.
int64_t SaturatingProduct(int64_t left, int64_t right);

}  // namespace stead::inplace
