// Where the values of a program for several devices lie, when its author says so only of some.
//   From what is said of arguments, of single values (constraints) and of manual computations, forward through the operations: a result
//   is cut as its operands are, along the dimensions that the operation keeps. Only results of `main` of which nothing is said
//   depend on it, so any answer is right; this one is that of XLA for programs without loops that change it.
//   Does not: look backwards, follow loops to a fixed point, fail. What it does not understand it leaves whole.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/mlir_bytecode/parsed_module.h"
#include "frontend/stablehlo/devices/sharding.h"

namespace stead::frontend {

class ShardingPropagation {
 public:
  // Both must outlive it.
  ShardingPropagation(const mlir::ParsedModule& source, const ShardingReader& shardings);

  void Set(mlir::ValueId value, ArraySharding sharding) { known_[value] = std::move(sharding); }
  // Nullptr: nothing is known.
  const ArraySharding* Find(mlir::ValueId value) const;
  // Through the operations of the block, in order.
  void Run(const mlir::Block& block);

 private:
  // What an operation keeps: dimension `from` of operand `operand` is dimension `to` of its result.
  struct Kept {
    size_t operand, from, to;
  };

  void RunOnce(const mlir::Block& block);
  void RunOperation(const mlir::Operation& op);
  void JoinGroup(const mlir::Operation& op);
  void TakeFromCall(const mlir::Operation& op);
  void TakeFromAttribute(const mlir::Operation& op, std::string_view name);
  void TakeFromOperands(const mlir::Operation& op, mlir::ValueId result);
  std::vector<Kept> KeptBy(const mlir::Operation& op, mlir::ValueId result) const;
  std::vector<Kept> KeptByBroadcast(const mlir::Operation& op) const;
  std::vector<Kept> KeptByDot(const mlir::Operation& op) const;
  std::vector<Kept> KeptByGather(const mlir::Operation& op) const;
  std::vector<Kept> KeptByReduce(const mlir::Operation& op, mlir::ValueId result) const;
  std::vector<Kept> KeptByReshape(const mlir::Operation& op, mlir::ValueId result) const;
  std::vector<Kept> KeptByTranspose(const mlir::Operation& op) const;
  std::vector<int64_t> Integers(const mlir::Operation& op, std::string_view name) const;
  const std::vector<int64_t>& DimensionsOf(mlir::ValueId value) const;

  const mlir::ParsedModule& source_;
  const ShardingReader& shardings_;
  std::unordered_map<std::string_view, const mlir::Operation*> functions_;
  std::unordered_map<mlir::ValueId, ArraySharding> known_;
  // Operations of other dialects than the artifact's own work on a value that is cast to their types.
  std::unordered_map<mlir::ValueId, mlir::ValueId> cast_from_;
  std::unordered_map<int64_t, ArraySharding> groups_;  // of values that lie alike, by the number of the group
  mutable std::unordered_map<mlir::ValueId, std::vector<int64_t>> dimensions_;
  int call_depth_ = 0;
  int64_t operations_left_;
};

}  // namespace stead::frontend
