// Operations whose positions are computed at run time.
#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

Status ImportDynamicSlice(OpImport& op) {
  TRY(ir::Dimensions sizes, op.Integers("slice_sizes"));
  return op.Finish(op.opcode(), op.operands(), ir::DynamicSliceAttributes{std::move(sizes)});
}

Status ImportGather(OpImport& op) {
  ir::GatherAttributes attributes;
  TRY(attributes.offset_dims, op.Integers("offset_dims"));
  TRY(attributes.collapsed_slice_dims, op.Integers("collapsed_slice_dims"));
  TRY(attributes.start_index_map, op.Integers("start_index_map"));
  TRY(attributes.operand_batching_dims, op.Integers("operand_batching_dims"));
  TRY(attributes.start_indices_batching_dims, op.Integers("start_indices_batching_dims"));
  TRY(attributes.index_vector_dim, op.Integer("index_vector_dim"));
  TRY(attributes.slice_sizes, op.Integers("slice_sizes"));
  TRY(attributes.indices_are_sorted, op.Bool("indices_are_sorted"));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes));
}

Status ImportScatter(OpImport& op) {
  ir::ScatterAttributes attributes;
  TRY(attributes.update_window_dims, op.Integers("update_window_dims"));
  TRY(attributes.inserted_window_dims, op.Integers("inserted_window_dims"));
  TRY(attributes.scatter_dims_to_operand_dims, op.Integers("scatter_dims_to_operand_dims"));
  TRY(attributes.input_batching_dims, op.Integers("input_batching_dims"));
  TRY(attributes.scatter_indices_batching_dims, op.Integers("scatter_indices_batching_dims"));
  TRY(attributes.index_vector_dim, op.Integer("index_vector_dim"));
  TRY(attributes.indices_are_sorted, op.Bool("indices_are_sorted"));
  TRY(attributes.unique_indices, op.Bool("unique_indices"));
  TRY(ir::ComputationId body, op.ImportBody(0));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes), {body});
}

}  // namespace stead::frontend
