#include "passes/normalize/nested_update.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

// The value behind reshapes that only add or drop dimensions of size one.
InstrId BehindUnitReshapes(const ir::Module& module, InstrId id) {
  for (;;) {
    const Instruction& reshape = module.instruction(id);
    if (reshape.opcode != Opcode::kReshape || !reshape.shape.is_row_major()) return id;
    const ir::Shape& operand = module.shape(reshape.operands[0]);
    if (!operand.is_row_major() || WithoutOnes(operand.dimensions) != WithoutOnes(reshape.shape.dimensions)) return id;
    id = reshape.operands[0];
  }
}

// Window starts are clamped per dimension; two starts may replace one another only where neither can be clamped differently:
// in each dimension the row is one element wide or full.
bool IsRow(const Dimensions& array, const Dimensions& row) {
  for (size_t dim = 0; dim < array.size(); ++dim) {
    if (row[dim] != 1 && row[dim] != array[dim]) return false;
  }
  return true;
}

bool HasNoControlEdges(const ir::Module& module, InstrId id) {
  return module.instruction(id).control_predecessors.empty() && module.control_successors(id).empty();
}

// outer = dynamic-update-slice(array, inner seen through reshapes, starts), where inner updates the row that was read there.
struct NestedUpdate {
  InstrId outer, inner;
};

std::optional<NestedUpdate> NestedUpdateAt(const ir::Module& module, InstrId id) {
  const Instruction& outer = module.instruction(id);
  if (outer.opcode != Opcode::kDynamicUpdateSlice || !outer.shape.is_row_major()) return std::nullopt;
  const Dimensions& row = module.shape(outer.operands[1]).dimensions;
  if (!IsRow(outer.shape.dimensions, row)) return std::nullopt;
  InstrId inner_id = BehindUnitReshapes(module, outer.operands[1]);
  const Instruction& inner = module.instruction(inner_id);
  if (inner.opcode != Opcode::kDynamicUpdateSlice || !inner.shape.is_row_major()) return std::nullopt;
  const Instruction& read = module.instruction(BehindUnitReshapes(module, inner.operands[0]));
  bool same_window =
      read.opcode == Opcode::kDynamicSlice && read.operands[0] == outer.operands[0] && read.shape.dimensions == row &&
      HasNoControlEdges(module, id) && HasNoControlEdges(module, inner_id) &&
      std::equal(read.operands.begin() + 1, read.operands.end(), outer.operands.begin() + 2, outer.operands.end());
  return same_window ? std::optional(NestedUpdate{id, inner_id}) : std::nullopt;
}

void Flatten(ir::Module& module, const NestedUpdate& nested) {
  const Instruction outer = module.instruction(nested.outer);
  const Instruction inner = module.instruction(nested.inner);
  const Dimensions row = module.shape(outer.operands[1]).dimensions;
  const Dimensions inner_row = inner.shape.dimensions;
  const Dimensions window = module.shape(inner.operands[1]).dimensions;
  // All that the new update needs is there before the row's: the row was read at the same starts.
  Builder build(module, nested.inner);

  // The inner window in the coordinates of the array: dimensions wider than one correspond in order.
  std::vector<InstrId> starts;
  Dimensions sizes;
  size_t inner_dim = 0;
  for (size_t dim = 0; dim < row.size(); ++dim) {
    starts.push_back(outer.operands[2 + dim]);
    sizes.push_back(1);
    if (row[dim] == 1) continue;
    while (inner_row[inner_dim] == 1) ++inner_dim;
    starts.back() = inner.operands[2 + inner_dim];
    sizes.back() = window[inner_dim++];
  }
  // All starts of one update have one type.
  const ir::ElementType type = module.shape(outer.operands[2]).element_type;
  for (InstrId& start : starts) {
    if (module.shape(start).element_type == type) continue;
    start = build.Op(Opcode::kConvert, ir::Shape::Array(type, {}), {start});
  }
  InstrId update = build.Reshape(inner.operands[1], sizes);
  InstrId made = build.DynamicUpdateSlice(outer.operands[0], update, starts);
  const std::vector<InstrId> row_starts(outer.operands.begin() + 2, outer.operands.end());
  InstrId new_row = build.Reshape(build.DynamicSlice(made, row_starts, row), inner_row);
  Replace(module, nested.outer, made);
  Forward(module, nested.inner, new_row);
}

}  // namespace

Result<PassReport> FlattenNestedUpdates(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      std::optional<NestedUpdate> nested = NestedUpdateAt(module, id);
      if (!nested) continue;
      Flatten(module, *nested);
      changed = true;
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
