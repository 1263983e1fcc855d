// Operations that combine elements by a computation of their own.
#include <numeric>

#include "frontend/stablehlo/ops/op_importers.h"
#include "frontend/stablehlo/ops/window.h"

namespace stead::frontend {

Status ImportMap(OpImport& op) {
  TRY(ir::Dimensions dimensions, op.Integers("dimensions"));
  TRY(ir::ComputationId body, op.ImportBody(0));
  return op.Finish(op.opcode(), op.operands(), ir::DimensionsAttributes{std::move(dimensions)}, {body});
}

Status ImportReduce(OpImport& op) {
  TRY(ir::Dimensions dimensions, op.Integers("dimensions"));
  TRY(ir::ComputationId body, op.ImportBody(0));
  return op.Finish(op.opcode(), op.operands(), ir::DimensionsAttributes{std::move(dimensions)}, {body});
}

Status ImportReduceWindow(OpImport& op) {
  TRY(ir::Dimensions sizes, op.Integers("window_dimensions"));
  WindowNames names{.base_dilation = "base_dilations", .window_dilation = "window_dilations"};
  TRY(std::vector<ir::WindowDimension> window, ImportWindow(op, sizes, names));
  TRY(ir::ComputationId body, op.ImportBody(0));
  return op.Finish(op.opcode(), op.operands(), ir::WindowAttributes{std::move(window)}, {body});
}

Status ImportSelectAndScatter(OpImport& op) {
  TRY(ir::Dimensions sizes, op.Integers("window_dimensions"));
  TRY(std::vector<ir::WindowDimension> window, ImportWindow(op, sizes, {}));
  TRY(ir::ComputationId select, op.ImportBody(0));
  TRY(ir::ComputationId scatter, op.ImportBody(1));
  return op.Finish(op.opcode(), op.operands(), ir::WindowAttributes{std::move(window)}, {select, scatter});
}

// A negative dimension counts from the last.
Status ImportSort(OpImport& op) {
  ir::SortAttributes attributes;
  TRY(attributes.dimension, op.Integer("dimension"));
  TRY(attributes.is_stable, op.Bool("is_stable"));
  if (op.operands().empty()) return op.Bad("has no operands");
  if (attributes.dimension < 0) attributes.dimension += op.shape(op.operand(0)).rank();
  TRY(ir::ComputationId comparator, op.ImportBody(0));
  return op.Finish(op.opcode(), op.operands(), attributes, {comparator});
}

}  // namespace stead::frontend
