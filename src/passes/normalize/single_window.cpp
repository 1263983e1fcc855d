#include "passes/normalize/single_window.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/map.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using Direction = ir::CompareAttributes::Direction;
using ir::Dimensions;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

// Where a window starts in one dimension: a number when it is known, else the element of an array at a flat position.
struct Start {
  std::optional<int64_t> known;
  InstrId array;
  int64_t flat = 0;
  InstrId scalar;  // the element, once it has been taken out
};

bool ListsDim(const Dimensions& dimensions, int64_t dim) {
  return std::ranges::find(dimensions, dim) != dimensions.end();
}

bool AllRowMajor(const ir::Module& module, InstrId id) {
  const std::vector<InstrId>& operands = module.instruction(id).operands;
  return module.shape(id).is_row_major() &&
         std::ranges::all_of(operands, [&](InstrId operand) { return module.shape(operand).is_row_major(); });
}

// The piece of a concatenation that holds the flat element, which becomes relative to that piece. Nothing when pieces interleave.
std::optional<InstrId> PieceOf(const ir::Module& module, InstrId concatenation, int64_t& flat) {
  const ir::Instruction& instruction = module.instruction(concatenation);
  int64_t along = instruction.As<ir::DimensionsAttributes>().dimensions.front();
  if (instruction.shape.element_count() != instruction.shape.dimensions[static_cast<size_t>(along)])
    return std::nullopt;
  for (InstrId piece : instruction.operands) {
    int64_t count = module.shape(piece).element_count();
    if (flat < count) return piece;
    flat -= count;
  }
  return std::nullopt;
}

// The element at a flat (row-major) position of an integer array, seen through what builds index vectors.
Start ElementAt(const ir::Module& module, InstrId array, int64_t flat) {
  for (;;) {
    const ir::Instruction& instruction = module.instruction(array);
    if (instruction.opcode == Opcode::kConstant && !instruction.As<ir::Literal>().elided()) {
      return {.known = instruction.As<ir::Literal>().AsInteger(flat)};
    }
    if (instruction.shape.is_scalar()) return {.array = array};
    if (instruction.opcode == Opcode::kReshape) {
      array = instruction.operands[0];
    } else if (instruction.opcode == Opcode::kBroadcast && module.shape(instruction.operands[0]).element_count() == 1) {
      array = instruction.operands[0];
      flat = 0;
    } else if (instruction.opcode == Opcode::kConcatenate) {
      std::optional<InstrId> piece = PieceOf(module, array, flat);
      if (!piece) return {.array = array, .flat = flat};
      array = *piece;
    } else {
      return {.array = array, .flat = flat};
    }
  }
}

void TakeScalars(Builder& build, std::vector<Start>& starts) {
  for (Start& start : starts) {
    if (start.known) continue;
    const Shape shape = build.module().shape(start.array);
    start.scalar = start.array;
    if (shape.is_scalar()) continue;
    InstrId vector = build.Reshape(start.array, {shape.element_count()});
    start.scalar = build.Reshape(build.Slice(vector, {start.flat}, {1}), {});
  }
}

// One start per dimension of the operand, from an index vector whose component k is the start in dimension map[k].
std::vector<Start> StartsFromIndices(const ir::Module& module, InstrId indices, const Dimensions& map, int64_t rank) {
  std::vector<Start> starts(static_cast<size_t>(rank), Start{.known = 0});
  for (size_t component = 0; component < map.size(); ++component) {
    starts[static_cast<size_t>(map[component])] = ElementAt(module, indices, static_cast<int64_t>(component));
  }
  return starts;
}

bool AllKnown(const std::vector<Start>& starts) {
  return std::ranges::all_of(starts, [](const Start& start) { return start.known.has_value(); });
}

std::vector<InstrId> StartOperands(Builder& build, const std::vector<Start>& starts, ir::ElementType type) {
  std::vector<InstrId> operands;
  for (const Start& start : starts) operands.push_back(start.known ? build.Integer(type, *start.known) : start.scalar);
  return operands;
}

InstrId ReadWindow(Builder& build, InstrId operand, const std::vector<Start>& starts, const Dimensions& sizes,
                   ir::ElementType type) {
  if (!AllKnown(starts)) return build.DynamicSlice(operand, StartOperands(build, starts, type), sizes);
  const Shape shape = build.module().shape(operand);
  Dimensions clamped;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    clamped.push_back(std::clamp<int64_t>(*starts[dim].known, 0, shape.dimensions[dim] - sizes[dim]));
  }
  return build.Slice(operand, std::move(clamped), sizes);
}

// --- gather

bool RewriteGather(ir::Module& module, InstrId id) {
  const ir::Instruction& gather = module.instruction(id);
  const ir::GatherAttributes attributes = gather.As<ir::GatherAttributes>();
  const Shape result = gather.shape;
  const InstrId operand = gather.operands[0], indices = gather.operands[1];
  int64_t window = 1;
  for (int64_t size : attributes.slice_sizes) window *= size;
  if (!AllRowMajor(module, id) || window == 0 || result.element_count() != window) return false;

  Builder build(module, id);
  std::vector<Start> starts =
      StartsFromIndices(module, indices, attributes.start_index_map, module.shape(operand).rank());
  TakeScalars(build, starts);
  InstrId read = ReadWindow(build, operand, starts, attributes.slice_sizes, module.shape(indices).element_type);
  return Replace(module, id, build.Reshape(read, result.dimensions));
}

// --- scatter

// The extent of the window in each dimension of the operand. Nothing when there is not exactly one window.
std::optional<Dimensions> WindowSizes(const Shape& operand, const Shape& updates,
                                      const ir::ScatterAttributes& attributes) {
  int64_t windows = 1;
  for (int64_t dim = 0; dim < updates.rank(); ++dim) {
    if (!ListsDim(attributes.update_window_dims, dim)) windows *= updates.dimensions[static_cast<size_t>(dim)];
  }
  if (windows != 1) return std::nullopt;
  Dimensions sizes;
  size_t next = 0;
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    bool inserted = ListsDim(attributes.inserted_window_dims, dim) || ListsDim(attributes.input_batching_dims, dim);
    sizes.push_back(inserted ? 1 : updates.dimensions[static_cast<size_t>(attributes.update_window_dims[next++])]);
  }
  return sizes;
}

enum class Bounds { kInside, kOutside, kUnknown };

Bounds BoundsOf(const std::vector<Start>& starts, const Dimensions& sizes, const Shape& operand) {
  Bounds bounds = Bounds::kInside;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (!starts[dim].known) {
      bounds = Bounds::kUnknown;
    } else if (*starts[dim].known < 0 || *starts[dim].known > operand.dimensions[dim] - sizes[dim]) {
      return Bounds::kOutside;
    }
  }
  return bounds;
}

// The largest value of an integer type, as far as int64 can say it.
int64_t LargestValue(ir::ElementType type) {
  int bits = ir::ElementBits(type) - (ir::IsSigned(type) ? 1 : 0);
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
}

// A scalar that is true when the window lies inside the operand. REQUIRES: some start is not known, the known ones are inside.
InstrId InsidePredicate(Builder& build, const std::vector<Start>& starts, const Dimensions& sizes, const Shape& operand,
                        ir::ElementType type) {
  InstrId inside;
  auto require = [&](InstrId condition) {
    Shape pred = Shape::Array(ir::ElementType::kPred, {});
    inside = inside.valid() ? build.Op(Opcode::kAnd, std::move(pred), {inside, condition}) : condition;
  };
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (starts[dim].known) continue;
    int64_t last = operand.dimensions[dim] - sizes[dim];
    if (ir::IsSigned(type)) require(build.Compare(Direction::kGe, starts[dim].scalar, build.Integer(type, 0)));
    if (last < LargestValue(type))
      require(build.Compare(Direction::kLe, starts[dim].scalar, build.Integer(type, last)));
  }
  if (!inside.valid()) inside = build.Integer(ir::ElementType::kPred, 1);
  return inside;
}

bool RewriteScatter(ir::Module& module, InstrId id) {
  const ir::Instruction& scatter = module.instruction(id);
  if (scatter.operands.size() != 3 || !AllRowMajor(module, id)) return false;
  const ir::ScatterAttributes attributes = scatter.As<ir::ScatterAttributes>();
  const InstrId operand = scatter.operands[0], indices = scatter.operands[1], updates = scatter.operands[2];
  const ir::ComputationId combiner = scatter.called[0];
  const Shape shape = scatter.shape;
  const ir::ElementType type = module.shape(indices).element_type;
  std::optional<Dimensions> sizes = WindowSizes(shape, module.shape(updates), attributes);
  if (!sizes || module.shape(updates).element_count() == 0 || !IsScalarExpression(module, combiner)) return false;

  std::vector<Start> starts = StartsFromIndices(module, indices, attributes.scatter_dims_to_operand_dims, shape.rank());
  Bounds bounds = BoundsOf(starts, *sizes, shape);
  if (bounds == Bounds::kOutside) return Forward(module, id, operand);

  Builder build(module, id);
  TakeScalars(build, starts);
  InstrId update = build.Reshape(updates, *sizes);
  InstrId old = ReadWindow(build, operand, starts, *sizes, type);
  InstrId combined = MapExpression(build, combiner, {old, update}, *sizes);
  if (bounds == Bounds::kUnknown) {
    combined = build.Select(InsidePredicate(build, starts, *sizes, shape, type), combined, old);
  }
  return Replace(module, id, build.DynamicUpdateSlice(operand, combined, StartOperands(build, starts, type)));
}

}  // namespace

Result<PassReport> SimplifySingleWindows(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kGather) changed |= RewriteGather(module, id);
      if (module.instruction(id).opcode == Opcode::kScatter) changed |= RewriteScatter(module, id);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
