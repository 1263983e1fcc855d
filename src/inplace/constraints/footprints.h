// What loops and conditionals, once planned, read and overwrite of the arrays that they are given: which bytes of each.
//   Safe wrong answer: all of them. In terms of the scope that holds the loop or conditional.
#pragma once

#include <vector>

#include "inplace/constraints/scope.h"
#include "inplace/memory/donation.h"

namespace stead::inplace {

// Of each array leaf of a computation's one parameter.
struct ParameterFootprints {
  std::vector<analysis::Footprint> read, written;
  std::vector<bool> returned;  // its bytes, updated or not, are those of some result
};

// `called`: which of the caller's computations it is.
ParameterFootprints FootprintsOf(const ir::Module& module, const analysis::Dataflow& inner, const Families& families,
                                 ir::InstrId caller, size_t called, const ScopeContext& context);

// Records, for each conditional of the scope, which bytes of its results are read after it (DataflowContext::result_reads). Call for
// outer scopes before inner ones.
void FindResultReads(const ir::Module& module, const Scope& scope, ScopeContext& context);

// Records, for each loop of the scope, which bytes of its initial values are overwritten.
void SummariseLoops(const ir::Module& module, const Scope& scope, ScopeContext& context);

}  // namespace stead::inplace
