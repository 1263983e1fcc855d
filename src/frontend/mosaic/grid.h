// The grid of a kernel as one loop over its points, and its blocks as windows of whole arrays.
//   Point t of the loop is the grid index whose digits are t's, last dimension fastest; a block's window starts at its block
//   index times its size. Arrays that blocks overhang are made larger first, and results cut back afterwards.
//   A result that the call declares to lie in an operand starts as that operand, other results and scratch as zeros.
#pragma once

#include "frontend/mosaic/kernel_importer.h"

namespace stead::frontend {

class Grid {
 public:
  explicit Grid(KernelImporter& importer) : importer_(importer), emit_(importer.emit()) {}

  Result<ir::ComputationId> Import();

 private:
  // One operand or result of the kernel's function.
  struct Block {
    std::string index_function;  // empty: the whole array
    ir::Dimensions sizes;
  };

  Status ReadAttributes();
  Status ReadWindows();
  Status CheckArguments() const;
  // RETURNS the bounds that are operands.
  Result<std::vector<ir::InstrId>> MakeBuffers(KernelScope& scope);
  Result<ir::InstrId> InitialResult(KernelScope& scope, size_t result, const std::vector<ir::InstrId>& operands);
  Result<ir::InstrId> Padded(KernelScope& scope, ir::InstrId array, const Block& block);
  Status RunPoint(KernelScope& scope, const std::vector<ir::InstrId>& point);
  Result<View> WindowOf(KernelScope& scope, size_t array, const std::vector<ir::InstrId>& point);
  View WholeOf(const KernelScope& scope, size_t buffer) const;
  // `now`: the number of the point; where bounds are operands, then the number of points and those bounds.
  Result<std::vector<ir::InstrId>> Digits(KernelScope& scope, const std::vector<ir::InstrId>& now);
  Result<ir::InstrId> PointCount(KernelScope& scope, const std::vector<ir::InstrId>& bound_operands);
  Status RunAllPoints(KernelScope& scope, const std::vector<ir::InstrId>& bound_operands);
  Status Finish(KernelScope& scope);

  const mlir::Block& function() const { return importer_.kernel_->regions[0].blocks[0]; }
  size_t array_count() const { return operand_count_ + result_shapes_.size(); }

  KernelImporter& importer_;
  KernelEmitter& emit_;
  ir::Dimensions bounds_;  // kDynamicDimension: an operand of the call says it; those stand before the arrays
  size_t bound_operand_count_ = 0;
  size_t prefetch_count_ = 0, operand_count_ = 0, scratch_count_ = 0;  // `operand_count_` holds prefetched ones
  std::vector<ir::Shape> result_shapes_;
  std::vector<Block> blocks_;  // per operand that is not prefetched, then per result
};

}  // namespace stead::frontend
