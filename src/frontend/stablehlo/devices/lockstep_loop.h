// A loop with operations between devices inside: one loop that carries the state of all places.
//   What is the same everywhere, as a counter is, it carries once. Where places disagree on how long to run, the loop runs as long as any
//   of them, and a place that is done keeps its state; a program in which such a place would still be needed for an exchange never
//   ends on devices.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/stablehlo/devices/lockstep.h"

namespace stead::frontend {

class LockstepLoop {
 public:
  // All must outlive this.
  LockstepLoop(Importer& importer, Lockstep& lockstep, const mlir::Operation& op, const OpRow& row,
               std::vector<Scope>& scopes)
      : importer_(importer), lockstep_(lockstep), op_(op), row_(row), scopes_(scopes) {}

  Status Import();

 private:
  using Results = std::vector<std::vector<ir::InstrId>>;  // by place, then by number

  Status CheckRegions();
  Status FindCarried();
  // Which of the carried values become different: first what begins so, then what is made from it.
  void FindDiffering();
  bool SpreadDifferences();
  // The operands of the block's return that may differ, when the carried values do as `differs_` says.
  std::vector<bool> DifferingResults(const mlir::Block& block) const;

  // A computation with one parameter, the carried values, and a scope per place in which they are known.
  std::vector<Scope> Open(std::string_view name, const mlir::Block& block);
  Result<ir::ComputationId> ImportBody();
  Result<ir::ComputationId> ImportCondition();
  // The condition at every place, inside of the body.
  Result<std::vector<ir::InstrId>> Predicates(const std::vector<Scope>& body_scopes);
  ir::InstrId Kept(OpImport& emit, ir::InstrId predicate, ir::InstrId next, ir::InstrId previous);

  const mlir::Block& condition() const { return op_.regions[0].blocks[0]; }
  const mlir::Block& body() const { return op_.regions[1].blocks[0]; }
  size_t state_count() const { return op_.operands.size(); }
  size_t PlaceCountOf(size_t carried) const { return differs_[carried] ? scopes_.size() : 1; }
  mlir::ValueId CarriedIn(const mlir::Block& block, size_t carried) const;

  Importer& importer_;
  Lockstep& lockstep_;
  const mlir::Operation& op_;
  const OpRow& row_;
  std::vector<Scope>& scopes_;
  std::vector<mlir::ValueId> captured_;
  std::vector<bool> differs_;  // the loop's state, then what it captures
  bool condition_differs_ = false;
};

}  // namespace stead::frontend
