// Rules of ops that read or write a window: slice, dynamic-slice, dynamic-update-slice.
#include <algorithm>
#include <optional>
#include <vector>

#include "passes/simplify/rules.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

bool UnitStrides(const ir::SliceAttributes& attributes) {
  return std::ranges::all_of(attributes.strides, [](int64_t stride) { return stride == 1; });
}

// The starts of a dynamic slice or update as they act (clamped), when all are known. `first` is the first index operand.
std::optional<Dimensions> KnownStarts(Builder& build, const Instruction& instruction, size_t first,
                                      const Dimensions& bounds, const Dimensions& sizes) {
  Dimensions starts;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    std::optional<int64_t> start = KnownInteger(build.module(), instruction.operands[first + dim]);
    if (!start) return std::nullopt;
    starts.push_back(std::clamp<int64_t>(*start, 0, bounds[dim] - sizes[dim]));
  }
  return starts;
}

InstrId FullSlice(Builder& build, const Instruction& slice) {
  bool full = build.module().shape(slice.operands[0]) == slice.shape && UnitStrides(slice.As<ir::SliceAttributes>());
  return full ? slice.operands[0] : kNoValue;
}

InstrId SliceOfSplat(Builder& build, const Instruction& slice) {
  if (build.module().instruction(slice.operands[0]).opcode != Opcode::kBroadcast) return kNoValue;
  InstrId scalar = SplatScalar(build.module(), slice.operands[0]);
  return scalar.valid() ? build.Splat(scalar, slice.shape.dimensions) : kNoValue;
}

InstrId SliceOfSlice(Builder& build, const Instruction& outer) {
  const Instruction& inner = build.module().instruction(outer.operands[0]);
  if (inner.opcode != Opcode::kSlice) return kNoValue;
  const ir::SliceAttributes& from = inner.As<ir::SliceAttributes>();
  ir::SliceAttributes composed = outer.As<ir::SliceAttributes>();
  for (size_t dim = 0; dim < composed.starts.size(); ++dim) {
    composed.starts[dim] = from.starts[dim] + composed.starts[dim] * from.strides[dim];
    composed.strides[dim] *= from.strides[dim];
    int64_t size = outer.shape.dimensions[dim];
    composed.limits[dim] =
        size == 0 ? composed.starts[dim] : composed.starts[dim] + (size - 1) * composed.strides[dim] + 1;
  }
  return build.Op(Opcode::kSlice, outer.shape, {inner.operands[0]}, std::move(composed));
}

// A slice that lies inside one piece of a concatenation.
InstrId SliceOfConcatenate(Builder& build, const Instruction& slice) {
  const Instruction& concatenate = build.module().instruction(slice.operands[0]);
  if (concatenate.opcode != Opcode::kConcatenate) return kNoValue;
  size_t along = static_cast<size_t>(concatenate.As<ir::DimensionsAttributes>().dimensions.front());
  ir::SliceAttributes inside = slice.As<ir::SliceAttributes>();
  int64_t offset = 0;
  for (InstrId piece : concatenate.operands) {
    int64_t extent = build.module().shape(piece).dimensions[along];
    if (inside.starts[along] >= offset && inside.limits[along] <= offset + extent) {
      inside.starts[along] -= offset;
      inside.limits[along] -= offset;
      return build.Op(Opcode::kSlice, slice.shape, {piece}, std::move(inside));
    }
    offset += extent;
  }
  return kNoValue;
}

// Reading back what an update wrote, or what it left alone.
InstrId SliceOfUpdate(Builder& build, const Instruction& slice) {
  const Instruction& update = build.module().instruction(slice.operands[0]);
  ir::SliceAttributes read = slice.As<ir::SliceAttributes>();
  if (update.opcode != Opcode::kDynamicUpdateSlice) return kNoValue;
  const Dimensions& sizes = build.module().shape(update.operands[1]).dimensions;
  std::optional<Dimensions> starts = KnownStarts(build, update, 2, update.shape.dimensions, sizes);
  if (!starts || slice.shape.element_count() == 0) return kNoValue;
  bool is_inside = true, is_apart = false;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    is_inside = is_inside && read.starts[dim] >= (*starts)[dim] && read.limits[dim] <= (*starts)[dim] + sizes[dim];
    is_apart = is_apart || read.limits[dim] <= (*starts)[dim] || read.starts[dim] >= (*starts)[dim] + sizes[dim];
  }
  if (is_apart) return build.Op(Opcode::kSlice, slice.shape, {update.operands[0]}, std::move(read));
  if (!is_inside) return kNoValue;
  if (sizes == slice.shape.dimensions) return update.operands[1];
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    read.starts[dim] -= (*starts)[dim];
    read.limits[dim] -= (*starts)[dim];
  }
  return build.Op(Opcode::kSlice, slice.shape, {update.operands[1]}, std::move(read));
}

// Only what is taken is turned.
InstrId SliceOfTranspose(Builder& build, const Instruction& slice) {
  const Instruction& transpose = build.module().instruction(slice.operands[0]);
  if (transpose.opcode != Opcode::kTranspose) return kNoValue;
  const Dimensions permutation = transpose.As<ir::DimensionsAttributes>().dimensions;
  const ir::SliceAttributes& taken = slice.As<ir::SliceAttributes>();
  ir::SliceAttributes before = taken;
  Shape part = slice.shape;
  for (size_t dim = 0; dim < permutation.size(); ++dim) {
    size_t from = static_cast<size_t>(permutation[dim]);
    before.starts[from] = taken.starts[dim];
    before.limits[from] = taken.limits[dim];
    before.strides[from] = taken.strides[dim];
    part.dimensions[from] = slice.shape.dimensions[dim];
  }
  InstrId piece = build.Op(Opcode::kSlice, std::move(part), {transpose.operands[0]}, std::move(before));
  return build.Op(Opcode::kTranspose, slice.shape, {piece}, ir::DimensionsAttributes{permutation});
}

InstrId SliceOfReverse(Builder& build, const Instruction& slice) {
  const Instruction& reverse = build.module().instruction(slice.operands[0]);
  if (reverse.opcode != Opcode::kReverse || slice.shape.element_count() == 0) return kNoValue;
  const Dimensions reversed = reverse.As<ir::DimensionsAttributes>().dimensions;
  ir::SliceAttributes before = slice.As<ir::SliceAttributes>();
  for (int64_t dim : reversed) {
    // The last element that is taken comes first.
    int64_t extent = reverse.shape.dimensions[dim], count = slice.shape.dimensions[dim];
    int64_t first = before.starts[dim];
    before.starts[dim] = extent - 1 - (first + (count - 1) * before.strides[dim]);
    before.limits[dim] = extent - first;
  }
  InstrId piece = build.Op(Opcode::kSlice, slice.shape, {reverse.operands[0]}, std::move(before));
  return build.Op(Opcode::kReverse, slice.shape, {piece}, ir::DimensionsAttributes{reversed});
}

bool IsCut(Opcode opcode) { return opcode == Opcode::kSlice || opcode == Opcode::kDynamicSlice; }

// Only what is taken is computed, and nothing twice: nobody else asks for the op's elements but slices that are no larger together.
InstrId SliceOfElementwise(Builder& build, const Instruction& slice) {
  const ir::Module& module = build.module();
  const InstrId id = slice.operands[0];
  const Instruction op = module.instruction(id);
  const bool is_convert =
      op.opcode == Opcode::kBitcastConvert && module.shape(op.operands[0]).dimensions == op.shape.dimensions;
  if ((!ir::IsElementwise(op.opcode) && !is_convert) || slice.shape.element_count() == 0) return kNoValue;
  if (module.root(op.computation) == id || !op.control_predecessors.empty() || !module.control_successors(id).empty())
    return kNoValue;
  int64_t taken = 0;
  for (InstrId user : module.users(id)) {
    if (!IsCut(module.instruction(user).opcode)) return kNoValue;
    taken += module.shape(user).element_count();
  }
  if (taken > op.shape.element_count()) return kNoValue;
  std::vector<InstrId> operands;
  for (InstrId operand : op.operands) {
    const Shape whole = module.shape(operand);
    if (whole.dimensions != op.shape.dimensions) {
      operands.push_back(operand);
      continue;
    }
    std::vector<InstrId> cut = slice.operands;
    cut[0] = operand;
    operands.push_back(build.Op(slice.opcode, Shape::Array(whole.element_type, slice.shape.dimensions), std::move(cut),
                                slice.attributes));
  }
  return build.Op(op.opcode, slice.shape, std::move(operands), op.attributes);
}

InstrId FullDynamicSlice(Builder& build, const Instruction& slice) {
  return build.module().shape(slice.operands[0]) == slice.shape ? slice.operands[0] : kNoValue;
}

InstrId DynamicSliceAtKnownStart(Builder& build, const Instruction& slice) {
  const Dimensions bounds = build.module().shape(slice.operands[0]).dimensions;
  std::optional<Dimensions> starts = KnownStarts(build, slice, 1, bounds, slice.shape.dimensions);
  return starts ? build.Slice(slice.operands[0], *std::move(starts), slice.shape.dimensions) : kNoValue;
}

InstrId FullUpdate(Builder& build, const Instruction& update) {
  return build.module().shape(update.operands[1]) == update.shape ? update.operands[1] : kNoValue;
}

InstrId EmptyUpdate(Builder& build, const Instruction& update) {
  return build.module().shape(update.operands[1]).element_count() == 0 ? update.operands[0] : kNoValue;
}

constexpr Rule kWindowRules[] = {
    {Opcode::kSlice, FullSlice},
    {Opcode::kSlice, SliceOfSplat},
    {Opcode::kSlice, SliceOfSlice},
    {Opcode::kSlice, SliceOfConcatenate},
    {Opcode::kSlice, SliceOfUpdate},
    {Opcode::kSlice, SliceOfTranspose},
    {Opcode::kSlice, SliceOfReverse},
    {Opcode::kSlice, SliceOfElementwise},
    {Opcode::kDynamicSlice, FullDynamicSlice},
    {Opcode::kDynamicSlice, SliceOfSplat},
    {Opcode::kDynamicSlice, DynamicSliceAtKnownStart},
    {Opcode::kDynamicSlice, SliceOfElementwise},
    {Opcode::kDynamicUpdateSlice, FullUpdate},
    {Opcode::kDynamicUpdateSlice, EmptyUpdate},
};

}  // namespace

std::span<const Rule> WindowRules() { return kWindowRules; }

}  // namespace stead::passes
