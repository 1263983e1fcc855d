// Operations between devices. A program for one device still contains them (a mesh of one); there every group of devices has one
// member, who is done at once. Groups of several are refused.
#include <algorithm>

#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

Status ImportIdentity(OpImport& op) {
  if (op.operands().size() != op.result_shapes().size()) return op.Bad("has not as many results as operands");
  for (size_t result = 0; result < op.operands().size(); ++result) TRY_STATUS(op.SetResult(result, op.operand(result)));
  return {};
}

Status ImportNothing(OpImport&) { return {}; }

Status ImportPartitionId(OpImport& op) {
  if (op.importer().device_count() == 1) return ImportPlain(op);
  const std::optional<DevicePlace>& place = op.importer().place();
  if (!place) return op.Unsupported("outside of a manual computation, in a program for several devices");
  if (op.result_shape() != ir::Shape::Array(ir::ElementType::kU32, {})) return op.Bad("has a result that is no ui32");
  const uint32_t device = static_cast<uint32_t>(place->mesh.DeviceAt(place->coordinates));
  return op.Finish(ir::Opcode::kConstant, {}, ir::Literal::FromVector<uint32_t>(op.result_shape(), {device}));
}

Status ImportGroupsOfOne(OpImport& op) {
  TRY(std::optional<mlir::TensorAttribute> groups, op.Find<mlir::TensorAttribute>("replica_groups"));
  if (!groups) return op.Unsupported("with groups that are not listed");
  TRY(mlir::Type type, op.importer().source().pool.type(groups->type));
  bool are_of_one = type.dimensions.size() == 2 && type.dimensions[1] == 1;
  TRY(ir::Dimensions members, op.Integers("replica_groups"));
  // No groups at all: one group of everyone.
  if (members.empty()) are_of_one = op.importer().device_count() == 1;
  if (!are_of_one) return op.Unsupported("between several devices");
  return ImportIdentity(op);
}

// A device that nobody sends to receives zeros.
Status ImportCollectivePermute(OpImport& op) {
  TRY(ir::Dimensions pairs, op.Integers("source_target_pairs"));
  if (op.importer().device_count() > 1 || std::ranges::any_of(pairs, [](int64_t device) { return device != 0; })) {
    return op.Unsupported("between several devices");
  }
  if (!pairs.empty()) return ImportIdentity(op);
  const ir::Shape& shape = op.result_shape();
  if (!shape.is_array()) return op.Bad("has a result that is no array");
  ir::Shape scalar = ir::Shape::Array(shape.element_type, {});
  ir::InstrId zero = op.Emit(ir::Opcode::kConstant, scalar, {}, ir::Literal::Zeros(scalar));
  return op.Finish(ir::Opcode::kBroadcast, {zero}, ir::DimensionsAttributes{});
}

}  // namespace stead::frontend
