// Operations that only mean something on several devices. A program for one device still contains them (a mesh of one); there
// every group of devices has one member, who is done at once.
#include <algorithm>

#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

Status ImportIdentity(OpImport& op) {
  if (op.operands().size() != op.result_shapes().size()) return op.Bad("has not as many results as operands");
  for (size_t result = 0; result < op.operands().size(); ++result) TRY_STATUS(op.SetResult(result, op.operand(result)));
  return {};
}

Status ImportGroupsOfOne(OpImport& op) {
  TRY(std::optional<mlir::TensorAttribute> groups, op.Find<mlir::TensorAttribute>("replica_groups"));
  if (!groups) return op.Unsupported("with groups that are not listed");
  TRY(mlir::Type type, op.importer().source().pool.type(groups->type));
  bool are_of_one = type.dimensions.size() == 2 && type.dimensions[1] == 1;
  TRY(ir::Dimensions members, op.Integers("replica_groups"));
  // No groups at all: one group of everyone.
  if (!are_of_one && !members.empty()) return op.Unsupported("between several devices");
  return ImportIdentity(op);
}

// A device that nobody sends to receives zeros.
Status ImportCollectivePermute(OpImport& op) {
  TRY(ir::Dimensions pairs, op.Integers("source_target_pairs"));
  if (std::ranges::any_of(pairs, [](int64_t device) { return device != 0; }))
    return op.Unsupported("between several devices");
  if (!pairs.empty()) return ImportIdentity(op);
  const ir::Shape& shape = op.result_shape();
  if (!shape.is_array()) return op.Bad("has a result that is no array");
  ir::Shape scalar = ir::Shape::Array(shape.element_type, {});
  ir::InstrId zero = op.Emit(ir::Opcode::kConstant, scalar, {}, ir::Literal::Zeros(scalar));
  return op.Finish(ir::Opcode::kBroadcast, {zero}, ir::DimensionsAttributes{});
}

Status ImportManualComputation(OpImport& op) {
  const mlir::Region& body = op.operation().regions[0];
  if (body.blocks.size() != 1 || body.blocks[0].arguments.size() != op.operands().size()) {
    return op.Bad("has a body whose arguments are not its operands");
  }
  for (size_t argument = 0; argument < op.operands().size(); ++argument) {
    mlir::ValueId inner = body.blocks[0].arguments[argument];
    TRY(ir::Shape shape, op.importer().ShapeOf(inner));
    if (!op.shape(op.operand(argument)).Compatible(shape)) return op.Bad("splits its operands between devices");
    op.scope().instructions[inner] = op.operand(argument);
  }
  TRY(std::vector<ir::InstrId> results, op.importer().ImportInline(body, op.scope()));
  if (results.size() != op.result_shapes().size()) return op.Bad("has a body that returns another number of results");
  for (size_t result = 0; result < results.size(); ++result) TRY_STATUS(op.SetResult(result, results[result]));
  return {};
}

}  // namespace stead::frontend
