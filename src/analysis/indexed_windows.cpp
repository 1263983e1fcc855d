#include "analysis/indexed_windows.h"

#include <algorithm>
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

// Index k of the iota for every k below `count`.
Footprint AtIota(const Windows& windows, int64_t count) {
  int64_t dim = windows.start_dims[0], places = windows.array.dimensions[dim] - windows.sizes[dim] + 1;
  Footprint all = WindowAtZero(windows);
  for (StridedRun& run : all.runs) run.Repeat((*ByteStrides(windows.array))[dim], std::min(count, places));
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

Footprint FootprintOf(const Module& module, const Windows& windows) {
  if (!ByteStrides(windows.array)) return {};
  const Shape& index_shape = module.shape(windows.indices);
  if (index_shape.element_count() == 0) return Footprint::Nothing();
  const Instruction& indices = module.instruction(BehindReshapes(module, windows.indices));
  if (indices.opcode == Opcode::kConstant && indices.shape.element_count() <= kKnownIndexLimit) {
    const ir::Literal& literal = indices.As<ir::Literal>();
    bool is_plain = indices.shape.is_row_major() && index_shape.is_row_major() && !literal.elided();
    return is_plain ? AtKnownIndices(windows, index_shape, literal) : Footprint{};
  }
  if (windows.start_dims.size() != 1) return {};
  if (index_shape.element_count() == 1) return AtOneIndex(module, windows);
  bool counts =
      indices.opcode == Opcode::kIota &&
      indices.shape.dimensions[indices.As<ir::DimensionsAttributes>().dimensions[0]] == index_shape.element_count();
  return counts ? AtIota(windows, index_shape.element_count()) : Footprint{};
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
