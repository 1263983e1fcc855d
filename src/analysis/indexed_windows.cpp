#include "analysis/indexed_windows.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/index_value.h"
#include "analysis/window.h"

namespace stead::analysis {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::Shape;

constexpr int64_t kKnownIndexLimit = 1024;
constexpr int64_t kKnownRampLimit = 65536;
constexpr int kRampDepth = 16;
// Larger numbers are not followed, so that no product overflows.
constexpr int64_t kLargestIndex = int64_t{1} << 40;

bool Contains(const Dimensions& dimensions, int64_t dim) {
  return std::ranges::find(dimensions, dim) != dimensions.end();
}

// What gather and scatter have in common.
struct Windows {
  Shape array;
  InstrId indices;
  Dimensions start_dims;  // of the array, in the order of the index vector's numbers
  Dimensions batching_dims;
  Dimensions sizes;  // of a window, in every dimension of the array
  int64_t vector_dim = 0;
  bool drops_outside = false;
};

// The window at starts that are not given: at 0, in batching dimensions everywhere.
Footprint WindowAtZero(const Windows& windows) {
  Dimensions sizes = windows.sizes;
  for (int64_t dim : windows.batching_dims) sizes[dim] = windows.array.dimensions[dim];
  return BoxFootprint(windows.array, Dimensions(sizes.size(), 0), sizes, Dimensions(sizes.size(), 1));
}

InstrId BehindReshapes(const Module& module, InstrId id) {
  while (module.instruction(id).opcode == Opcode::kReshape || module.instruction(id).opcode == Opcode::kCopy)
    id = module.operand(id, 0);
  return id;
}

Footprint AtKnownIndices(const Windows& windows, const Shape& index_shape, const ir::Literal& indices) {
  const std::vector<int64_t> strides = *ByteStrides(windows.array);
  const int64_t numbers = static_cast<int64_t>(windows.start_dims.size());
  int64_t inner = 1;  // index vectors are this far apart inside
  for (int64_t dim = windows.vector_dim + 1; dim < index_shape.rank(); ++dim) inner *= index_shape.dimensions[dim];
  const Footprint window = WindowAtZero(windows);
  std::vector<int64_t> offsets;
  for (int64_t vector = 0; vector < index_shape.element_count() / numbers; ++vector) {
    int64_t offset = 0;
    bool is_inside = true;
    for (int64_t number = 0; number < numbers; ++number) {
      int64_t index = indices.AsInteger(vector / inner * inner * numbers + number * inner + vector % inner);
      int64_t dim = windows.start_dims[number], high = windows.array.dimensions[dim] - windows.sizes[dim];
      is_inside = is_inside && index >= 0 && index <= high;
      offset += std::clamp<int64_t>(index, 0, high) * strides[dim];
    }
    if (is_inside || !windows.drops_outside) offsets.push_back(offset);
  }
  std::ranges::sort(offsets);
  Footprint all = Footprint::Nothing();
  for (int64_t offset : offsets) {
    Footprint moved = window;
    for (StridedRun& run : moved.runs) run.start += offset;
    all.Include(moved);
  }
  return all;
}

Footprint AtOneIndex(const Module& module, const Windows& windows) {
  int64_t dim = windows.start_dims[0];
  int64_t stride = (*ByteStrides(windows.array))[dim];
  SymbolMeaning start = ClampedIndex(module, windows.indices, windows.array.dimensions[dim] - windows.sizes[dim]);
  Footprint window = WindowAtZero(windows);
  for (StridedRun& run : window.runs) {
    run.start += start.start * stride;
    if (start.factor != 0) run.Move(start.factor * stride, start.symbol);
  }
  return window;
}

// An integer array whose element at (k0, k1, ...) is start + steps[0] * k0 + steps[1] * k1 + ...
struct Ramp {
  int64_t start = 0;
  Dimensions steps;

  bool IsConstant() const {
    return std::ranges::all_of(steps, [](int64_t step) { return step == 0; });
  }
};

// Its smallest and largest element.
std::pair<int64_t, int64_t> RangeOf(const Ramp& ramp, const Dimensions& dimensions) {
  std::pair<int64_t, int64_t> range{ramp.start, ramp.start};
  for (size_t dim = 0; dim < dimensions.size(); ++dim) {
    const int64_t last = ramp.steps[dim] * (dimensions[dim] - 1);
    (last < 0 ? range.first : range.second) += last;
  }
  return range;
}

// Finds ramps; in fusions too, whose parameters are their operands.
class RampFinder {
 public:
  explicit RampFinder(const Module& module) : module_(module) {}

  // The ramp that makes number `number` of every index vector.
  std::optional<Ramp> OfNumber(InstrId indices, int64_t vector_dim, int64_t number) {
    const InstrId id = Entered(indices);
    const Instruction& instruction = module_.instruction(id);
    const bool is_listed = instruction.opcode == Opcode::kConcatenate &&
                           instruction.As<ir::DimensionsAttributes>().dimensions[0] == vector_dim &&
                           instruction.operands.size() == static_cast<size_t>(instruction.shape.dimensions[vector_dim]);
    if (is_listed) return Of(instruction.operands[number], kRampDepth);
    std::optional<Ramp> ramp = Of(id, kRampDepth);
    if (ramp && vector_dim < instruction.shape.rank()) ramp->start += ramp->steps[vector_dim] * number;
    return ramp;
  }

 private:
  std::optional<Ramp> Of(InstrId array, int depth) {
    const InstrId fusion = fusion_, id = Entered(array);
    const Shape& shape = module_.shape(id);
    if (depth == 0 || !shape.is_array() || !ir::IsInteger(shape.element_type) || shape.element_count() == 0)
      return std::nullopt;
    std::optional<Ramp> ramp = Made(id, depth - 1);
    // The operand beside this one is of the fusion that this one was met in.
    fusion_ = fusion;
    return ramp && IsExact(*ramp, shape) ? ramp : std::nullopt;
  }

  // Into fusions, and out of their parameters.
  InstrId Entered(InstrId id) {
    for (;;) {
      const Instruction& instruction = module_.instruction(id);
      if (instruction.opcode == Opcode::kFusion && instruction.shape.is_array()) {
        fusion_ = id;
        id = module_.computation(instruction.called[0]).root;
        continue;
      }
      const bool is_outside = instruction.opcode == Opcode::kParameter && fusion_.valid() &&
                              instruction.computation == module_.instruction(fusion_).called[0];
      if (!is_outside) return id;
      id = module_.operand(fusion_, instruction.As<ir::ParameterAttributes>().number);
    }
  }

  // No element leaves its type on the way.
  static bool IsExact(const Ramp& ramp, const Shape& shape) {
    const int bits = std::min(ir::ElementBits(shape.element_type), 40);
    const bool is_signed = ir::IsSigned(shape.element_type);
    const int64_t limit = int64_t{1} << (is_signed ? bits - 1 : bits);
    for (int64_t step : ramp.steps) {
      if (step <= -limit || step >= limit) return false;
    }
    const auto [low, high] = RangeOf(ramp, shape.dimensions);
    return low >= (is_signed ? -limit : 0) && high < limit;
  }

  std::optional<Ramp> Made(InstrId id, int depth) {
    const Instruction& instruction = module_.instruction(id);
    switch (instruction.opcode) {
      case Opcode::kIota: {
        Ramp ramp{0, Dimensions(instruction.shape.rank(), 0)};
        ramp.steps[instruction.As<ir::DimensionsAttributes>().dimensions[0]] = 1;
        return ramp;
      }
      case Opcode::kConstant: return OfLiteral(instruction);
      case Opcode::kBroadcast: return Spread(instruction, depth);
      case Opcode::kReshape: return Reshaped(instruction, depth);
      case Opcode::kSlice: return Cut(instruction, depth);
      case Opcode::kCopy:
      case Opcode::kConvert: return Of(instruction.operands[0], depth);
      case Opcode::kAdd:
      case Opcode::kSubtract:
      case Opcode::kMultiply: return Combined(instruction, depth);
      case Opcode::kSelect:
        return IsNeverTrue(instruction.operands[0], depth) ? Of(instruction.operands[2], depth) : std::nullopt;
      default: return std::nullopt;
    }
  }

  static std::optional<Ramp> OfLiteral(const Instruction& constant) {
    const Shape& shape = constant.shape;
    const ir::Literal& literal = constant.As<ir::Literal>();
    if (literal.elided() || !shape.is_row_major() || shape.element_count() > kKnownRampLimit) return std::nullopt;
    const Dimensions strides = ir::RowMajorStrides(shape.dimensions);
    Ramp ramp{literal.AsInteger(0), Dimensions(shape.rank(), 0)};
    for (int64_t dim = 0; dim < shape.rank(); ++dim) {
      if (shape.dimensions[dim] > 1) ramp.steps[dim] = literal.AsInteger(strides[dim]) - ramp.start;
    }
    for (int64_t flat = 0; flat < shape.element_count(); ++flat) {
      int64_t expected = ramp.start, rest = flat;
      for (int64_t dim = 0; dim < shape.rank(); ++dim) {
        expected += ramp.steps[dim] * (rest / strides[dim]);
        rest %= strides[dim];
      }
      if (literal.AsInteger(flat) != expected) return std::nullopt;
    }
    return ramp;
  }

  std::optional<Ramp> Spread(const Instruction& broadcast, int depth) {
    std::optional<Ramp> operand = Of(broadcast.operands[0], depth);
    if (!operand) return std::nullopt;
    Ramp ramp{operand->start, Dimensions(broadcast.shape.rank(), 0)};
    const Dimensions& dimensions = broadcast.As<ir::DimensionsAttributes>().dimensions;
    for (size_t dim = 0; dim < dimensions.size(); ++dim) ramp.steps[dimensions[dim]] = operand->steps[dim];
    return ramp;
  }

  // Dimensions of one element come and go.
  std::optional<Ramp> Reshaped(const Instruction& reshape, int depth) {
    std::optional<Ramp> operand = Of(reshape.operands[0], depth);
    if (!operand) return std::nullopt;
    const Dimensions& from = module_.shape(reshape.operands[0]).dimensions;
    Ramp ramp{operand->start, {}};
    size_t next = 0;
    for (int64_t extent : reshape.shape.dimensions) {
      while (next < from.size() && from[next] == 1) ++next;
      if (extent != 1 && (next == from.size() || from[next] != extent)) return std::nullopt;
      ramp.steps.push_back(extent == 1 ? 0 : operand->steps[next++]);
    }
    return ramp;
  }

  std::optional<Ramp> Cut(const Instruction& slice, int depth) {
    std::optional<Ramp> ramp = Of(slice.operands[0], depth);
    const auto& attributes = slice.As<ir::SliceAttributes>();
    for (size_t dim = 0; ramp && dim < ramp->steps.size(); ++dim) {
      ramp->start += ramp->steps[dim] * attributes.starts[dim];
      ramp->steps[dim] *= attributes.strides[dim];
    }
    return ramp;
  }

  std::optional<Ramp> Combined(const Instruction& operation, int depth) {
    std::optional<Ramp> left = Of(operation.operands[0], depth), right = Of(operation.operands[1], depth);
    if (!left || !right) return std::nullopt;
    if (operation.opcode == Opcode::kMultiply) {
      if (left->IsConstant()) std::swap(left, right);
      if (!right->IsConstant() || std::abs(right->start) > kLargestIndex >> 20) return std::nullopt;
      left->start *= right->start;
      for (int64_t& step : left->steps) step *= right->start;
      return left;
    }
    const int64_t sign = operation.opcode == Opcode::kSubtract ? -1 : 1;
    left->start += sign * right->start;
    for (size_t dim = 0; dim < left->steps.size(); ++dim) left->steps[dim] += sign * right->steps[dim];
    return left;
  }

  // As whether an index is below zero, before it is counted from the end.
  bool IsNeverTrue(InstrId predicate, int depth) {
    const InstrId fusion = fusion_;
    const Instruction& compare = module_.instruction(Entered(predicate));
    if (compare.opcode != Opcode::kCompare ||
        compare.As<ir::CompareAttributes>().direction != ir::CompareAttributes::Direction::kLt)
      return false;
    std::optional<Ramp> left = Of(compare.operands[0], depth), right = Of(compare.operands[1], depth);
    fusion_ = fusion;
    const Dimensions& dimensions = compare.shape.dimensions;
    return left && right && RangeOf(*left, dimensions).first >= RangeOf(*right, dimensions).second;
  }

  const Module& module_;
  InstrId fusion_;
};

// Windows at index vectors that are evenly spaced, none of which is outside.
std::optional<Footprint> AtRamps(const Module& module, const Windows& windows, const Shape& index_shape) {
  const std::vector<int64_t> strides = *ByteStrides(windows.array);
  Dimensions vectors = index_shape.dimensions, steps(vectors.size(), 0);
  if (windows.vector_dim < index_shape.rank()) vectors[windows.vector_dim] = 1;
  int64_t start = 0;
  for (size_t number = 0; number < windows.start_dims.size(); ++number) {
    std::optional<Ramp> ramp =
        RampFinder(module).OfNumber(windows.indices, windows.vector_dim, static_cast<int64_t>(number));
    if (!ramp) return std::nullopt;
    const int64_t dim = windows.start_dims[number];
    const auto [low, high] = RangeOf(*ramp, vectors);
    if (low < 0 || high > windows.array.dimensions[dim] - windows.sizes[dim]) return std::nullopt;
    start += ramp->start * strides[dim];
    for (size_t along = 0; along < steps.size(); ++along) steps[along] += ramp->steps[along] * strides[dim];
  }
  Footprint all = WindowAtZero(windows);
  for (StridedRun& run : all.runs) {
    run.start += start;
    for (size_t along = 0; along < steps.size(); ++along) {
      if (steps[along] != 0 && vectors[along] > 1) run.Repeat(steps[along], vectors[along]);
    }
  }
  return all;
}

Footprint FootprintOf(const Module& module, const Windows& windows) {
  if (!ByteStrides(windows.array)) return {};
  const Shape& index_shape = module.shape(windows.indices);
  if (index_shape.element_count() == 0) return Footprint::Nothing();
  if (std::optional<Footprint> all = AtRamps(module, windows, index_shape)) return *std::move(all);
  const Instruction& indices = module.instruction(BehindReshapes(module, windows.indices));
  if (indices.opcode == Opcode::kConstant && indices.shape.element_count() <= kKnownIndexLimit) {
    const ir::Literal& literal = indices.As<ir::Literal>();
    bool is_plain = indices.shape.is_row_major() && index_shape.is_row_major() && !literal.elided();
    return is_plain ? AtKnownIndices(windows, index_shape, literal) : Footprint{};
  }
  bool is_one = windows.start_dims.size() == 1 && index_shape.element_count() == 1;
  return is_one ? AtOneIndex(module, windows) : Footprint{};
}

}  // namespace

Footprint GatherFootprint(const Module& module, InstrId gather) {
  const Instruction& instruction = module.instruction(gather);
  const auto& attributes = instruction.As<ir::GatherAttributes>();
  return FootprintOf(module, {.array = module.shape(instruction.operands[0]),
                              .indices = instruction.operands[1],
                              .start_dims = attributes.start_index_map,
                              .batching_dims = attributes.operand_batching_dims,
                              .sizes = attributes.slice_sizes,
                              .vector_dim = attributes.index_vector_dim});
}

Footprint ScatterFootprint(const Module& module, InstrId scatter, int64_t input) {
  const Instruction& instruction = module.instruction(scatter);
  const auto& attributes = instruction.As<ir::ScatterAttributes>();
  const size_t inputs = instruction.operands.size() / 2;
  Windows windows{.array = module.shape(instruction.operands[static_cast<size_t>(input)]),
                  .indices = instruction.operands[inputs],
                  .start_dims = attributes.scatter_dims_to_operand_dims,
                  .batching_dims = attributes.input_batching_dims,
                  .vector_dim = attributes.index_vector_dim,
                  .drops_outside = true};
  const Dimensions& updates = module.shape(instruction.operands[inputs + 1]).dimensions;
  size_t next = 0;
  for (int64_t dim = 0; dim < windows.array.rank(); ++dim) {
    bool is_one = Contains(attributes.inserted_window_dims, dim) || Contains(attributes.input_batching_dims, dim);
    windows.sizes.push_back(is_one ? 1 : updates[attributes.update_window_dims[next++]]);
  }
  return FootprintOf(module, windows);
}

}  // namespace stead::analysis
