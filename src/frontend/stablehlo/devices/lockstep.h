// The body of a manual computation for all devices at once: operation by operation, each for every place, so that operations
// between devices find the parts of all of them.
//
//   %1 = all_reduce(%part)       place 0: %part.0 \ add -> %1 of both
//                            =>  place 1: %part.1 /
//
//   Input: a block, and per place what its arguments are.  Output: per place what it returns.
//   What is the same everywhere (constants, a loop's counter, a sum) is made once. Loops with exchanges inside carry the state of all
//   places; where places disagree on how long to run, a place that is done keeps its state.
//   RETURNS Unimplemented for exchanges inside of branches and reducers.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/stablehlo/op_import.h"

namespace stead::frontend {

class Lockstep {
 public:
  // `importer` must outlive this. There is at least one place.
  Lockstep(Importer& importer, std::vector<DevicePlace> places);

  const std::vector<DevicePlace>& places() const { return places_; }
  // One scope per place, all of the same computation, in which the arguments of the block are known. The importer is left at any of
  // the places.
  Result<std::vector<std::vector<ir::InstrId>>> ImportBlock(const mlir::Block& block, std::vector<Scope>& scopes);

 private:
  Status ImportOperation(const mlir::Operation& op, std::vector<Scope>& scopes);
  Status ImportForEach(const mlir::Operation& op, const OpRow* row, std::vector<Scope>& scopes);
  Status ImportBetween(const mlir::Operation& op, const OpRow& row, std::vector<Scope>& scopes);
  // A body that is called, in place of the call.
  Status ImportCalled(const mlir::Operation& op, const mlir::Region& body, std::vector<Scope>& scopes);
  Status ImportLoop(const mlir::Operation& op, const OpRow& row, std::vector<Scope>& scopes);
  // Makes constants of outer scopes known in every scope, as one instruction.
  Status FindConstants(const mlir::Operation& op, std::vector<Scope>& scopes);

  // True when operations between devices are inside of it, or of functions that it calls.
  Result<bool> Exchanges(const mlir::Operation& op);
  const mlir::Region* CalledBody(const mlir::Operation& op) const;

  Importer& importer_;
  std::vector<DevicePlace> places_;
  std::vector<int64_t> devices_;                                // by place
  std::unordered_map<const mlir::Operation*, bool> exchanges_;  // what is known of operations with bodies
};

// One importer of the operation per place, prepared.
Result<std::vector<OpImport>> PrepareEach(Importer& importer, const mlir::Operation& op, const OpRow& row,
                                          std::vector<Scope>& scopes);

// The same instruction at every place.
bool IsSameEverywhere(const std::vector<Scope>& scopes, mlir::ValueId value);

// True for operations that make the same of the same operands, wherever they run.
bool IsPlaceless(const OpRow& row);

}  // namespace stead::frontend
