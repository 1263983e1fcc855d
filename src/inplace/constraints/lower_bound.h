// What every plan of a module copies, whichever way its scopes are planned: the certificate of a plan.
//   A scope's order problem is solved with the scopes inside planned in one certain way. What it then has to buy is a bound for
//   all plans only where that way does not matter. Essay: lower_bound.cpp.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inplace/constraints/arcs.h"
#include "inplace/constraints/scope.h"
#include "inplace/order/hitting.h"

namespace stead::inplace {

class LowerBound {
 public:
  // All three must outlive it.
  LowerBound(const ir::Module& module, const std::vector<Scope>& scopes, ScopeContext& context);

  // Counts what the scope's order problem forces, and for the entry what its conditionals must copy to hand out results of their
  // own. REQUIRES: `solution` solves the graph's problem.
  void AddConflicts(const Scope& scope, const analysis::Dataflow& dataflow, const ConflictGraph& graph,
                    const HittingSolution& solution, int64_t search_budget);
  // Counts a copy that the scope makes in every plan.
  void AddCopy(const Scope& scope, int64_t bytes);
  // Records what the planned scope overwrites of its parameter in every plan. `copies_nothing`: no conflict in it
  // had to be resolved by a copy.
  void NoteForcedParameters(const Scope& scope, const analysis::Dataflow& dataflow, bool copies_nothing);
  // Bytes x executions of the whole module, along the dearest path (cost.h).
  int64_t Total() const;

 private:
  int64_t OfConflicts(const Scope& scope, const analysis::Dataflow& dataflow, const ConflictGraph& graph,
                      const HittingSolution& solution, const std::unordered_set<analysis::DefinitionId>& owned,
                      int64_t search_budget) const;
  std::unordered_set<analysis::DefinitionId> AddBranchResults(const analysis::Dataflow& entry);
  bool IsForced(const analysis::Dataflow& dataflow, const Scope& scope, const ArcCause& cause, int32_t writer) const;
  bool IsKept(const analysis::Dataflow& dataflow, const Scope& scope, analysis::DefinitionId definition) const;
  bool IsReadAfterwards(const analysis::Dataflow& dataflow, const Scope& scope,
                        analysis::DefinitionId definition) const;
  bool IsForcedWrite(const analysis::Dataflow& dataflow, const Scope& scope, ir::InstrId writer,
                     const PreservingTie& tie) const;
  bool IsForcedRead(const analysis::Dataflow& dataflow, const Scope& scope, const analysis::DefinitionUse& use,
                    int32_t writer, const PreservingTie& tie) const;
  bool IsRead(const analysis::Dataflow& dataflow, const Scope& scope, analysis::DefinitionId definition) const;
  bool IsReadInside(ir::ComputationId computation, int32_t leaf) const;
  bool IsResultNeeded(const Scope& scope, int32_t leaf) const;
  bool IsOwned(const analysis::Dataflow& dataflow, analysis::DefinitionId definition) const;
  bool AddBranchResult(const analysis::Dataflow& entry, ir::InstrId conditional, size_t branch, int32_t leaf);
  bool IsReturned(const analysis::Dataflow& dataflow, const Scope& scope, ir::InstrId loop, int32_t initial) const;

  const ir::Module& module_;
  std::unordered_map<ir::ComputationId, const Scope*> scopes_;
  ScopeContext& context_;
  // Of the entry's loops, whose bodies are planned when somebody asks.
  mutable std::unordered_map<ir::InstrId, std::vector<std::optional<int32_t>>> initial_leaves_;
  std::unordered_map<ir::ComputationId, int64_t> own_bytes_;  // of each scope, without those inside
};

}  // namespace stead::inplace
