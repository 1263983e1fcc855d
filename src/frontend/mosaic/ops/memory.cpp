// Loads and stores. A load is a window of what the buffer holds now; a store makes what it holds next. Elements of a buffer
// may have another sign than the kernel's integers: their bits are taken as they are.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/mosaic/kernel_types.h"
#include "frontend/mosaic/ops/kernel_importers.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

namespace {

// A window of a buffer: the view's start plus the operation's indices.
struct Place {
  size_t buffer = kNoBuffer;
  std::vector<InstrId> starts;
  ir::Dimensions sizes;  // per dimension of the buffer
};

bool IsConstantZero(KernelOp& op, InstrId id) {
  const ir::Instruction& made = op.emit().module().instruction(id);
  return made.opcode == Opcode::kConstant && made.shape.is_scalar() && made.As<ir::Literal>().AsInteger(0) == 0;
}

// `indices` and `sizes`: per dimension of the view.
Result<Place> PlaceIn(KernelOp& op, const View& view, const std::vector<InstrId>& indices,
                      const ir::Dimensions& sizes) {
  if (view.buffer == kNoBuffer) return op.Bad("reads or writes a semaphore");
  if (indices.size() != view.sizes.size() || sizes.size() != view.sizes.size())
    return op.Bad("has not one index and size per dimension of the memory");
  Place place{view.buffer, view.starts, ir::Dimensions(view.starts.size(), 1)};
  for (size_t dimension = 0; dimension < indices.size(); ++dimension) {
    if (sizes[dimension] > view.sizes[dimension]) return op.Bad("takes more than the memory holds");
    if (op.shape(indices[dimension]) != ir::Shape::Array(ir::ElementType::kS32, {}))
      return op.Bad("has an index that is no 32-bit integer");
    const size_t at = view.dimensions[dimension];
    place.sizes[at] = sizes[dimension];
    if (IsConstantZero(op, indices[dimension])) continue;
    TRY(place.starts[at], op.emit().Sum(op.scope(), place.starts[at], indices[dimension]));
  }
  return place;
}

Result<InstrId> Load(KernelOp& op, const Place& place) {
  return op.emit().DynamicSlice(op.scope(), op.scope().buffers[place.buffer], place.starts, place.sizes);
}

// `value` has the elements of the place in order, in any shape and in the kernel's type.
Status Store(KernelOp& op, const Place& place, InstrId value) {
  InstrId& buffer = op.scope().buffers[place.buffer];
  const ir::ElementType type = op.shape(buffer).element_type;
  if (ir::ElementBytes(type) != ir::ElementBytes(op.shape(value).element_type))
    return op.Bad("stores elements of another size than the memory has");
  TRY(value, op.emit().Bitcast(op.scope(), value, type));
  TRY(value, op.emit().Reshape(op.scope(), value, place.sizes));
  TRY(buffer, op.emit().DynamicUpdateSlice(op.scope(), buffer, value, place.starts));
  return {};
}

// The loaded window as the operation's result.
Status SetLoaded(KernelOp& op, InstrId window) {
  TRY(ir::Shape result, op.ResultShape());
  if (ir::ElementBytes(result.element_type) != ir::ElementBytes(op.shape(window).element_type))
    return op.Bad("loads elements of another size than the memory has");
  TRY(window, op.emit().Bitcast(op.scope(), window, result.element_type));
  TRY(window, op.emit().Reshape(op.scope(), window, std::move(result.dimensions)));
  return op.SetResult(window);
}

// A window of every `strides`-th element: the hull that is loaded or stored around it.
Result<ir::Dimensions> HullOf(const KernelOp& op, const ir::Dimensions& sizes, const ir::Dimensions& strides) {
  if (strides.size() != sizes.size()) return op.Bad("has not one stride per dimension");
  ir::Dimensions hull = sizes;
  for (size_t dimension = 0; dimension < hull.size(); ++dimension) {
    if (strides[dimension] < 1 || strides[dimension] > INT32_MAX || sizes[dimension] > INT32_MAX)
      return op.Bad("has a stride that is not positive");
    if (sizes[dimension] > 0) hull[dimension] = (sizes[dimension] - 1) * strides[dimension] + 1;
  }
  return hull;
}

// The dimensions of the vector `operand`; a scalar has none.
const ir::Dimensions& SizesOf(KernelOp& op, InstrId value) { return op.shape(value).dimensions; }

// Stores `value` into every `strides`-th element: spread over the hull, and what lies between stays.
Status StoreStrided(KernelOp& op, const View& view, const std::vector<InstrId>& indices, InstrId value,
                    const ir::Dimensions& strides) {
  TRY(ir::Dimensions hull, HullOf(op, SizesOf(op, value), strides));
  TRY(Place place, PlaceIn(op, view, indices, hull));
  ir::PadAttributes spread{ir::Dimensions(strides.size(), 0), ir::Dimensions(strides.size(), 0), {}};
  for (int64_t stride : strides) spread.interior.push_back(stride - 1);
  KernelEmitter& emit = op.emit();
  KernelScope& scope = op.scope();
  InstrId zero = emit.Constant(scope, ir::Literal::Zeros(ir::Shape::Array(op.shape(value).element_type, {})));
  InstrId yes = emit.Integer(scope, ir::ElementType::kPred, 1), no = emit.Integer(scope, ir::ElementType::kPred, 0);
  TRY(InstrId all, emit.Splat(scope, yes, ir::Shape::Array(ir::ElementType::kPred, SizesOf(op, value))));
  TRY(InstrId mask, emit.Add(scope, Opcode::kPad, {all, no}, spread));
  TRY(InstrId wide, emit.Add(scope, Opcode::kPad, {value, zero}, std::move(spread)));
  TRY(InstrId old, Load(op, place));
  TRY(old, emit.Bitcast(scope, old, op.shape(value).element_type));
  TRY(old, emit.Reshape(scope, old, hull));
  TRY(InstrId merged, emit.Add(scope, Opcode::kSelect, {mask, wide, old}));
  return Store(op, place, merged);
}

}  // namespace

Status ImportVectorLoad(KernelOp& op) {
  size_t index_count = op.operand_count() - std::min<size_t>(op.operand_count(), 1);
  if (op.name() == "tpu.vector_load") {
    TRY(std::vector<size_t> groups, op.Groups(3));
    if (groups[1] != 1 || groups[3] != groups[2]) return op.Unsupported("with a mask is not supported");
    index_count = groups[2] - groups[1];
    TRY(ir::Dimensions strides, op.Integers("strides"));
    if (std::ranges::any_of(strides, [](int64_t stride) { return stride != 1; }))
      return op.Unsupported("with strides is not supported");
  }
  TRY(View view, op.Memory(0));
  TRY(std::vector<InstrId> indices, op.Values(1, index_count));
  TRY(ir::Shape result, op.ResultShape());
  TRY(Place place, PlaceIn(op, view, indices, result.dimensions));
  TRY(InstrId window, Load(op, place));
  return SetLoaded(op, window);
}

Status ImportStridedLoad(KernelOp& op) {
  TRY(View view, op.Memory(0));
  TRY(std::vector<InstrId> indices, op.Values(1, op.operand_count() - 1));
  TRY(ir::Shape result, op.ResultShape());
  TRY(ir::Dimensions strides, op.Integers("strides"));
  TRY(ir::Dimensions hull, HullOf(op, result.dimensions, strides));
  TRY(Place place, PlaceIn(op, view, indices, hull));
  TRY(InstrId window, Load(op, place));
  TRY(window, op.emit().Reshape(op.scope(), window, hull));
  TRY(window, op.emit().Slice(op.scope(), window, {ir::Dimensions(hull.size(), 0), hull, std::move(strides)}));
  return SetLoaded(op, window);
}

Status ImportScalarLoad(KernelOp& op) {
  TRY(View view, op.Memory(0));
  TRY(std::vector<InstrId> indices, op.Values(1, op.operand_count() - 1));
  TRY(Place place, PlaceIn(op, view, indices, ir::Dimensions(view.sizes.size(), 1)));
  TRY(InstrId window, Load(op, place));
  return SetLoaded(op, window);
}

// Operands: value, memory, one index per dimension.
Status ImportVectorStore(KernelOp& op) {
  TRY(InstrId value, op.Value(0));
  TRY(View view, op.Memory(1));
  TRY(std::vector<InstrId> indices, op.Values(2, op.operand_count() - 2));
  TRY(Place place, PlaceIn(op, view, indices, SizesOf(op, value)));
  return Store(op, place, value);
}

// Operands: value, memory, indices, perhaps a mask; `add` adds to what is there.
Status ImportGroupedStore(KernelOp& op) {
  TRY(std::vector<size_t> groups, op.Groups(4));
  if (groups[1] != 1 || groups[2] != 2) return op.Bad("has not one value and one memory");
  TRY(InstrId value, op.Value(0));
  TRY(View view, op.Memory(1));
  TRY(std::vector<InstrId> indices, op.Values(2, groups[3] - 2));
  TRY(ir::Dimensions strides, op.Integers("strides"));
  TRY(bool adds, op.Flag("add"));
  const bool is_masked = groups[4] > groups[3];
  if (std::ranges::any_of(strides, [](int64_t stride) { return stride != 1; })) {
    if (is_masked || adds) return op.Unsupported("with strides and a mask is not supported");
    return StoreStrided(op, view, indices, value, strides);
  }
  TRY(Place place, PlaceIn(op, view, indices, SizesOf(op, value)));
  if (!is_masked && !adds) return Store(op, place, value);
  TRY(InstrId old, Load(op, place));
  TRY(old, op.emit().Bitcast(op.scope(), old, op.shape(value).element_type));
  TRY(old, op.emit().Reshape(op.scope(), old, SizesOf(op, value)));
  InstrId next = value;
  if (adds) {
    TRY(next, op.emit().Add(op.scope(), Opcode::kAdd, {old, value}));
  }
  if (is_masked) {
    TRY(InstrId mask, op.Value(groups[3]));
    TRY(next, op.emit().Add(op.scope(), Opcode::kSelect, {mask, next, old}));
  }
  return Store(op, place, next);
}

Status ImportStridedStore(KernelOp& op) {
  TRY(InstrId value, op.Value(0));
  TRY(View view, op.Memory(1));
  TRY(std::vector<InstrId> indices, op.Values(2, op.operand_count() - 2));
  TRY(ir::Dimensions strides, op.Integers("strides"));
  return StoreStrided(op, view, indices, value, strides);
}

Status ImportScalarStore(KernelOp& op) {
  TRY(InstrId value, op.Value(0));
  TRY(View view, op.Memory(1));
  TRY(std::vector<InstrId> indices, op.Values(2, op.operand_count() - 2));
  TRY(Place place, PlaceIn(op, view, indices, ir::Dimensions(view.sizes.size(), 1)));
  return Store(op, place, value);
}

// Scratch inside the body: zeros, known in this scope.
Status ImportKernelAllocation(KernelOp& op) {
  if (op.operation().results.size() != 1) return op.Bad("has not one result");
  TRY(ir::Shape shape, op.ResultShape());
  TRY(InstrId zeros, op.emit().Zeros(op.scope(), shape));
  View view{op.scope().buffers.size(), std::vector<InstrId>(shape.dimensions.size()), shape.dimensions, {}};
  for (size_t dimension = 0; dimension < shape.dimensions.size(); ++dimension) view.dimensions.push_back(dimension);
  op.scope().buffers.push_back(zeros);
  return op.SetView(std::move(view));
}

// Operands: memory, one start per dimension, sizes of unknown dimensions.
Status ImportMemorySlice(KernelOp& op) {
  TRY(std::vector<size_t> groups, op.Groups(3));
  if (groups[1] != 1 || groups[3] != groups[2]) return op.Unsupported("of a size that is an operand is not supported");
  TRY(View view, op.Memory(0));
  if (view.buffer == kNoBuffer) return op.SetView(std::move(view));
  TRY(std::vector<InstrId> starts, op.Values(1, groups[2] - 1));
  TRY(ir::Shape result, op.ResultShape());
  TRY(Place place, PlaceIn(op, view, starts, result.dimensions));
  view.starts = std::move(place.starts);
  view.sizes = std::move(result.dimensions);
  return op.SetView(std::move(view));
}

// Dimensions of size one are left out, as few as make the sizes fit.
Status ImportMemorySqueeze(KernelOp& op) {
  TRY(View view, op.Memory(0));
  if (view.buffer == kNoBuffer) return op.SetView(std::move(view));
  TRY(ir::Shape result, op.ResultShape());
  View squeezed{view.buffer, view.starts, {}, {}};
  size_t wanted = 0;
  for (size_t dimension = 0; dimension < view.sizes.size(); ++dimension) {
    const size_t left = view.sizes.size() - dimension, missing = result.dimensions.size() - wanted;
    const bool fits = missing > 0 && result.dimensions[wanted] == view.sizes[dimension];
    if (view.sizes[dimension] == 1 && (!fits || left > missing) && left > missing) continue;
    if (!fits) return op.Bad("leaves out a dimension that is not one");
    squeezed.sizes.push_back(view.sizes[dimension]);
    squeezed.dimensions.push_back(view.dimensions[dimension]);
    ++wanted;
  }
  if (wanted != result.dimensions.size()) return op.Bad("has a result of another shape");
  return op.SetView(std::move(squeezed));
}

// Groups: source, its semaphore, target, its semaphore, device, core.
Status ImportTransfer(KernelOp& op) {
  TRY(std::vector<size_t> groups, op.Groups(6));
  if (groups[1] != 1 || groups[3] != groups[2] + 1) return op.Bad("has not one source and one target");
  if (groups[6] != groups[4]) return op.Unsupported("to another device is not supported");
  TRY(View source, op.Memory(0));
  TRY(View target, op.Memory(groups[2]));
  InstrId zero = op.emit().Integer(op.scope(), ir::ElementType::kS32, 0);
  TRY(Place from, PlaceIn(op, source, std::vector<InstrId>(source.sizes.size(), zero), source.sizes));
  TRY(Place to, PlaceIn(op, target, std::vector<InstrId>(target.sizes.size(), zero), target.sizes));
  TRY(InstrId moved, Load(op, from));
  return Store(op, to, moved);
}

Status ImportNothing(KernelOp& op) { return op.operation().results.empty() ? Status() : Status(op.Bad("has results")); }

Status ImportSemaphore(KernelOp& op) { return op.SetView(View{}); }

}  // namespace stead::frontend
