// Turns what was bought into copy records: cause, overwrite, readers, proof and cure, in plain words.
#pragma once

#include <vector>

#include "analysis/dataflow.h"
#include "inplace/constraints/arcs.h"
#include "inplace/constraints/scope.h"
#include "inplace/order/hitting.h"
#include "inplace/plan.h"

namespace stead::inplace {

// One record per bought element, in the order of `solution.bought`; `copy` is still none.
std::vector<CopyRecord> DescribePurchases(const ir::Module& module, const Scope& scope,
                                          const analysis::Dataflow& dataflow, const ConflictGraph& graph,
                                          const HittingSolution& solution);

// Why the entry may not hand out or overwrite the content, which is not writable.
ir::CopyReason KeptReason(const ir::Module& module, const analysis::Dataflow& entry, analysis::DefinitionId content);

// The record of a result that must be a buffer of its own.
CopyRecord DescribeResultCopy(const ir::Module& module, const Scope& scope, ir::InstrId value, ir::CopyReason reason,
                              int64_t bytes);

// The record of a copy that the program contains or a layout demands.
CopyRecord DescribeWrittenCopy(const ir::Module& module, const Scope& scope, ir::InstrId copy);

// "argument 0 (`x`)" for an entry parameter.
std::string ArgumentName(const ir::Module& module, ir::InstrId parameter);

}  // namespace stead::inplace
